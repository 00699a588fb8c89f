#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/views.hpp"

namespace SPCART_EXPORT spcart {

/// Types in which the numbers of a file may be stored. Those that a table in memory cannot have are
/// widened when they are read.
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
  uint64,
  genotype  ///< two bits, as in a .bed of PLINK: 2, missing, 1 or 0 copies of an allele
};

/// In bytes; for genotypes, of which a byte holds four, 1.
std::size_t size_of(FileScalar scalar);
Scalar widened(FileScalar scalar);  ///< the type of such numbers in memory

/// A file that is open for reading and must stay unchanged while it is open. It may be deleted or
/// replaced meanwhile: the opened one is read to the end.
class OpenFile;
std::shared_ptr<const OpenFile> open_file(const std::filesystem::path& path);

/// A table in a file. It is read in blocks, by a thread that reads ahead, whenever a product needs
/// it, and never kept as a whole.
struct FileView {
  enum class Order { row, column };  ///< numbers of a row, or of a column, are contiguous

  std::shared_ptr<const OpenFile> file;
  FileScalar scalar = FileScalar::float64;
  Index rows = 0, cols = 0;
  Order order = Order::row;
  std::uint64_t values =
      0;  ///< offset of the first number, in bytes from the beginning of the file

  /// Of a dense table: the rows (columns, if that is the order) of the file that belong to it,
  /// ascending; null if all do. Each is contiguous, and begins with a new byte.
  std::shared_ptr<const std::vector<Index>> lines = {};
  /// What stands for missing genotypes, one number per column of the table; null: NaN.
  std::shared_ptr<const std::vector<double>> fill = {};

  // A sparse table is compressed by rows, the entries of a row in order of their columns.
  bool sparse = false;
  Index entries = 0;        ///< numbers that are stored
  std::uint64_t inner = 0;  ///< offset of the columns of the entries, int32
  std::uint64_t outer = 0;  ///< offset of the rows + 1 row offsets, int64

  std::uint64_t memory = std::uint64_t{1} << 26;  ///< bytes that the buffers of one pass may use
};

/// Bytes that the table occupies in its file.
std::uint64_t stored_bytes(const FileView& view);

}  // namespace spcart
