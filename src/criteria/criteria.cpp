#include "spcart/criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// Below this fraction of the largest eigenvalue, X'X has lost too much accuracy.
constexpr double kNearlyDependent = 1e-6;

/// A column of X of which the others leave less than this is in their span.
constexpr double kCopy = 1e-10;

/// A component whose variance falls to this fraction when the others are removed repeats them, and
/// one with this fraction of all variance has none: the rest is rounding error.
constexpr double kNothingLeft = 1e-13;
constexpr double kNoVariance = 1e-14;

Sparsity sparsity_of(const std::vector<Index>& nonzeros, Index p) {
  const auto r = static_cast<double>(nonzeros.size());
  Vector fractions(static_cast<Index>(nonzeros.size()));
  std::ranges::transform(nonzeros, fractions.begin(), [p](Index count) {
    return 1 - static_cast<double>(count) / static_cast<double>(p);
  });
  Sparsity s{.mean = fractions.mean(), .std = 0, .min = fractions.minCoeff()};
  if (r > 1) s.std = std::sqrt((fractions.array() - s.mean).square().sum() / (r - 1));
  return s;
}

/// What an orthonormal basis U of the span of X explains, from K = X'X and M = X'A'AX; false if
/// that would lose too many digits.
bool explain_span(Explained& explained) {
  const Matrix& k = explained.cosines;
  const SymmetricEigen e = symmetric_eigen(k, k.rows());
  const Index columns = (k.diagonal().array() > 0).count();  // nonzero columns
  if (columns > 0 && e.values[columns - 1] < kNearlyDependent * e.values[0]) return false;
  const Vector lengths = e.values.head(columns).cwiseSqrt();
  const auto q = e.vectors.leftCols(columns);
  explained.factor = lengths.asDiagonal() * q.transpose();
  const Matrix from = q * lengths.cwiseInverse().asDiagonal();
  explained.within = from.transpose() * explained.covariance * from;
  return true;
}

/// X'A'AX of each X, side by side in one product with A as far as memory allows. Uses the smaller
/// of AX and A'AX; a covariance matrix has A'A only.
template <class X>
std::vector<Matrix> covariances_within(const DataMatrix& a, std::span<const X> many,
                                       const Tick& tick) {
  constexpr Index kNumbers = Index{1} << 24;  // 128 MB
  const bool by_scores = a.samples() && a.rows() < a.cols();
  std::vector<Matrix> all;
  for (std::size_t first = 0, last = 0; first < many.size(); first = last) {
    Index columns = many[last++].cols();
    while (last < many.size() && (columns + many[last].cols()) * a.cols() <= kNumbers)
      columns += many[last++].cols();
    Matrix x(a.cols(), columns);
    Index column = 0;
    for (const X& part : many.subspan(first, last - first)) {
      x.middleCols(column, part.cols()) = part;
      column += part.cols();
    }
    const Matrix product = by_scores ? a.times(x, tick) : a.gram_times(x, tick);
    const Matrix& left = by_scores ? product : x;
    column = 0;
    for (const X& part : many.subspan(first, last - first)) {
      const Matrix m = left.middleCols(column, part.cols()).transpose() *
                       product.middleCols(column, part.cols());
      all.emplace_back((m + m.transpose()) / 2);
      column += part.cols();
    }
  }
  return all;
}

/// Removes from M what component i explains (a step of Cholesky) and returns its variance.
double take_out(Matrix& m, Index i, double least) {
  const double pivot = m(i, i);
  if (!(pivot > least)) return 0;
  const Vector column = m.col(i);
  m.noalias() -= (column / pivot) * column.transpose();
  return pivot;
}

/// Below this the variance of component i is rounding error.
double least_variance(const Matrix& m, Index i) {
  return std::max(kNothingLeft * m(i, i), kNoVariance * m.diagonal().maxCoeff());
}

/// The variance of each direction that a column of `factor` adds to those before it. The small
/// factor is accurate even if the columns of X are nearly dependent.
Vector gains_of(const Explained& explained) {
  const Index r = explained.factor.cols(), rank = explained.factor.rows();
  Matrix directions(rank, rank);
  Vector gains = Vector::Zero(r);
  for (Index i = 0, found = 0; i < r && found < rank; ++i) {
    Vector rest = explained.factor.col(i);
    const auto before = directions.leftCols(found);
    for (int iteration = 0; iteration < 2; ++iteration)
      rest -= before * (before.transpose() * rest);
    if (rest.norm() <= kCopy) continue;
    directions.col(found) = rest.normalized();
    const auto direction = directions.col(found++);
    gains[i] = std::max(direction.dot(explained.within * direction), 0.0);
  }
  return gains;
}

/// An orthonormal basis of the span of the columns, of which there may be more than rows.
Matrix orthonormal_basis(const Matrix& x) {
  if (x.cols() <= x.rows()) return orthonormalized_above(x, kCopy).q;
  const SymmetricEigen e = symmetric_eigen(x * x.transpose(), x.rows());
  return e.vectors.leftCols(
      (e.values.array() > kNearlyDependent * kNearlyDependent * e.values[0]).count());
}

}  // namespace

