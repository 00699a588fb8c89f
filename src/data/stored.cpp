#include "data/stored.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "data/gram_product.hpp"
#include "data/lines.hpp"
#include "data/panels.hpp"
#include "data/preparation.hpp"
#include "parallel.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// Variables and samples of a tile: what is loaded is prepared while it is near.
constexpr Index kTileHeight = 256, kTileWidth = 8;

/// A variable whose deviation is below this part of its largest value does not vary: what is left
/// is rounding.
constexpr double kNoVariation = 1e-14;

/// By how much what centring takes away may exceed what it leaves where a product is corrected: 4
/// bits are lost.
constexpr double kMostTaken = 16;

/// Sizes of numbers whose products are far within the range of single precision.
constexpr double kSmallest = 1e-9, kLargest = 1e9;

}  // namespace

double unit_of(double x) {
  constexpr int kMost = 1000;  // its inverse exists, too
  return x > 0 ? std::exp2(std::clamp(std::ilogb(x), -kMost, kMost)) : 1;
}

void mirror(Block g) {
  constexpr Index kSquare = 64;
  const Index p = g.cols();
#pragma omp parallel for schedule(dynamic, 1) if (g.size() > kWorthThreads)
  for (Index j = 0; j < p; j += kSquare) {
    const Index width = std::min(kSquare, p - j);
    auto square = g.block(j, j, width, width);
    square.triangularView<Eigen::StrictlyUpper>() = square.transpose();
    for (Index i = j + width; i < p; i += kSquare) {
      const Index height = std::min(kSquare, p - i);
      g.block(j, i, width, height) = g.block(i, j, height, width).transpose();
    }
  }
}

void StoredMatrix::refuse(double value, Index row, Index col) {
  throw Error(fmt::format("row {}, column {}: {} is not a finite number", row + 1, col + 1, value));
}

void StoredMatrix::refuse_size() {
  throw Error("the table's values are so large that their squares overflow: divide them first");
}

void StoredMatrix::measure(const Preparation& preparation, const Tick& tick) {
  check_preparation(preparation, cols());
  const auto n = static_cast<double>(rows());
  Moments m = moments(preparation, tick);
  row_means_ = std::move(m.row_means);
  if (!m.squares.allFinite() || !m.means.allFinite()) refuse_size();

  Preparation used = preparation;
  if (!preparation.center) used.means = Vector::Zero(cols());
  if (!used.means) used.means = m.means;
  if (!preparation.scale) used.scales = Vector::Ones(cols());
  if (!used.scales) used.scales = (m.squares / std::max(n - 1, 1.0)).cwiseSqrt();
  inverse_scales_ = spcart::inverse_scales(*used.scales);

  std::vector<Index> constant;
  const double largest_row_mean = row_means_.size() > 0 ? row_means_.cwiseAbs().maxCoeff() : 0;
  for (Index j = 0; j < cols(); ++j) {
    const double size = std::max(m.largest[j], largest_row_mean);
    if (std::sqrt(m.squares[j] / n) > kNoVariation * size) continue;
    if (preparation.scale && !preparation.scales) {
      constant.push_back(j);
      (*used.scales)[j] = 0;
      inverse_scales_[j] = 0;
    } else if (preparation.center && !preparation.means) {
      inverse_scales_[j] = 0;  // what is left is rounding, and not to be taken for variance
    }
  }
  // Exact where the means are those of the data: then nothing is added to the squares.
  const Vector beside_means = m.means - *used.means;
  const Vector squares = m.squares + n * beside_means.cwiseAbs2();
  const Vector norms = squares.array() * inverse_scales_.array().square();
  if (preparation.precision == Precision::single)
    unit_ = unit_of(std::sqrt(norms.sum() / n / static_cast<double>(cols())));
  panel_scales_ = inverse_scales_ / unit_;
  correctable_ = judge_correction(*used.means, (squares / n).cwiseSqrt(), preparation.precision);
  set_statistics(std::move(used), norms, std::move(constant));
  if (m.gram.size() > 0) set_gram(std::move(m.gram), beside_means);
}

bool StoredMatrix::judge_correction(const Vector& taken, const Vector& left,
                                    Precision precision) const {
  const double row_mean = row_means_.size() > 0 ? row_means_.cwiseAbs().maxCoeff() : 0;
  const auto idle = inverse_scales_.array() == 0;
  if (!(taken.array().abs() + row_mean <= kMostTaken * left.array() || idle).all()) return false;
  const double size = std::max(taken.cwiseAbs().maxCoeff() + row_mean, left.maxCoeff());
  return precision == Precision::full || (size > kSmallest && size < kLargest);
}

void StoredMatrix::set_gram(Matrix lower, const Vector& beside_means) {
  gram_ = std::move(lower);
  const auto n = static_cast<double>(rows());
#pragma omp parallel for schedule(dynamic, 16) if (gram_.size() > kWorthThreads)
  for (Index j = 0; j < cols(); ++j) {
    const Index below = cols() - j;
    auto column = gram_.col(j).tail(below);
    column += n * beside_means[j] * beside_means.tail(below);
    column.array() *= inverse_scales_[j] * inverse_scales_.tail(below).array();
  }
  mirror(gram_);
}

Index StoredMatrix::panel_step(Along along, std::size_t number, PanelWish wish) const {
  constexpr Index kLeast = 16;
  const Index lines = along == Along::rows ? rows() : cols();
  const Index line_bytes = (along == Along::rows ? cols() : rows()) * static_cast<Index>(number);
  const Index wanted = std::max(wish.bytes / line_bytes, wish.least);
  return std::min(std::max(std::min(wanted, panel_bytes() / line_bytes), kLeast), lines);
}

