#include "proof/certified.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"
#include "linalg/lapack.hpp"

namespace spcart {
namespace {

/// Cholesky of a computed H that runs to its end proves that H + D is semidefinite for a D with
/// |D_ij| <= c sqrt(h_ii h_jj), c near (n + 1) kUnit / 2, whatever the order of its sums (Demmel
/// 1989; Rump 2006): so no eigenvalue of H is below -c tr H.
double cholesky_margin(Index n, double trace) {
  return (static_cast<double>(n) + 8) * kUnit * trace;
}

bool cholesky_succeeds(Block h) {
  const Eigen::LLT<Block> factorization(h);
  return factorization.info() == Eigen::Success && h.diagonal().allFinite();
}

/// r (t + margin) + tr Z with Z = sum over the eigenvalues above t of (l - t) v v'. Between the
/// r-th and the next eigenvalue any t is as good.
double certified_sum(const Matrix& m, Index r, double t, const SymmetricEigen& eigen) {
  const Index n = m.rows(), count = std::min(r, eigen.values.size());
  const Vector above = (eigen.values.head(count).array() - t).cwiseMax(0.0);
  const Matrix root = eigen.vectors.leftCols(count) * above.cwiseSqrt().asDiagonal();
  const double trace_z = rounded_up(root.squaredNorm(), n * r);
  const double size = m.norm() + trace_z + std::abs(t);
  if (size == 0) return 0;
  const double formed = 2 * static_cast<double>(r + 4) * kUnit * size;  // rounding of t I + Z - M
  Matrix h = -m;
  h.selfadjointView<Eigen::Lower>().rankUpdate(root);
  for (double shift = formed + static_cast<double>(n) * kUnit * size;; shift *= 8) {
    Matrix trial = h;
    trial.diagonal().array() += t + shift;
    const double margin = cholesky_margin(n, trial.diagonal().cwiseAbs().sum()) + formed;
    if (!cholesky_succeeds(trial)) continue;
    return rounded_up(static_cast<double>(r) * (t + shift + margin) + trace_z, n * r) +
           8 * kUnit * static_cast<double>(r) * size;
  }
}

}  // namespace

bool none_above(double u, Block m) {
  const Index n = m.rows();
  double trace = 0, rounding = 0;
  for (Index i = 0; i < n; ++i) {
    const double left = u - m(i, i);
    if (!(left > 0)) return n == 0;
    trace += left;
    rounding = std::max(rounding, std::abs(u) + std::abs(m(i, i)));
  }
  const double margin = cholesky_margin(n, trace) + 2 * kUnit * rounding;
  m *= -1;
  m.diagonal().array() += u - margin;
  return cholesky_succeeds(m);
}

double sum_of_largest_eigenvalues(const Matrix& m, Index r) {
  const Index n = m.rows();
  const ThreadScope alone(1);
  if (r >= n)  // the trace, which is exact up to its own rounding
    return m.trace() + 2 * static_cast<double>(n) * kUnit * m.diagonal().cwiseAbs().sum();
  const SymmetricEigen eigen = symmetric_eigen(m, r + 1);
  return certified_sum(m, r, eigen.values[r], eigen);
}

double sum_of_largest_positive_eigenvalues(const Matrix& m, Index r) {
  const Index n = m.rows();
  if (n == 0) return 0;
  const ThreadScope alone(1);
  const SymmetricEigen eigen = symmetric_eigen(m, std::min(r + 1, n));
  return certified_sum(m, r, r < n ? std::max(eigen.values[r], 0.0) : 0.0, eigen);
}

double sum_of_largest(std::span<double> numbers, Index m) {
  const auto count = std::min(m, static_cast<Index>(numbers.size()));
  if (count <= 0) return 0;
  if (count < static_cast<Index>(numbers.size()))
    std::ranges::nth_element(numbers, numbers.begin() + (count - 1), std::greater{});
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += std::max(numbers[static_cast<std::size_t>(i)], 0.0);
  return sum;
}

}  // namespace spcart
