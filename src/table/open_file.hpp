#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/export_to_mpi.hpp"
#include "spcart/file.hpp"

namespace spcart {

/// Identifies the content of a file, to detect changes.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified = 0;  ///< in nanoseconds

  bool operator==(const FileIdentity&) const = default;
};

class SPCART_EXPORT_TO_MPI OpenFile {
 public:
  /// Takes ownership of a descriptor that is open for reading.
  OpenFile(int descriptor, std::string name);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Reads exactly this many bytes; may be called from several threads at once.
  void read(std::uint64_t offset, char* to, std::size_t count) const;

  /// Throws Error if the file has changed since it was opened.
  void check_unchanged() const;

  const FileIdentity& identity() const { return identity_; }
  std::uint64_t size() const { return identity_.size; }
  const std::string& name() const { return name_; }

  /// Bytes read so far, from which the number of passes follows.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  FileIdentity identity_now() const;

  int descriptor_;
  std::string name_;
  FileIdentity identity_;
  mutable std::atomic<std::uint64_t> bytes_read_ = 0;
};

}  // namespace spcart