Explained explained_by(const DataMatrix& a, const Loadings& x, const Tick& tick) {
  return std::move(explained_by(a, std::span(&x, 1), tick).front());
}

std::vector<Explained> explained_by(const DataMatrix& a, std::span<const Loadings> many,
                                    const Tick& tick) {
  for (const Loadings& x : many) {
    if (x.rows() != a.cols())
      throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
    if (x.cols() < 1) throw Error("loadings: there is no component");
  }
  const auto count = static_cast<Index>(many.size());
  std::vector<Loadings> units(many.size());
  std::vector<Explained> all(many.size());
  parallel_for(count, count > 1, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    units[k] = normalized(many[k]);
    all[k].cosines = units[k].transpose() * units[k];
  });
  std::vector<Matrix> covariances = covariances_within(a, std::span<const Loadings>(units), tick);
  for (std::size_t k = 0; k < units.size(); ++k) {
    Explained& explained = all[k];
    explained.covariance = std::move(covariances[k]);
    if (!explain_span(explained)) {
      const Matrix u = orthonormal_basis(Matrix(units[k]));
      explained.within = covariances_within(a, std::span<const Matrix>(&u, 1), tick).front();
      explained.factor = u.transpose() * units[k];
    }
    explained.span = explained.within.trace();
  }
  return all;
}

Criteria evaluate(const DataMatrix& a, const Loadings& x, double cpev_pca, const Tick& tick) {
  return evaluate(x, explained_by(a, x, tick), a.squared_norm(), cpev_pca);
}

Criteria evaluate(const Loadings& x, const Explained& explained, double total_variance,
                  double cpev_pca) {
  const Matrix& m = explained.covariance;
  const Index r = x.cols();
  Criteria c;
  c.cpev_pca = cpev_pca;
  c.cpev = explained.span / total_variance;
  c.ev = m.trace() / total_variance;

  Matrix cosines = explained.cosines.cwiseAbs();
  cosines.diagonal().setZero();
  c.worst_nonorthogonality = std::min(cosines.maxCoeff(), 1.0);
  if (r > 1) c.nonorthogonality = cosines.sum() / static_cast<double>(r * (r - 1));

  for (Index i = 0; i < r; ++i) {
    Index count = 0;
    for (Loadings::InnerIterator it(x, i); it; ++it) count += it.value() != 0 ? 1 : 0;
    c.nonzeros.push_back(count);
  }
  c.sparsity = sparsity_of(c.nonzeros, x.rows());

  Matrix left = m;
  c.adjusted_variance.resize(r);
  for (Index i = 0; i < r; ++i)
    c.adjusted_variance[i] = take_out(left, i, least_variance(m, i)) / total_variance;
  c.cpev_gains = gains_of(explained) / total_variance;
  c.score_covariance = m / total_variance;
  return c;
}

Relations relations(const DataMatrix& a, const Loadings& x, const Tick& tick) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  const Explained explained = explained_by(a, x, tick);
  const Matrix& m = explained.covariance;
  Relations found;
  found.cosines = explained.cosines.cwiseMax(-1).cwiseMin(1);
  found.angles = found.cosines.cwiseAbs().array().acos() * kDegrees;
  const Vector inverse = (m.diagonal().array() > kNoVariance * m.diagonal().maxCoeff())
                             .select(m.diagonal().array().rsqrt(), 0.0);
  found.correlations =
      (inverse.asDiagonal() * m * inverse.asDiagonal()).eval().cwiseMax(-1).cwiseMin(1);
  return found;
}

double variance_by_scores(const DataMatrix& a, const Loadings& x, const Tick& tick) {
  if (x.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
  // With Y = A X = U S Q' regression keeps U U'A, and |U'A|^2 = |S^-1 Q'X'A'A|^2.
  const Matrix products = a.gram_times(Matrix(normalized(x)), tick);
  const SymmetricEigen e =
      symmetric_eigen(normalized(x).transpose() * products, x.cols());  // S^2 and Q
  const double least = kCopy * e.values[0];
  double sum = 0;
  for (Index i = 0; i < e.values.size(); ++i)
    if (e.values[i] > least) sum += (products * e.vectors.col(i)).squaredNorm() / e.values[i];
  return sum;
}

Vector variance_shares(const Vector& singular_values, double total_variance) {
  return singular_values.array().square() / total_variance;
}

std::vector<Index> order_by_adjusted_variance(const Matrix& m) {
  Matrix left = m;
  std::vector<Index> order, rest(static_cast<std::size_t>(m.rows()));
  std::iota(rest.begin(), rest.end(), Index{0});
  while (!rest.empty()) {
    const auto best = std::ranges::max_element(rest, {}, [&](Index i) { return left(i, i); });
    take_out(left, *best, least_variance(m, *best));
    order.push_back(*best);
    rest.erase(best);
  }
  return order;
}

}  // namespace spcart
