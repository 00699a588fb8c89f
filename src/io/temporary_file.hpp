#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/export_to_mpi.hpp"
#include "spcart/file.hpp"

namespace spcart::io {

/// Throws std::runtime_error that names the file and the system's error.
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error);

/// A new file beside its target, open for writing and reading, which is removed by the destructor
/// unless it was renamed. `remove_unfinished_files` removes it too.
class SPCART_EXPORT_TO_MPI TemporaryFile {
 public:
  enum class Access { umask, owner };  ///< who may read it: as the umask allows, or the owner only

  explicit TemporaryFile(std::filesystem::path target, Access access = Access::umask);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }
  const std::filesystem::path& target() const { return target_; }

  /// Writes all of it, or throws std::runtime_error.
  void write_at(std::uint64_t offset, const char* data, std::size_t count) const;

  /// The content so far, for reading; messages call it `name`.
  std::shared_ptr<const OpenFile> open(std::string name) const;

  /// Unlinks the file, so that nothing is left however the program ends.
  void make_nameless();

  void close();   ///< reports errors that only occur then
  void rename();  ///< to the target, replacing an existing file

 private:
  std::filesystem::path target_, path_;
  int descriptor_ = -1;
  bool named_ = true;
};

}  // namespace spcart::io
