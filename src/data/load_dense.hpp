#pragma once

#include <algorithm>

#include "data/stored/lines.hpp"
#include "spcart/data.hpp"

namespace spcart {

/// A tile of a table of type T, widened and with samples as columns: column i is sample row + i,
/// restricted to variables col, col + 1, ...
template <class T>
void load_dense(const DenseView& view, Index row, Index col, Block tile) {
  const T* first = static_cast<const T*>(view.data) + row * view.row_stride + col * view.col_stride;
  if (view.col_stride == 1) {
    for (Index i = 0; i < tile.cols(); ++i) {
      const T* sample = first + i * view.row_stride;
      std::copy(sample, sample + tile.rows(), tile.col(i).data());
    }
    return;
  }
  // Small squares, so that both sides stay in cache for either storage order.
  constexpr Index kSquare = 32;
  for (Index i = 0; i < tile.cols(); i += kSquare)
    for (Index j = 0; j < tile.rows(); j += kSquare) {
      const Index height = std::min(kSquare, tile.rows() - j);
      const Index width = std::min(kSquare, tile.cols() - i);
      const Eigen::Map<const Eigen::MatrixX<T>, Eigen::Unaligned,
                       Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>
          square(first + i * view.row_stride + j * view.col_stride, height, width,
                 {view.row_stride, view.col_stride});
      tile.block(j, i, height, width) = square.template cast<double>();
    }
}

/// A sample from that variable on, if its numbers are contiguous.
template <class T>
Line line_of(const DenseView& view, Index row, Index col) {
  if (view.col_stride != 1) return {};
  return {static_cast<const T*>(view.data) + row * view.row_stride + col, scalar_of<T>()};
}

}  // namespace spcart
