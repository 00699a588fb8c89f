#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "spcart/data.hpp"
#include "table/block_reader.hpp"

namespace spcart {

/// The rows of a sparse table that is read in blocks, once for every product.
struct SparseRows {
  Index rows = 0, cols = 0;
  double entries = 0;
  std::uint64_t memory = 0;  ///< bytes that the buffers of one pass may use
  /// Begins a pass. Each block holds a multiple of `step` rows, except the last.
  std::function<std::unique_ptr<BlockReader<SparseBlock>>(Index step)> open;
};
std::unique_ptr<DataMatrix> make_sparse_rows(SparseRows rows, const Preparation& preparation,
                                             const Tick& tick);

/// Maximum bytes of a panel: a quarter of the memory, because each of the three buffers holds at
/// least one.
inline Index panel_bytes_within(std::uint64_t memory) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 22, kMost = std::uint64_t{1} << 26;
  return static_cast<Index>(std::clamp(memory / 4, kLeast, kMost));
}

}  // namespace spcart
