#include "spcart/pca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "krylov.hpp"
#include "lapack.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// Below this size a full decomposition is cheaper than iterating.
constexpr Index kSmall = 2000;

/// Iterating pays only while the components are few: at most this part of the smaller side.
constexpr double kFewComponents = 0.1;

/// A Gram matrix of more rows than this does not fit an ordinary memory.
constexpr Index kLargestGram = 30000;

Solver choose(const DataMatrix& a, Index r) {
  const Index smaller = std::min(a.rows(), a.cols());
  const Solver direct = a.cols() <= a.rows() ? Solver::gram : Solver::outer;
  const bool few = static_cast<double>(r) <= kFewComponents * static_cast<double>(smaller);
  if (smaller > kLargestGram || (smaller > kSmall && few)) return Solver::krylov;
  return direct;
}

/// Eigenvalues of A'A below this part of the first are rounding.
double rank_threshold(const DataMatrix& a) {
  constexpr double kRounding = 10 * std::numeric_limits<double>::epsilon();
  return kRounding * static_cast<double>(std::min(a.rows(), a.cols()));
}

Index numerical_rank(const Vector& eigenvalues, double threshold) {
  Index rank = 0;
  while (rank < eigenvalues.size() && eigenvalues[rank] > threshold * eigenvalues[0]) ++rank;
  return rank;
}

SymmetricEigen by_gram(const DataMatrix& a, Index r, const Tick& tick) {
  return symmetric_eigen(a.gram(tick), r);
}

SymmetricEigen by_outer(const DataMatrix& a, Index r, const Tick& tick) {
  SymmetricEigen e = symmetric_eigen(a.outer_gram(tick), r);
  const Index rank = numerical_rank(e.values, rank_threshold(a));
  // Weak components lose their orthogonality to strong ones in A'u; QR gives it back.
  e.vectors = orthonormalized(a.adjoint_times(e.vectors.leftCols(rank), tick));
  return e;
}

SymmetricEigen by_krylov(const DataMatrix& a, Index r, const PcaOptions& options, const Tick& tick,
                         std::vector<std::string>& warnings) {
  KrylovResult k = krylov_eigenpairs(a, r, options, tick);
  if (!k.converged)
    warnings.push_back(fmt::format(
        "the principal components did not reach their tolerance {:g} in {} passes over the data",
        options.tolerance, k.passes));
  return {std::move(k.values), std::move(k.vectors)};
}

/// A variable that does not vary has no part in any component: what is there is rounding.
void clear_idle_variables(Matrix& v, const Vector& column_norms) {
  for (Index j = 0; j < v.rows(); ++j)
    if (column_norms[j] == 0) v.row(j).setZero();
}

/// Fills V up to r orthonormal columns with the unit vectors that lie farthest outside it, those of
/// variables that vary first.
Matrix completed(const Matrix& v, Index r, const Vector& column_norms) {
  Matrix full(v.rows(), r);
  full.leftCols(v.cols()) = v;
  Vector outside = Vector::Ones(v.rows()) - v.rowwise().squaredNorm();
  const double enough = 0.5 / static_cast<double>(v.rows());
  for (Index i = v.cols(); i < r; ++i) {
    Index j = 0;
    const auto varies = (column_norms.array() > 0 && outside.array() > enough).cast<double>();
    (outside.array() + varies).maxCoeff(&j);
    Vector w = Vector::Unit(v.rows(), j);
    for (int turn = 0; turn < 3; ++turn) {
      w -= full.leftCols(i) * (full.leftCols(i).transpose() * w);
      w.normalize();
    }
    full.col(i) = w;
    outside -= w.cwiseAbs2();
  }
  return full;
}

void make_largest_positive(Matrix& v) {
  for (auto column : v.colwise()) {
    Index j = 0;
    column.cwiseAbs().maxCoeff(&j);
    if (column[j] < 0) column = -column;
  }
}

}  // namespace

double Basis::cpev() const { return singular_values.squaredNorm() / total_variance; }

Basis principal_basis(const DataMatrix& a, Index r, const PcaOptions& options, const Tick& tick) {
  const Index most = std::min(a.rows(), a.cols());
  if (r < 1 || r > most)
    throw Error(
        fmt::format("components = {}: it must be from 1 to {}, the smaller of {} rows and {} "
                    "columns",
                    r, most, a.rows(), a.cols()));
  Basis b;
  b.total_variance = a.squared_norm();
  if (!(b.total_variance > 0))
    throw Error("the data has no variance: no sample differs from another");

  b.solver = options.solver == Solver::automatic ? choose(a, r) : options.solver;
  SymmetricEigen e = b.solver == Solver::gram    ? by_gram(a, r, tick)
                     : b.solver == Solver::outer ? by_outer(a, r, tick)
                                                 : by_krylov(a, r, options, tick, b.warnings);
  b.rank = numerical_rank(e.values, rank_threshold(a));
  clear_idle_variables(e.vectors, a.column_squared_norms());
  b.vectors = completed(e.vectors.leftCols(b.rank), r, a.column_squared_norms());
  make_largest_positive(b.vectors);
  if (b.rank < r)
    b.warnings.push_back(
        fmt::format("the data has numerical rank {}: the last {} of {} principal components "
                    "explain nothing and "
                    "only complete the basis",
                    b.rank, r - b.rank, r));

  Vector squares = Vector::Zero(r);
  squares.head(b.rank) = e.values.head(b.rank);
  b.singular_values = squares.cwiseSqrt();
  const Matrix defect = a.gram_times(b.vectors) - b.vectors * squares.asDiagonal();
  b.residuals = defect.colwise().norm() / squares[0];
  return b;
}

}  // namespace spcart
