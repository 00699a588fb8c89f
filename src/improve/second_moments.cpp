#include "improve/second_moments.hpp"

#include <algorithm>

#include "data/panels.hpp"

namespace spcart {
namespace {

/// S is kept whole up to this many variables (128 MB), and on this many where there are more.
constexpr Index kMostWhole = 4096, kMostChosen = 2048;

/// A factor is kept up to this many numbers (64 MB).
constexpr double kMostFactor = 1 << 23;

/// The variables of highest rank, and all of `required`, in ascending order.
std::vector<Index> chosen(const Vector& promising, std::span<const Index> required) {
  std::vector<Index> order(static_cast<std::size_t>(promising.size()));
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
  const auto count = std::min<std::size_t>(kMostChosen, order.size());
  const auto higher = [&](Index i, Index j) {
    return promising[i] != promising[j] ? promising[i] > promising[j] : i < j;
  };
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(count) - 1, higher);
  order.resize(count);
  order.insert(order.end(), required.begin(), required.end());
  std::ranges::sort(order);
  order.erase(std::unique(order.begin(), order.end()), order.end());
  return order;
}

}  // namespace

SecondMoments::SecondMoments(const DataMatrix& a, const Vector& promising,
                             std::span<const Index> required, const Tick& tick)
    : unit_(unit_of(a.squared_norm())) {
  total_ = a.squared_norm() / unit_;
  diagonal_ = a.column_squared_norms() / unit_;
  const auto n = static_cast<double>(a.rows()), p = static_cast<double>(a.cols());
  const bool few_samples = a.samples() && 2 * a.rows() < a.cols();
  if (few_samples && n * p <= kMostFactor) {
    // A' I is A', prepared, whatever A is stored in.
    factor_ = a.adjoint_times(Matrix::Identity(a.rows(), a.rows()), tick).transpose();
    factor_ /= std::sqrt(unit_);
  } else if (a.cols() <= kMostWhole) {
    matrix_ = a.gram(tick) / unit_;
  } else {
    variables_ = chosen(promising, required);
    matrix_ = a.gram_of(variables_, tick) / unit_;
    diagonal_ = diagonal_(variables_).eval();
  }
}

void SecondMoments::times(const SparseVector& x, Vector& y) const {
  if (is_factored()) {
    Vector image = Vector::Zero(factor_.rows());
    for (Index i = 0; i < x.size(); ++i)
      image += x.values[i] * factor_.col(x.support[static_cast<std::size_t>(i)]);
    y.noalias() = factor_.transpose() * image;
    return;
  }
  y.setZero(size());
  for (Index i = 0; i < x.size(); ++i)
    y += x.values[i] * matrix_.col(x.support[static_cast<std::size_t>(i)]);
}

void SecondMoments::block(std::span<const Index> variables, Matrix& s) const {
  if (is_factored()) {
    const Matrix z = factor_columns(variables);
    s.noalias() = z.transpose() * z;
    return;
  }
  const auto count = static_cast<Index>(variables.size());
  s.resize(count, count);
  for (Index j = 0; j < count; ++j) {
    const auto column = matrix_.col(variables[static_cast<std::size_t>(j)]);
    for (Index i = 0; i < count; ++i) s(i, j) = column[variables[static_cast<std::size_t>(i)]];
  }
}

Matrix SecondMoments::factor_columns(std::span<const Index> variables) const {
  if (!is_factored()) return {};
  Matrix z(factor_.rows(), static_cast<Index>(variables.size()));
  for (Index j = 0; j < z.cols(); ++j)
    z.col(j) = factor_.col(variables[static_cast<std::size_t>(j)]);
  return z;
}

double SecondMoments::cost_of_product(Index nonzeros) const {
  const auto k = static_cast<double>(nonzeros), m = static_cast<double>(size());
  return is_factored() ? 2 * static_cast<double>(factor_.rows()) * (k + m) : 2 * k * m;
}

}  // namespace spcart
