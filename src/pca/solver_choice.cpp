#include <algorithm>
#include <cmath>

#include "spcart/pca.hpp"

namespace spcart {
namespace {

/// A Gram matrix with more rows than this does not fit in ordinary memory.
constexpr Index kLargestGram = 30000;

/// The estimated times of the parts of a solver. The constants are seconds, measured on two cores
/// for tables of 200 to 30000 rows and columns; only their ratios matter.
struct SolverCosts {
  double product = 0;        ///< to form the Gram matrix of the smaller side
  double decomposition = 0;  ///< of that Gram matrix
  double read = 0;           ///< to read the table once
  double iterate = 0;        ///< passes of block Lanczos
  double basis = 0;          ///< to keep its basis orthonormal
};

/// A decomposition of size m costs as much as 3 products of its size. Iterating needs 10 to 20
/// passes if the spectrum decays, and 100 or more if it is flat, which is not known beforehand: the
/// geometric mean is used. The block that is multiplied in a pass grows with the square root of r,
/// and the basis, of about 7 r vectors, must be kept orthonormal.
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

}  // namespace

Solver chosen_solver(Index rows, Index cols, double entries, Index components, int ranks) {
  // Passes with one vector each: measured, on a sparse table of 20000 variables.
  constexpr double kSingleVectors = 4;
  const SolverCosts cost = solver_costs(rows, cols, entries, components);
  const double krylov = cost.iterate / ranks + cost.basis;
  const double slepc = (kSingleVectors * cost.iterate + cost.basis) / ranks;
  const double direct = (cost.product + cost.read) / ranks + cost.decomposition;
  if (std::min(rows, cols) <= kLargestGram && direct <= std::min(krylov, slepc))
    return cols <= rows ? Solver::gram : Solver::outer;
  return krylov <= slepc ? Solver::krylov : Solver::slepc;
}

}  // namespace spcart
