#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "spcart/export.hpp"
#include "spcart/views.hpp"

namespace SPCART_EXPORT spcart {

/// Some samples that follow each other: rows of all variables. Sparse ones are compressed by rows,
/// the entries of a row in order of their columns.
using RowBlock = std::variant<DenseView, SparseView>;

/// A table that hands out its samples in blocks, from the first to the last, as often as it is
/// asked: one that is larger than memory, comes from elsewhere or is generated. It is never kept as
/// a whole.
struct RowSource {
  Index rows = 0, cols = 0;
  Scalar scalar = Scalar::float64;  ///< of all blocks
  bool sparse = false;              ///< all blocks are sparse; otherwise none is
  double entries = 0;  ///< of a sparse table, as far as it is known: for estimates of time

  /// The next block, or none after the last one. A block, and what it views, is in use until the
  /// next call. It runs in a thread that reads ahead.
  using NextBlock = std::function<std::optional<RowBlock>()>;

  /// Begins a pass over all samples. Passes may overlap. Each must give the same numbers: a source
  /// that does not is rejected at the end of the pass.
  std::function<NextBlock()> pass;

  std::uint64_t memory = std::uint64_t{1} << 26;  ///< bytes that the buffers of one pass may use
};

}  // namespace spcart
