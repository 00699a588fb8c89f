#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/file.hpp"

struct z_stream_s;

namespace spcart::io {

inline constexpr std::string_view kZipMagic{"PK\x03\x04", 4};

/// A member of a zip archive, as the directory at the archive's end describes it.
struct ZipEntry {
  std::string name;
  std::uint64_t header = 0;            ///< offset of what stands before its bytes
  std::uint64_t packed = 0, size = 0;  ///< bytes in the archive, and unpacked
  std::uint32_t crc = 0;
  bool deflated = false;  ///< otherwise stored as it is
};

/// The members of an archive, of either size of zip. Throws Error that names the archive.
std::vector<ZipEntry> read_zip_directory(const OpenFile& archive);

/// The bytes of a member from the first to the last. Several may be read side by side.
class ZipMember {
 public:
  ZipMember(std::shared_ptr<const OpenFile> archive, ZipEntry entry);
  ~ZipMember();
  ZipMember(const ZipMember&) = delete;
  ZipMember& operator=(const ZipMember&) = delete;

  /// Reads up to `count` bytes; fewer only at the end, where the checksum is compared.
  std::size_t read(char* to, std::size_t count);

 private:
  struct EndInflate {
    void operator()(z_stream_s* stream) const;
  };

  std::size_t read_packed(char* to, std::size_t count);
  std::size_t inflate(char* to, std::size_t count);
  [[noreturn]] void reject(std::string_view rule) const;

  std::shared_ptr<const OpenFile> archive_;
  ZipEntry entry_;
  std::uint64_t next_ = 0, end_ = 0;  ///< offsets of the packed bytes that are not read yet
  std::uint64_t done_ = 0;            ///< unpacked bytes
  std::uint32_t crc_ = 0;             ///< of them
  std::vector<char> input_;
  std::unique_ptr<z_stream_s, EndInflate> stream_;  ///< if it is deflated
};

}  // namespace spcart::io
