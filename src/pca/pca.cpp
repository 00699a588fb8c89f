#include "spcart/pca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "data/execution.hpp"
#include "data/preparation.hpp"
#include "linalg/lapack.hpp"
#include "pca/krylov.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// Components with less than this fraction of the first one's variance are near its rounding error
/// in double precision.
constexpr double kWeak = 1e-10;

/// Eigenvalues of A'A below this are rounding error.
double rank_threshold(const DataMatrix& a) {
  constexpr double kRounding = 10 * std::numeric_limits<double>::epsilon();
  return kRounding * static_cast<double>(std::min(a.rows(), a.cols()));
}

Index numerical_rank(const Vector& eigenvalues, double threshold) {
  Index rank = 0;
  while (rank < eigenvalues.size() && eigenvalues[rank] > threshold * eigenvalues[0]) ++rank;
  return rank;
}

/// If few eigenvectors are wanted and the spectrum decays, iterating on the Gram matrix finds them
/// in a fraction of the time of reducing it to tridiagonal form, which p/50 passes would take half
/// of; if the spectrum is flat, little time is lost by trying.
SymmetricEigen leading_eigenpairs(const DataMatrix& a, const Matrix& gram, Index r,
                                  const PcaOptions& options, const Tick& tick) {
  constexpr double kTolerance = 1e-13;  // what a decomposition would reach
  constexpr Index kLeastSize = 500, kLeastRatio = 20;
  if (gram.rows() >= kLeastSize && gram.rows() >= kLeastRatio * r) {
    const auto known = with_gram(a, gram);
    Eigenpairs k = krylov_eigenpairs(
        *known, r, {.tolerance = kTolerance, .max_passes = gram.rows() / 50, .seed = options.seed},
        tick,
        /*hasty=*/true);
    if (k.converged) return {std::move(k.values), std::move(k.vectors)};
  }
  return symmetric_eigen(gram, r);
}

SymmetricEigen by_gram(const DataMatrix& a, Index r, const PcaOptions& options, const Tick& tick,
                       std::shared_ptr<const Matrix>& kept) {
  const auto gram = std::make_shared<const Matrix>(a.gram(tick));
  if (is_gram_kept(a.rows(), a.cols())) kept = gram;
  return leading_eigenpairs(a, *gram, r, options, tick);
}

SymmetricEigen by_outer(const DataMatrix& a, Index r, const Tick& tick) {
  SymmetricEigen e = symmetric_eigen(a.outer_gram(tick), r);
  const Index rank = numerical_rank(e.values, rank_threshold(a));
  // Weak components lose their orthogonality to strong ones in A'u; QR restores it.
  e.vectors = orthonormalized(a.adjoint_times(e.vectors.leftCols(rank), tick));
  return e;
}

EigenOptions eigen_options(const PcaOptions& options) {
  return {options.tolerance, options.max_passes, options.seed};
}

SymmetricEigen of_krylov(Eigenpairs k, const PcaOptions& options,
                         std::vector<std::string>& warnings) {
  if (!k.converged)
    warnings.push_back(fmt::format(
        "the principal components did not reach their tolerance {:g} in {} passes over the data",
        options.tolerance, k.passes));
  return {std::move(k.values), std::move(k.vectors)};
}

SymmetricEigen by_krylov(const DataMatrix& a, Index r, const PcaOptions& options, const Tick& tick,
                         std::vector<std::string>& warnings) {
  return of_krylov(krylov_eigenpairs(a, r, eigen_options(options), tick), options, warnings);
}

SymmetricEigen by_slepc(const DataMatrix& a, Index r, const PcaOptions& options, const Tick& tick,
                        std::vector<std::string>& warnings) {
  return of_krylov(a.execution().spread_eigenpairs(r, eigen_options(options), tick, warnings),
                   options, warnings);
}

/// A constant variable has no loading: what is there is rounding error.
void clear_idle_variables(Matrix& v, const Vector& column_norms) {
  for (Index j = 0; j < v.rows(); ++j)
    if (column_norms[j] == 0) v.row(j).setZero();
}

/// Completes V to r orthonormal columns with the unit vectors that are farthest outside it, first
/// those of variables that are not constant.
Matrix completed(Matrix v, Index r, const Vector& column_norms) {
  if (v.cols() == r) return v;
  Matrix full(v.rows(), r);
  full.leftCols(v.cols()) = v;
  Vector outside = Vector::Ones(v.rows()) - v.rowwise().squaredNorm();
  const double enough = 0.5 / static_cast<double>(v.rows());
  for (Index i = v.cols(); i < r; ++i) {
    Index j = 0;
    const auto varies = (column_norms.array() > 0 && outside.array() > enough).cast<double>();
    (outside.array() + varies).maxCoeff(&j);
    Vector w = Vector::Unit(v.rows(), j);
    for (int iteration = 0; iteration < 3; ++iteration) {
      w -= full.leftCols(i) * (full.leftCols(i).transpose() * w);
      w.normalize();
    }
    full.col(i) = w;
    outside -= w.cwiseAbs2();
  }
  return full;
}

