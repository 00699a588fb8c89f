#include "improve/small_pencil.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>

#include "base/at.hpp"

namespace spcart {
namespace {

/// On the stack and without calls to BLAS: these matrices have a few rows.
using Small = std::array<std::array<double, kMostSmall>, kMostSmall>;
using SmallVector = std::array<double, kMostSmall>;

/// The lower half of s B - M as L D L', in place; false if a pivot vanishes, or is not positive
/// although `positive`.
bool factor(const Matrix& m, const Matrix& b, double s, bool positive, Small& l) {
  const Index k = m.rows();
  for (Index j = 0; j < k; ++j) {
    for (Index i = j; i < k; ++i) l[at(i)][at(j)] = s * b(i, j) - m(i, j);
    for (Index c = 0; c < j; ++c) {
      const double weight = l[at(j)][at(c)] * l[at(c)][at(c)];
      for (Index i = j; i < k; ++i) l[at(i)][at(j)] -= l[at(i)][at(c)] * weight;
    }
    const double pivot = l[at(j)][at(j)];
    if (positive ? !(pivot > 0) : !(std::abs(pivot) > 0)) return false;
    for (Index i = j + 1; i < k; ++i) l[at(i)][at(j)] /= pivot;
  }
  return true;
}

void solve(const Small& l, Index k, SmallVector& y) {
  for (Index i = 0; i < k; ++i)
    for (Index c = 0; c < i; ++c) y[at(i)] -= l[at(i)][at(c)] * y[at(c)];
  for (Index i = k; i-- > 0;) {
    y[at(i)] /= l[at(i)][at(i)];
    for (Index c = i + 1; c < k; ++c) y[at(i)] -= l[at(c)][at(i)] * y[at(c)];
  }
}

struct Products {
  double xmx = 0, xbx = 0;
  SmallVector bx{};
};
Products products(const Matrix& m, const Matrix& b, const SmallVector& x) {
  const Index k = m.rows();
  Products p;
  for (Index j = 0; j < k; ++j) {
    double mx = 0, bx = 0;
    for (Index i = 0; i < k; ++i) {
      mx += m(i, j) * x[at(i)];
      bx += b(i, j) * x[at(i)];
    }
    p.bx[at(j)] = bx;
    p.xmx += x[at(j)] * mx;
    p.xbx += x[at(j)] * bx;
  }
  return p;
}

/// From the guess; false if that does not lead to an eigenvector, or not to the leading one.
bool iterate(const Matrix& m, const Matrix& b, Vector& x, double& value) {
  constexpr int kMostSteps = 8;
  constexpr double kConverged = 1e-14, kMargin = 1e-10;
  const Index k = m.rows();
  SmallVector y{};
  for (Index i = 0; i < k; ++i) y[at(i)] = x[i];
  Products p = products(m, b, y);
  if (!(p.xbx > 0) || !(p.xmx > 0)) return false;
  value = p.xmx / p.xbx;
  Small l;
  bool converged = false;
  for (int step = 0; step < kMostSteps && !converged; ++step) {
    // A little above the value, at which the matrix is singular.
    if (!factor(m, b, value * (1 + kConverged), false, l)) return false;
    y = p.bx;
    solve(l, k, y);
    double length = 0;
    for (Index i = 0; i < k; ++i) length += y[at(i)] * y[at(i)];
    length = std::sqrt(length);
    if (!(length > 0) || !std::isfinite(length)) return false;
    for (Index i = 0; i < k; ++i) y[at(i)] /= length;
    p = products(m, b, y);
    const double next = p.xmx / p.xbx;
    converged = std::abs(next - value) <= 4 * kConverged * value;
    value = next;
  }
  if (!converged || !factor(m, b, value * (1 + kMargin), true, l)) return false;
  for (Index i = 0; i < k; ++i) x[i] = y[at(i)];
  return true;
}

}  // namespace

double leading_pair(const Matrix& m, const Matrix& b, Vector& x) {
  if (m.rows() == 1) {
    x[0] = 1;
    return m(0, 0) / b(0, 0);
  }
  double value = 0;
  if (iterate(m, b, x, value)) return value;
  const Eigen::LLT<Matrix> chol(b);
  if (chol.info() == Eigen::Success) {
    Matrix c = chol.matrixL().solve(m);
    c = chol.matrixL().solve(c.transpose()).eval();
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen((c + c.transpose()) / 2);
    Vector y = eigen.eigenvectors().col(m.rows() - 1);
    chol.matrixU().solveInPlace(y);
    if (const double length = y.norm(); length > 0 && std::isfinite(length)) x = y / length;
  }
  const double bottom = x.dot(b * x);
  return bottom > 0 ? x.dot(m * x) / bottom : 0;
}

}  // namespace spcart
