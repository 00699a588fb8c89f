#include "data/stored/stored.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "data/preparation.hpp"
#include "data/stored/panels.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// A variable whose standard deviation is below this fraction of its largest value is constant: the
/// rest is rounding error.
constexpr double kNoVariation = 1e-14;

/// Maximum ratio of what centring removes to what it leaves for a product that is corrected: 4 bits
/// are lost.
constexpr double kMostTaken = 16;

/// Sizes of numbers whose products are far within the range of single precision.
constexpr double kSmallest = 1e-9, kLargest = 1e9;

}  // namespace

void StoredMatrix::reject(double value, Index row, Index col) {
  reject_not_finite("", row, col, value);
}

void StoredMatrix::reject_size() {
  throw Error("the table's values are so large that their squares overflow: divide them first");
}

void StoredMatrix::measure(const Preparation& preparation, const Tick& tick, FormGram gram) {
  check_preparation(preparation, cols());
  const auto n = static_cast<double>(rows());
  Moments m = moments(preparation, tick, gram);
  if (m.gram.size() > 0) set_plan({.gram = m.gram_seconds});
  row_means_ = std::move(m.row_means);
  if (!m.squares.allFinite() || !m.means.allFinite()) reject_size();

  Preparation used = preparation;
  if (!preparation.center) used.means = Vector::Zero(cols());
  if (!used.means) used.means = m.means;
  if (!preparation.scale) used.scales = Vector::Ones(cols());
  if (!used.scales && preparation.genotypes)
    used.scales =
        genotype_scales(m.means.array() + (row_means_.size() > 0 ? row_means_.mean() : 0));
  if (!used.scales) used.scales = (m.squares / std::max(n - 1, 1.0)).cwiseSqrt();
  inverse_scales_ = spcart::inverse_scales(*used.scales);

  std::vector<Index> constant;
  const double largest_row_mean = row_means_.size() > 0 ? row_means_.cwiseAbs().maxCoeff() : 0;
  rounding_ = kNoVariation * m.largest.cwiseMax(largest_row_mean);
  for (Index j = 0; j < cols(); ++j) {
    if (std::sqrt(m.squares[j] / n) > rounding_[j]) continue;
    if (preparation.scale && !preparation.scales) {
      constant.push_back(j);
      (*used.scales)[j] = 0;
      inverse_scales_[j] = 0;
    } else if (preparation.center && !preparation.means) {
      inverse_scales_[j] = 0;  // the rest is rounding error, which must not be taken for variance
    }
  }
  // Exact if the means are those of the data: then nothing is added to the squares.
  const Vector beside_means = m.means - *used.means;
  const Vector squares = m.squares + n * beside_means.cwiseAbs2();
  const Vector norms = squares.array() * inverse_scales_.array().square();
  if (preparation.precision == Precision::single)
    unit_ = unit_of(std::sqrt(norms.sum() / n / static_cast<double>(cols())));
  panel_scales_ = inverse_scales_ / unit_;
  correctable_ = is_correctable(*used.means, (squares / n).cwiseSqrt(), preparation.precision);
  set_statistics(std::move(used), norms, std::move(constant));
  if (m.gram.size() > 0) set_gram(std::move(m.gram), beside_means);
}

bool StoredMatrix::is_correctable(const Vector& taken, const Vector& left,
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
