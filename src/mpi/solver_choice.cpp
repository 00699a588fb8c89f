#include <algorithm>

#include "pca/solver_costs.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {

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

}  // namespace spcart::mpi
