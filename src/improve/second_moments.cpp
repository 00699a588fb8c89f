#include "improve/second_moments.hpp"

#include <algorithm>

#include "data/stored/panels.hpp"

namespace spcart {
namespace {

/// S is kept as a whole up to this many variables (128 MB), and for this many if there are more.
constexpr Index kMostWhole = 4096, kMostChosen = 2048;

/// A factor is kept up to this many numbers (32 MB: products with it must be cheap), and at most
/// this multiple of the stored numbers: a sparse table stays sparse.
constexpr double kMostFactor = 1 << 22, kMostTimesStored = 4;

enum class Form { factor, whole, chosen };
Form form_of(const DataMatrix& a) {
  const double numbers = static_cast<double>(a.rows()) * static_cast<double>(a.cols());
  const bool few_samples = a.samples() && 2 * a.rows() < a.cols();
  if (few_samples && numbers <= std::min(kMostFactor, kMostTimesStored * a.entries()))
    return Form::factor;
  return a.cols() <= kMostWhole ? Form::whole : Form::chosen;
}

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
  const Form form = form_of(a);
  if (form == Form::factor) {
    // A' I is A', prepared, for any storage of A.
    factor_ = a.adjoint_times(Matrix::Identity(a.rows(), a.rows()), tick).transpose();
    factor_ /= std::sqrt(unit_);
  } else if (form == Form::whole) {
    matrix_ = a.gram(tick);
    matrix_ /= unit_;
  } else {
    variables_ = chosen(promising, required);
    matrix_ = a.gram_of(variables_, tick);
    matrix_ /= unit_;
    diagonal_ = diagonal_(variables_).eval();
  }
}

bool SecondMoments::can_hold(const DataMatrix& a, Index required) {
  return form_of(a) != Form::chosen || required <= kMostWhole;
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
  return is_factored() ? 2 * kFast * static_cast<double>(factor_.rows()) * (k + m) : 2 * k * m;
}

}  // namespace spcart
