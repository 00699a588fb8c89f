#include "spcart/refit.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <utility>
#include <vector>

#include "spcart/criteria.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// The least-squares weights of one variable: G x = h, by its active components. Components that
/// repeat each other share the weight.
Vector solve(const Matrix& g, const Vector& h) {
  const Eigen::LDLT<Matrix> ldlt(g);
  if (ldlt.info() == Eigen::Success && ldlt.isPositive() && ldlt.rcond() > 1e-12)
    return ldlt.solve(h);
  return Eigen::CompleteOrthogonalDecomposition<Matrix>(g).solve(h);
}

/// One round: with B = X (X'X)^-1, A'Y = A'A B and Y'Y = B'A'A B are all that is needed of the data.
Loadings refit_once(const DataMatrix& a, const Loadings& x, const Tick& tick) {
  const Matrix gram = Matrix(x.transpose() * x);
  const Matrix inverse = Eigen::CompleteOrthogonalDecomposition<Matrix>(gram).pseudoInverse();
  const Matrix b = x * inverse;
  const Matrix aty = a.gram_times(b, tick);
  const Matrix yty = b.transpose() * aty;

  using ByRow = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
  ByRow rows = x;
#pragma omp parallel for schedule(dynamic, 64)
  for (Index j = 0; j < rows.rows(); ++j) {
    std::vector<Index> active;
    for (ByRow::InnerIterator it(rows, j); it; ++it) active.push_back(it.col());
    if (active.empty()) continue;
    const Vector h = aty.row(j)(active).transpose();
    const Vector values = solve(yty(active, active), h);
    Index k = 0;
    for (ByRow::InnerIterator it(rows, j); it; ++it) it.valueRef() = values[k++];
  }
  return normalized(Loadings(rows));
}

}  // namespace

Loadings refit(const DataMatrix& a, const Loadings& x, Index rounds, const Tick& tick) {
  if (x.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
  if (rounds < 0) throw Error(fmt::format("refit = {}: it must be at least 0", rounds));
  Loadings fitted = normalized(x);
  for (Index round = 0; round < rounds; ++round) {
    if (tick) tick(static_cast<double>(round) / static_cast<double>(rounds));
    fitted = refit_once(a, fitted, {});
  }
  return fitted;
}

}  // namespace spcart