void make_largest_positive(Matrix& v) {
  for (auto column : v.colwise())
    column *= sign_of_largest({column.data(), static_cast<std::size_t>(column.size())});
}

/// The requested solver, otherwise the planned one, otherwise the fastest.
Solver solver_of(const DataMatrix& a, Index r, const PcaOptions& options) {
  const Solver known = a.plan().solver_for(options.solver);
  if (known != Solver::automatic) return known;
  return chosen_solver(a.rows(), a.cols(), a.entries(), r, a.execution().ranks());
}

}  // namespace

double Basis::cpev() const { return singular_values.squaredNorm() / total_variance; }

Basis principal_basis(const DataMatrix& a, Index r, const PcaOptions& options, const Tick& tick) {
  const auto begin = Clock::now();
  const Index most = std::min(a.rows(), a.cols());
  if (r < 1 || r > most)
    reject("components", r, "it must be from 1 to {}, the smaller of {} rows and {} columns", most,
           a.rows(), a.cols());
  if (!(options.tolerance > 0)) reject("tolerance", options.tolerance, "it must be above 0");
  if (options.max_passes < 1) reject("max-passes", options.max_passes, "it must be at least 1");
  Basis b;
  b.total_variance = a.squared_norm();
  if (!(b.total_variance > 0)) throw Error("the data has no variance");

  b.solver = solver_of(a, r, options);
  SymmetricEigen e = b.solver == Solver::gram    ? by_gram(a, r, options, tick, b.gram)
                     : b.solver == Solver::outer ? by_outer(a, r, tick)
                     : b.solver == Solver::slepc ? by_slepc(a, r, options, tick, b.warnings)
                                                 : by_krylov(a, r, options, tick, b.warnings);
  b.rank = numerical_rank(e.values, rank_threshold(a));
  clear_idle_variables(e.vectors, a.column_squared_norms());
  e.vectors.conservativeResize(Eigen::NoChange, b.rank);
  b.vectors = completed(std::move(e.vectors), r, a.column_squared_norms());
  make_largest_positive(b.vectors);
  if (b.rank < r)
    b.warnings.push_back(
        fmt::format("the data has numerical rank {}: the last {} of {} principal components "
                    "explain nothing and "
                    "only complete the basis",
                    b.rank, r - b.rank, r));

  if (const Index strong = numerical_rank(e.values, kWeak); strong < b.rank)
    b.warnings.push_back(fmt::format(
        "principal components from {} on have less than {:g} of the first one's variance, which is "
        "near rounding: scale the variables if they matter",
        strong + 1, kWeak));

  Vector squares = Vector::Zero(r);
  squares.head(b.rank) = e.values.head(b.rank);
  b.singular_values = squares.cwiseSqrt();
  const Matrix product = b.gram ? Matrix(*b.gram * b.vectors) : a.gram_times(b.vectors, tick);
  // Divided first: the squares of large or small values would be out of range.
  b.residuals =
      ((product - b.vectors * squares.asDiagonal()) / squares[0]).colwise().norm().transpose();
  b.seconds = seconds_since(begin) + a.plan().gram;
  return b;
}

void check(const Basis& basis, const DataMatrix& a, Index components) {
  if (basis.vectors.rows() != a.cols() || basis.vectors.cols() < components)
    throw Error(fmt::format("basis: it is {} x {}, but {} components of {} variables are asked for",
                            basis.vectors.rows(), basis.vectors.cols(), components, a.cols()));
}

Index components_explaining(const Basis& basis, double fraction) {
  constexpr double kRounding = 1e-9;
  const double wanted = (fraction - kRounding) * basis.total_variance;
  double explained = 0;
  for (Index r = 0; r < basis.singular_values.size(); ++r) {
    explained += basis.singular_values[r] * basis.singular_values[r];
    if (explained >= wanted) return r + 1;
  }
  return basis.singular_values.size() + 1;
}

Basis basis_explaining(const DataMatrix& a, double fraction, const PcaOptions& options,
                       const Tick& tick) {
  constexpr Index kFirst = 16;
  const auto begin = Clock::now();
  const Index most = std::min(a.rows(), a.cols());
  for (Index r = std::min(kFirst, most);; r = std::min(2 * r, most)) {
    Basis basis = principal_basis(a, r, options, tick);
    basis.seconds = seconds_since(begin) + a.plan().gram;
    if (r == most || components_explaining(basis, fraction) <= r) return basis;
  }
}

}  // namespace spcart
