#include "pca/solver_costs.hpp"

#include <algorithm>
#include <cmath>

namespace spcart {

/// A decomposition of size m costs as much as 3 products of its size. Iterating takes 10 to 20
/// passes where the spectrum falls off, and 100 or more where it is flat, which cannot be known
/// beforehand: the geometric mean of both counts. The block that is multiplied in a pass grows with
/// the root of r, and the basis, of about 7 r vectors, must be kept orthonormal.
SolverCosts solver_costs(Index rows, Index cols, double entries, Index components) {
  constexpr double kProduct = 1.45e-11, kSparseProduct = 1e-9, kDecomposition = 4.5e-11,
                   kRead = 1e-8, kIterate = 1e-8, kBasis = 4.2e-8;
  const auto n = static_cast<double>(rows), p = static_cast<double>(cols);
  const auto r = static_cast<double>(components);
  const double m = std::min(n, p);
  const bool sparse = entries < n * p;
  return {.product =
              sparse ? kSparseProduct * entries * entries / std::max(n, p) : kProduct * n * p * m,
          .decomposition = kDecomposition * m * m * m,
          .read = kRead * entries,
          .iterate = kIterate * entries * std::sqrt(r),
          .basis = kBasis * p * r * r};
}

}  // namespace spcart
