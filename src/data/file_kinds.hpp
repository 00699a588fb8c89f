#pragma once

#include <algorithm>
#include <memory>

#include "spcart/data.hpp"

namespace spcart {

/// make_file for a sparse table whose extent is checked.
std::unique_ptr<DataMatrix> make_sparse_file(const FileView& view, const Preparation& preparation,
                                             const Tick& tick);

/// Maximum bytes of a panel: a quarter of the memory, because each of the three buffers holds at
/// least one.
inline Index panel_bytes_of(const FileView& view) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 22, kMost = std::uint64_t{1} << 26;
  return static_cast<Index>(std::clamp(view.memory / 4, kLeast, kMost));
}

}  // namespace spcart
