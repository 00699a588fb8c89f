#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "io/cache.hpp"
#include "io/text.hpp"

namespace spcart::io {

/// Numbers of a file that are read in order.
template <class T>
struct NumberStream {
  std::uint64_t count = 0;
  /// Reads the next `count` numbers, or throws Error.
  std::function<void(T* to, std::size_t count)> read;
};

/// Entries that are read at a time.
inline constexpr std::size_t kEntriesAtATime = std::size_t{1} << 16;

/// A sparse matrix as SciPy, AnnData and 10x store it: the entries of line i are those from
/// offsets[i] to offsets[i + 1] - 1. Lines are rows, or columns if `by_column`.
struct CompressedMatrix {
  std::string file;                  ///< as messages call it
  std::uint64_t rows = 0, cols = 0;  ///< as declared
  bool by_column = false;
  NumberStream<std::int64_t> offsets, indices;
  NumberStream<double> values;
};

/// Entries with their rows and columns, in any order.
struct CoordinateMatrix {
  std::string file;
  std::uint64_t rows = 0, cols = 0;
  NumberStream<std::int64_t> row, col;
  NumberStream<double> values;
};

/// Rejects sizes that a sparse table cannot have, or that few entries cannot justify: names and
/// offsets are kept for every row and column.
void check_sparse_size(const Place& place, std::uint64_t rows, std::uint64_t cols,
                       std::uint64_t entries);

/// What readers of sparse matrices have in common.
struct SparseReading {
  bool transpose = false;
  std::uint64_t reserved = 0;  ///< bytes of the room for the table that the streams use
  Cache& cache;
  const Tick& tick;
};

/// Reads a matrix by rows, in memory or in a file of the cache. Entries given more than once are
/// summed. Rejects offsets that decrease, and indices that are out of range.
decltype(Table::values) read_compressed(CompressedMatrix matrix, const SparseReading& reading);
decltype(Table::values) read_coordinates(CoordinateMatrix matrix, const SparseReading& reading);

}  // namespace spcart::io
