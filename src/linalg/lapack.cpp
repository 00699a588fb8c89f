#include "linalg/lapack.hpp"

#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace spcart {
namespace {

/// Eigenvalues of a semidefinite matrix below this fraction of the largest count as zero.
constexpr double kNull = 1e-12;

/// Beyond this fraction of the spectrum, computing all of it by divide and conquer is faster:
/// measured for matrices of 72 to 452 rows.
constexpr double kMostPairs = 0.2;

/// Half of the reduction of a symmetric matrix is products with vectors, between which threads
/// synchronise.
constexpr double kUnthreaded = 8;

/// Work spaces grow with the square of the size, which is a 32-bit number: these are the largest
/// sizes that fit.
constexpr Index kLargest = 46340, kLargestAllEigen = 32766, kLargestSvd = 23000;

lapack_int as_int(Index size, Index largest = kLargest) {
  if (size > largest)
    throw std::runtime_error(fmt::format("a dense {} x {} decomposition is too large", size, size));
  return static_cast<lapack_int>(size);
}

void check_info(const char* routine, lapack_int info) {
  if (info != 0) throw std::runtime_error(fmt::format("{} failed with code {}", routine, info));
}

SymmetricEigen all_eigenpairs(Matrix c) {
  const lapack_int n = as_int(c.rows());
  Vector values(n);
  check_info("dsyevd", LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, c.data(), n, values.data()));
  return {std::move(values), std::move(c)};
}

/// If eigenvalues cluster, dsyevr may find fewer than requested and report success, or it may fail.
SymmetricEigen some_eigenpairs(const Matrix& original, Index count) {
  Matrix c = original;
  const lapack_int n = as_int(c.rows());
  Vector values(n);
  Matrix vectors(n, count);
  std::vector<lapack_int> support(2 * static_cast<std::size_t>(count));
  lapack_int found = 0;
  const lapack_int info = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, c.data(), n, 0, 0,
                                         n - static_cast<lapack_int>(count) + 1, n, 0, &found,
                                         values.data(), vectors.data(), n, support.data());
  if (info > 0 || (info == 0 && found < count)) return all_eigenpairs(original);
  check_info("dsyevr", info);
  return {values.head(found), std::move(vectors)};
}

/// M = Q R in place: Q in M, R returned.
Matrix factor_qr(Matrix& m) {
  const ThreadScope scope(threads_for(m.rows(), m.cols(), m.cols()));
  const auto rows = static_cast<lapack_int>(m.rows()), cols = static_cast<lapack_int>(m.cols());
  Vector tau(cols);
  check_info("dgeqrf", LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, cols, m.data(), rows, tau.data()));
  Matrix r = m.topRows(cols).triangularView<Eigen::Upper>();
  check_info("dorgqr",
             LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, cols, cols, m.data(), rows, tau.data()));
  return r;
}

}  // namespace

Matrix orthonormalized(Matrix m) {
  const Matrix r = factor_qr(m);
  for (Index i = 0; i < m.cols(); ++i)
    if (r(i, i) < 0) m.col(i) = -m.col(i);
  return m;
}

RankRevealing orthonormalized_above(Matrix m, double threshold) {
  const auto cols = static_cast<lapack_int>(m.cols());
  Matrix small = factor_qr(m);  // pivoting on the small factor avoids it on the tall one
  Vector tau(cols);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(cols), 0);
  check_info("dgeqp3", LAPACKE_dgeqp3(LAPACK_COL_MAJOR, cols, cols, small.data(), cols,
                                      pivots.data(), tau.data()));
  Index rank = 0;
  while (rank < cols && std::abs(small(rank, rank)) > threshold) ++rank;
  Matrix r = Matrix::Zero(rank, cols);
  for (Index j = 0; j < cols; ++j) {
    const Index height = std::min(j + 1, rank);
    r.col(pivots[static_cast<std::size_t>(j)] - 1).head(height) = small.col(j).head(height);
  }
  check_info("dorgqr",
             LAPACKE_dorgqr(LAPACK_COL_MAJOR, cols, cols, cols, small.data(), cols, tau.data()));
  return {m * small.leftCols(rank), std::move(r)};
}

Matrix solve_semidefinite(const Matrix& g, const Matrix& h) {
  const lapack_int n = as_int(g.rows());
  Matrix factor = g, x = h;
  const bool definite = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, factor.data(), n) == 0;
  const auto pivots = factor.diagonal().cwiseAbs2();
  if (!definite || pivots.minCoeff() < kNull * pivots.maxCoeff())
    return inverse_semidefinite(g) * h;
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, static_cast<lapack_int>(h.cols()), factor.data(), n,
                 x.data(), n);
  return x;
}

Matrix inverse_semidefinite(const Matrix& g) {
  const SymmetricEigen e = symmetric_eigen(g, g.rows());
  const Vector inverse = e.values.unaryExpr(
      [least = kNull * e.values[0]](double value) { return value > least ? 1 / value : 0.0; });
  return e.vectors * inverse.asDiagonal() * e.vectors.transpose();
}

SymmetricEigen symmetric_eigen(Matrix c, Index count) {
  const Index n = c.rows();
  const auto size = static_cast<double>(n);
  const ThreadScope scope(threads_for(2 * size * size * size / kUnthreaded));
  const bool most = static_cast<double>(count) > kMostPairs * size;
  SymmetricEigen e =
      most && n <= kLargestAllEigen ? all_eigenpairs(std::move(c)) : some_eigenpairs(c, count);
  e.values = e.values.tail(count).reverse().eval();
  e.vectors = e.vectors.rightCols(count).rowwise().reverse().eval();
  return e;
}

bool is_positive_definite(Matrix c) {
  const lapack_int n = as_int(c.rows());
  return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, c.data(), n) == 0;
}

Polar polar(Matrix b) {
  const lapack_int n = as_int(b.rows(), kLargestSvd);
  const ThreadScope scope(threads_for(n, n, n));
  Vector d(n);
  Matrix w(n, n), qt(n, n);
  check_info("dgesdd", LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', n, n, b.data(), n, d.data(), w.data(),
                                      n, qt.data(), n));
  return {w * qt, d.sum()};
}

}  // namespace spcart
