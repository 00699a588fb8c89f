#include "spcart/refit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "base/reject.hpp"
#include "linalg/lapack.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// Loadings that change by less than this have converged.
constexpr double kUnchanged = 1e-14;

/// One round: with B = X (X'X)^-1, only A'Y = A'A B and Y'Y = B'A'A B are needed from the data.
Loadings refit_once(const DataMatrix& a, const Loadings& x, const Tick& tick) {
  const Matrix b = x * inverse_semidefinite(Matrix(x.transpose() * x));
  const Matrix aty = a.gram_times(b, tick);
  const Matrix yty = b.transpose() * aty;

  using ByRow = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
  ByRow rows = x;
  constexpr Index kLines = 64;  // variables that a thread takes at a time
  const Index parts = (rows.rows() + kLines - 1) / kLines;
  parallel_for(parts, x.nonZeros() > kWorthThreads / kLines, [&](Index part) {
    std::vector<Index> active;
    for (Index j = part * kLines; j < std::min((part + 1) * kLines, rows.rows()); ++j) {
      active.clear();
      for (ByRow::InnerIterator it(rows, j); it; ++it) active.push_back(it.col());
      if (active.empty()) continue;
      const Vector values = solve_semidefinite(yty(active, active), aty.row(j)(active).transpose());
      Index k = 0;
      for (ByRow::InnerIterator it(rows, j); it; ++it) it.valueRef() = values[k++];
    }
  });
  return normalized(Loadings(rows));
}

}  // namespace

Loadings refit(const DataMatrix& a, const Loadings& x, Index rounds, const Tick& tick) {
  if (x.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
  if (rounds < 0) reject("refit", rounds, "it must be at least 0");
  Loadings fitted = normalized(x);
  for (Index round = 0; round < rounds; ++round) {
    const Tick within = [&](double fraction) {
      if (tick) tick((static_cast<double>(round) + fraction) / static_cast<double>(rounds));
    };
    Loadings next = refit_once(a, fitted, within);
    const double change = (next - fitted).norm();
    fitted.swap(next);
    if (change < kUnchanged) break;
  }
  return fitted;
}

}  // namespace spcart