template <class Real>
void StoredMatrix::read(const Pass& pass, Index row, Index col,
                        Eigen::Ref<Eigen::MatrixX<Real>> panel) const {
  const LineKernels& kernels = line_kernels();
  const Index high = (panel.rows() + kTileHeight - 1) / kTileHeight;
  const Index wide = (panel.cols() + kTileWidth - 1) / kTileWidth;
#pragma omp parallel for schedule(static) if (panel.size() > kWorthThreads)
  for (Index t = 0; t < high * wide; ++t) {
    alignas(64) std::array<double, kTileHeight * kTileWidth> room;
    const Index j = t % high * kTileHeight, i = t / high * kTileWidth;
    Eigen::Map<Matrix> tile(room.data(), std::min(kTileHeight, panel.rows() - j),
                            std::min(kTileWidth, panel.cols() - i));
    pass.load(row + i, col + j, tile);
    for (Index k = 0; k < tile.cols(); ++k) {
      const double m = row_means_.size() > 0 ? row_means_[row + i + k] : 0;
      kernels.prepare(tile.col(k).data(), tile.rows(), m, means().data() + col + j,
                      panel_scales_.data() + col + j, panel.col(i + k).data() + j);
    }
  }
}

/// visit(first, panel) for every panel of A.
template <class Real, class Visit>
void StoredMatrix::for_panels(Along along, PanelWish wish, const Tick& tick, Visit visit) const {
  const bool by_row = along == Along::rows;
  const Index step = panel_step(along, sizeof(Real), wish);
  Eigen::MatrixX<Real> buffer(padded(by_row ? cols() : step), by_row ? step : rows());
  walk(along, step, tick, [&](const Pass& pass, Index first, Index count) {
    auto panel = buffer.topLeftCorner(by_row ? cols() : count, by_row ? count : rows());
    read<Real>(pass, by_row ? first : 0, by_row ? 0 : first, panel);
    visit(first, panel);
  });
}

void StoredMatrix::do_times(ConstBlock x, Block y, const Tick& tick) const {
  with_real(preparation().precision, [&]<class Real>(Real) {
    const Factor<Real> factor{x};
    Eigen::MatrixX<Real> product;
    for_panels<Real>(Along::rows, kForProducts, tick, [&](Index row, const auto& panel) {
      product.noalias() = panel.transpose() * factor.values;
      y.middleRows(row, panel.cols()) = product.template cast<double>();
    });
    factor.finish(y, unit_);
  });
}

void StoredMatrix::do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const {
  with_real(preparation().precision, [&]<class Real>(Real) {
    const Factor<Real> factor{y};
    PanelSum<Real> sum(x);
    for_panels<Real>(Along::rows, kForProducts, tick, [&](Index row, const auto& panel) {
      sum.add(panel.cols(), [&](auto& to) {
        to.noalias() += panel * factor.values.middleRows(row, panel.cols());
      });
    });
    sum.finish();
    factor.finish(x, unit_);
  });
}

void StoredMatrix::do_gram_times(ConstBlock x, Block y, const Tick& tick) const {
  if (has_gram()) {
    if (tick) tick(0);
    y.noalias() = gram_ * x;
    return;
  }
  with_real(preparation().precision, [&]<class Real>(Real) {
    const Factor<Real> factor{x};
    GramProduct<Real> product(factor.values);
    for_panels<Real>(Along::rows, kForProducts, tick, [&](Index, const auto& panel) {
      product.add({panel.data(), panel.outerStride(), panel.rows(), panel.cols()},
                  /*by_sample=*/true, [](Index, auto&&) {});
    });
    product.finish(y);
    factor.finish(y, unit_ * unit_);
  });
}

void StoredMatrix::do_gram(Block g, const Tick& tick) const {
  if (has_gram()) {
    g = gram_;
    return;
  }
  with_real(preparation().precision, [&]<class Real>(Real) {
    PanelSum<Real> sum(g);
    for_panels<Real>(Along::rows, kForGram, tick, [&](Index, const auto& panel) {
      sum.add(panel.cols(), [&](auto& to) { add_outer(panel, to); });
    });
    sum.finish();
  });
  g *= unit_ * unit_;
  mirror(g);
}

void StoredMatrix::do_outer_gram(Block g, const Tick& tick) const {
  with_real(preparation().precision, [&]<class Real>(Real) {
    PanelSum<Real> sum(g);
    for_panels<Real>(Along::columns, kForGram, tick, [&](Index, const auto& panel) {
      sum.add(panel.rows(), [&](auto& to) { add_outer(panel.transpose(), to); });
    });
    sum.finish();
  });
  g *= unit_ * unit_;
  mirror(g);
}

Matrix StoredMatrix::scaled(ConstBlock x) const { return inverse_scales_.asDiagonal() * x; }

void StoredMatrix::correct_times(const Matrix& dx, Block y) const {
  if (row_means_.size() > 0) y.noalias() -= row_means_ * dx.colwise().sum();
  y.rowwise() -= means().transpose() * dx;
}

void StoredMatrix::correct_adjoint(ConstBlock y, Block x) const {
  if (row_means_.size() > 0) x.rowwise() -= row_means_.transpose() * y;
  x.noalias() -= means() * y.colwise().sum();
  x.array().colwise() *= inverse_scales_.array();
}

}  // namespace spcart
