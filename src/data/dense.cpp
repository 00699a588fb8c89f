#include <algorithm>
#include <utility>

#include "data/stored.hpp"
#include "data/stored_values.hpp"
#include "parallel.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

template <class T>
class DenseMatrix final : public StoredMatrix {
 public:
  DenseMatrix(const DenseView& view, const Preparation& preparation)
      : StoredMatrix(view.rows, view.cols,
                     static_cast<double>(view.rows) * static_cast<double>(view.cols)),
        view_(view) {
    measure(preparation);
  }

 private:
  void load(Index row, Index col, Block panel) const override {
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    const T* first =
        static_cast<const T*>(view_.data) + row * view_.row_stride + col * view_.col_stride;
    const Eigen::Map<const Eigen::MatrixX<T>, Eigen::Unaligned, Stride> part(
        first, panel.rows(), panel.cols(), Stride(view_.row_stride, view_.col_stride));
    // Small squares, so that both sides stay in cache whichever way the table is stored.
    constexpr Index kTile = 32;
#pragma omp parallel for schedule(static) if (panel.size() > kWorthThreads)
    for (Index i = 0; i < panel.cols(); i += kTile) {
      const Index width = std::min(kTile, panel.cols() - i);
      if (view_.col_stride == 1) {
        using Rows = Eigen::Map<const Eigen::MatrixX<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
        panel.middleCols(i, width) = Rows(first + i * view_.row_stride, panel.rows(), width,
                                          Eigen::OuterStride<>(view_.row_stride))
                                         .template cast<double>();
        continue;
      }
      for (Index j = 0; j < panel.rows(); j += kTile) {
        const Index height = std::min(kTile, panel.rows() - j);
        panel.block(j, i, height, width) = part.block(j, i, height, width).template cast<double>();
      }
    }
  }

  DenseView view_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation) {
  return with_scalar(view.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<DenseMatrix<T>>(view, preparation);
  });
}

std::unique_ptr<DataMatrix> make_dense(Matrix matrix, const Preparation& preparation) {
  const auto owner = std::make_shared<const Matrix>(std::move(matrix));
  DenseView view = view_of(*owner);
  view.owner = owner;
  return make_dense(view, preparation);
}

}  // namespace spcart
