#include "basis_panels.hpp"

#include "kernels.hpp"

namespace spcart {

BasisPanels::BasisPanels(ConstBlock v)
    : v_(v),
      components_(v.cols()),
      slices_(std::min(threads_for(v.rows(), v.cols(), v.cols()), v.rows())),
      transposed_((v.cols() + kSpare - 1) / kSpare * kSpare, v.rows()) {
  for_panels(components_, [&](Index, Index first, Index count) {
    auto panel = transposed_.middleCols(first, count);
    panel.topRows(components_) = v.middleRows(first, count).transpose();
    panel.bottomRows(transposed_.rows() - components_).setZero();
  });
}

Matrix BasisPanels::gram() const {
  Matrix g = Matrix::Zero(components_, components_);
  g.selfadjointView<Eigen::Lower>().rankUpdate(transposed_.topRows(components_));
  g.triangularView<Eigen::StrictlyUpper>() = g.transpose();
  return g;
}

Index BasisPanels::panel_size(Index width) const {
  constexpr Index kDoubles = Index{1} << 16, kLeast = 32;  // half of a second-level cache
  return std::min(std::max(kDoubles / (components_ + width), kLeast), variables());
}

}  // namespace spcart
