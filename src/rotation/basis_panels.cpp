#include "rotation/basis_panels.hpp"

#include <utility>

#include "rotation/kernels.hpp"

namespace spcart {
namespace {

Index slices_of(Index variables, Index components) {
  return std::clamp<Index>(variables, 1, threads_for(variables, components, components));
}

}  // namespace

BasisPanels::BasisPanels(ConstBlock v)
    : v_(v.data(), v.rows(), v.cols(), Eigen::OuterStride<>(v.outerStride())),
      all_variables_(v.rows()),
      components_(v.cols()),
      slices_(slices_of(v.rows(), v.cols())),
      transposed_((v.cols() + kSpare - 1) / kSpare * kSpare, v.rows()),
      squares_(v.rows()) {
  for_panels(components_, [&](Index, Index first, Index count) {
    auto panel = transposed_.middleCols(first, count);
    panel.topRows(components_) = v.middleRows(first, count).transpose();
    panel.bottomRows(transposed_.rows() - components_).setZero();
    squares_.segment(first, count) = panel.colwise().squaredNorm().transpose();
  });
}

BasisPanels::BasisPanels(const BasisPanels& whole, std::vector<std::int32_t> kept, double left_out)
    : own_(static_cast<Index>(kept.size()), whole.components_),
      v_(own_.data(), own_.rows(), own_.cols(), Eigen::OuterStride<>(own_.rows())),
      kept_(std::move(kept)),
      all_variables_(whole.all_variables_),
      components_(whole.components_),
      slices_(slices_of(own_.rows(), own_.cols())),
      transposed_(whole.transposed_.rows(), own_.rows()),
      left_out_(left_out) {
  for (Index row = 0; row < variables(); ++row)
    transposed_.col(row) = whole.transposed_.col(variable(row));
  own_ = transposed_.topRows(components_).transpose();
}

std::optional<BasisPanels> BasisPanels::above(double bound) const {
  constexpr double kSlack = 1e-3;        // V and a rotation are orthonormal up to rounding
  constexpr double kWorthACopy = 0.875;  // of all rows
  const double least = bound * (1 - kSlack), square = least * least;
  if (!(square > 0)) return std::nullopt;
  const Index count = (squares_.array() > square).count();
  if (static_cast<double>(count) > kWorthACopy * static_cast<double>(variables()))
    return std::nullopt;
  std::vector<std::int32_t> kept(static_cast<std::size_t>(count) + 1);
  std::size_t next = 0;
  for (Index row = 0; row < variables(); ++row) {
    kept[next] = static_cast<std::int32_t>(row);
    next += squares_[row] > square ? 1 : 0;
  }
  kept.pop_back();
  return BasisPanels(*this, std::move(kept), (squares_.array() > square).select(0, squares_).sum());
}

Matrix BasisPanels::gram() const {
  const ThreadScope scope(slices_);
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
