#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/export_to_mpi.hpp"
#include "io/byte_source.hpp"
#include "io/temporary_file.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

/// Numbers begin after this many bytes in files of the cache, which docs/files.md describes.
inline constexpr std::uint64_t kCacheHeader = 4096;

/// Decides where a table that is being read is kept, and holds the binary copies of tables that are
/// not kept in memory. In a folder for them, a copy is valid until its source or the options of
/// reading it change; without a folder, copies have no names and disappear at the end.
class SPCART_EXPORT_TO_MPI Cache {
 public:
  /// `also`: what a copy depends on besides the file and the options. Throws Error if the folder
  /// cannot be used.
  Cache(const ReadOptions& options, const std::filesystem::path& path, const ByteSource& source,
        std::string_view also = {});

  /// Bytes that a table with this many columns may use in memory. Throws Error if not even the work
  /// on it would fit.
  std::uint64_t room(Index cols) const;

  /// Bytes that the buffers of a pass over a file may use.
  std::uint64_t buffers(Index cols) const;

  /// A table that was kept by an earlier run, if it is still valid and does not fit in memory.
  std::optional<Table> find() const;

  /// Whether memory is limited by the caller.
  bool is_limited() const { return options_.storage == Storage::automatic && options_.memory > 0; }

  /// A new file for a table that does not fit.
  std::unique_ptr<TemporaryFile> new_file() const;

  /// Takes a written file as the table that it holds. `layout` has the offsets.
  FileView adopt(std::unique_ptr<TemporaryFile> file, FileView layout);

  /// Gives the last adopted file its name, if it is to be kept and belongs to this table.
  void keep(Table& table);

 private:
  std::filesystem::path target() const;

  const ReadOptions& options_;
  const ByteSource& source_;
  std::filesystem::path folder_;
  std::string key_;  ///< what the copy was made from and how; empty if it is not kept
  std::uint64_t available_ = 0;
  std::unique_ptr<TemporaryFile> adopted_;
};

}  // namespace spcart::io
