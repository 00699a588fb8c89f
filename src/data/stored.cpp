#include "data/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/preparation.hpp"
#include "parallel.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// Bytes in a panel: large enough for full-speed products, small enough to stay in cache.
constexpr Index kPanelBytes = Index{1} << 22;

/// Samples (or variables) in a panel at the least, however long they are: a product with fewer is
/// slow.
constexpr Index kLeastPanel = 16;

/// Variables and samples of a tile: what is loaded is prepared while it is near.
constexpr Index kTileHeight = 1024, kTileWidth = 16;

/// A variable whose deviation is below this part of its largest value does not vary: what is left
/// is rounding.
constexpr double kNoVariation = 1e-14;

}  // namespace

Index StoredMatrix::panel_bytes() const { return kPanelBytes; }

/// visit(pass, first, panel) for every panel; the panel has the room, and not yet the values.
template <class Visit>
void StoredMatrix::for_panels(Along along, const Tick& tick, Visit visit) const {
  const bool by_row = along == Along::rows;
  const Index length = by_row ? cols() : rows(), count = by_row ? rows() : cols();
  const Index fitting = panel_bytes() / (length * static_cast<Index>(sizeof(double)));
  const Index step = std::min(std::max(fitting, kLeastPanel), count);
  const auto pass = open(along, step);
  Matrix buffer(by_row ? length : step, by_row ? step : length);
  for (Index first = 0; first < count; first += step) {
    if (tick) tick(static_cast<double>(first) / static_cast<double>(count));
    const Index size = std::min(step, count - first);
    pass->advance(first, size);
    visit(*pass, first, buffer.topLeftCorner(by_row ? length : size, by_row ? size : length));
  }
}

void StoredMatrix::refuse(double value, Index row, Index col) {
  throw Error(fmt::format("row {}, column {}: {} is not a finite number", row + 1, col + 1, value));
}

StoredMatrix::Moments StoredMatrix::moments(bool remove_row_mean) const {
  const auto n = static_cast<double>(rows());
  Moments m;
  if (remove_row_mean) m.row_means.resize(rows());
  Vector origin(cols());  // sums about the first sample are exact for variables that do not vary
  Vector sums = Vector::Zero(cols());
  m.largest = Vector::Zero(cols());
  for_panels(Along::rows, {}, [&](const Pass& pass, Index row, auto panel) {
    pass.load(row, 0, panel);
    if (row == 0) origin = panel.col(0);
    if (!panel.allFinite())
      for (Index i = 0; i < panel.cols(); ++i)
        for (Index j = 0; j < panel.rows(); ++j)
          if (!std::isfinite(panel(j, i))) refuse(panel(j, i), row + i, j);
    if (remove_row_mean) m.row_means.segment(row, panel.cols()) = panel.colwise().mean();
    for (auto sample : panel.colwise()) {
      m.largest = m.largest.cwiseMax(sample.cwiseAbs());
      sums += sample - origin;
    }
  });
  m.means = origin + sums / n;
  if (remove_row_mean) m.means.array() -= m.row_means.mean();

  sums.setZero();
  m.squares = Vector::Zero(cols());
  for_panels(Along::rows, {}, [&](const Pass& pass, Index row, auto panel) {
    pass.load(row, 0, panel);
    if (remove_row_mean) panel.rowwise() -= m.row_means.segment(row, panel.cols()).transpose();
    for (auto sample : panel.colwise()) {
      sample -= m.means;
      sums += sample;
      m.squares += sample.cwiseAbs2();
    }
  });
  m.means += sums / n;  // what rounding left out of the first pass
  m.squares = (m.squares - sums.cwiseAbs2() / n).cwiseMax(0.0);
  return m;
}

void StoredMatrix::measure(const Preparation& preparation) {
  check_preparation(preparation, cols());
  const auto n = static_cast<double>(rows());
  Moments m = moments(preparation.remove_row_mean);
  row_means_ = std::move(m.row_means);
  if (!m.squares.allFinite() || !m.means.allFinite())
    throw Error("the table's values are so large that their squares overflow: divide them first");

  Preparation used = preparation;
  if (!preparation.center) used.means = Vector::Zero(cols());
  if (!used.means) used.means = m.means;
  if (!preparation.scale) used.scales = Vector::Ones(cols());
  if (!used.scales) used.scales = (m.squares / std::max(n - 1, 1.0)).cwiseSqrt();
  inverse_scales_ = inverse_scales(*used.scales);

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
  const Vector norms = (m.squares + n * (m.means - *used.means).cwiseAbs2()).array() *
                       inverse_scales_.array().square();
  set_statistics(std::move(used), norms, std::move(constant));
}

void StoredMatrix::read(const Pass& pass, Index row, Index col, Block panel) const {
  const Index high = (panel.rows() + kTileHeight - 1) / kTileHeight;
  const Index wide = (panel.cols() + kTileWidth - 1) / kTileWidth;
#pragma omp parallel for schedule(static) if (panel.size() > kWorthThreads)
  for (Index t = 0; t < high * wide; ++t) {
    const Index j = t % high * kTileHeight, i = t / high * kTileWidth;
    Block tile = panel.block(j, i, std::min(kTileHeight, panel.rows() - j),
                             std::min(kTileWidth, panel.cols() - i));
    pass.load(row + i, col + j, tile);
    const auto means_part = means().segment(col + j, tile.rows()).array();
    const auto scales_part = inverse_scales_.segment(col + j, tile.rows()).array();
    for (Index k = 0; k < tile.cols(); ++k) {
      const double m = row_means_.size() > 0 ? row_means_[row + i + k] : 0;
      tile.col(k).array() = (tile.col(k).array() - m - means_part) * scales_part;
    }
  }
}

void StoredMatrix::do_times(ConstBlock x, Block y, const Tick& tick) const {
  for_panels(Along::rows, tick, [&](const Pass& pass, Index row, auto panel) {
    read(pass, row, 0, panel);
    y.middleRows(row, panel.cols()).noalias() = panel.transpose() * x;
  });
}

void StoredMatrix::do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const {
  x.setZero();
  for_panels(Along::rows, tick, [&](const Pass& pass, Index row, auto panel) {
    read(pass, row, 0, panel);
    x.noalias() += panel * y.middleRows(row, panel.cols());
  });
}

void StoredMatrix::do_gram_times(ConstBlock x, Block y, const Tick& tick) const {
  y.setZero();
  Matrix product;
  for_panels(Along::rows, tick, [&](const Pass& pass, Index row, auto panel) {
    read(pass, row, 0, panel);
    product.noalias() = panel.transpose() * x;
    y.noalias() += panel * product;
  });
}

void StoredMatrix::do_gram(Block g, const Tick& tick) const {
  g.setZero();
  for_panels(Along::rows, tick, [&](const Pass& pass, Index row, auto panel) {
    read(pass, row, 0, panel);
    g.selfadjointView<Eigen::Lower>().rankUpdate(panel);
  });
  g.triangularView<Eigen::StrictlyUpper>() = g.transpose();
}

void StoredMatrix::do_outer_gram(Block g, const Tick& tick) const {
  g.setZero();
  for_panels(Along::columns, tick, [&](const Pass& pass, Index col, auto panel) {
    read(pass, 0, col, panel);
    g.selfadjointView<Eigen::Lower>().rankUpdate(panel.transpose());
  });
  g.triangularView<Eigen::StrictlyUpper>() = g.transpose();
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
