#include "data/gram.hpp"

#include <algorithm>

#include "data/preparation.hpp"
#include "data/stored/panels.hpp"

namespace spcart {
namespace {

/// Below this fraction of all variance there is only rounding error.
constexpr double kRounding = 1e-12;

void project(const Vector& x, Block block) { block -= x * (x.transpose() * block).eval(); }

}  // namespace

Gram::Gram(const DataMatrix& a, const Tick& tick) : a_(a), unit_(unit_of(a.squared_norm())) {
  diagonal_ = a.column_squared_norms() / unit_;
  total_ = diagonal_.sum();
  const auto p = static_cast<double>(a.cols());
  if (is_gram_kept(a.rows(), a.cols()) && p * p <= 2 * a.entries()) matrix_ = a.gram(tick) / unit_;
}

Matrix Gram::times(ConstBlock x, const Tick& tick) const {
  if (tick) tick(0);
  if (matrix()) return matrix_ * x;
  if (removed_.empty()) return a_.gram_times(x, tick) / unit_;
  Matrix projected = x;
  for (std::size_t k = removed_.size(); k > 0; --k) project(removed_[k - 1], projected);
  Matrix y = a_.gram_times(projected, tick) / unit_;
  for (const Vector& removed : removed_) project(removed, y);
  return y;
}

Matrix Gram::columns(std::span<const Index> variables, const Tick& tick) const {
  const auto count = static_cast<Index>(variables.size());
  if (matrix()) return matrix_(Eigen::all, std::vector<Index>(variables.begin(), variables.end()));
  Matrix units = Matrix::Zero(size(), count);
  for (Index k = 0; k < count; ++k) units(variables[static_cast<std::size_t>(k)], k) = 1;
  return times(units, tick);
}

Matrix Gram::block(std::span<const Index> variables, const Tick& tick) const {
  constexpr std::size_t kTogether = 64;
  const std::vector<Index> rows(variables.begin(), variables.end());
  if (matrix()) return matrix_(rows, rows);
  if (removed_.empty()) return a_.gram_of(variables, tick) / unit_;
  const auto count = static_cast<Index>(rows.size());
  Matrix part(count, count);
  for (std::size_t first = 0; first < rows.size(); first += kTogether) {
    const auto some = variables.subspan(first, std::min(kTogether, rows.size() - first));
    part.middleCols(static_cast<Index>(first), static_cast<Index>(some.size())) =
        columns(some, tick)(rows, Eigen::all);
  }
  return part;
}

bool Gram::exhausted() const { return !(trace() > kRounding * total_); }

/// With g = A'A x, |a_j|^2 falls by 2 g_j x_j - (x'g) x_j^2.
void Gram::deflate(const Vector& x) {
  const Vector g = times(x);
  const double variance = x.dot(g);
  diagonal_.array() += variance * x.array().square() - 2 * g.array() * x.array();
  diagonal_ = diagonal_.cwiseMax(0.0);
  if (matrix())
    matrix_ += variance * x * x.transpose() - g * x.transpose() - x * g.transpose();
  else
    removed_.push_back(x);
}

}  // namespace spcart
