#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "spcart/export.hpp"
#include "spcart/views.hpp"

namespace SPCART_EXPORT spcart {

/// Types in which the numbers of a file may lie. Those that a table in memory cannot have are
/// widened as they are read.
enum class FileScalar {
  uint8,
  int32,
  float32,
  float64,
  boolean,
  int8,
  int16,
  uint16,
  uint32,
  int64,
  uint64
};

std::size_t size_of(FileScalar scalar);  ///< in bytes
Scalar widened(FileScalar scalar);       ///< as what such numbers come to memory

/// A file that is open for reading and must stay as it was when it was opened. It may be deleted or
/// replaced meanwhile: what was opened is read to the end.
class OpenFile;
std::shared_ptr<const OpenFile> open_file(const std::filesystem::path& path);

/// A table where it lies in a file. It is read in blocks, by a thread that reads ahead, whenever a
/// product needs it, and never kept whole.
struct FileView {
  enum class Order { row, column };  ///< numbers of a row, or of a column, lie together

  std::shared_ptr<const OpenFile> file;
  FileScalar scalar = FileScalar::float64;
  Index rows = 0, cols = 0;
  Order order = Order::row;
  std::uint64_t values = 0;  ///< where the first number lies, in bytes from the file's beginning

  // A sparse table is compressed by rows, the entries of a row in order of their columns.
  bool sparse = false;
  Index entries = 0;        ///< numbers that are stored
  std::uint64_t inner = 0;  ///< where the columns of the entries lie, int32
  std::uint64_t outer = 0;  ///< where the rows + 1 offsets of the rows lie, int64

  std::uint64_t memory = std::uint64_t{1} << 26;  ///< bytes that the buffers of one pass may take
};

/// Bytes that the table takes in its file.
std::uint64_t stored_bytes(const FileView& view);

}  // namespace spcart
