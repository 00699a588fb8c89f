#pragma once

#include <functional>
#include <vector>

#include "pca/krylov.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {

/// The state of a solver, at the root: what it needs to continue from there.
struct SolverState {
  Matrix found;   ///< converged eigenvectors, p x k
  Vector values;  ///< their eigenvalues
  Vector residuals;
  Vector start;  ///< a vector with large parts of the wanted ones that are not found yet
  Index products = 0;
};

/// A symmetric positive semidefinite operator on vectors that are spread over ranks. The same on
/// all ranks, except for the functions of the root.
struct SpreadOperator {
  Index size = 0;
  double unit = 1;                   ///< about its norm: everything is divided by it
  const Vector* diagonal = nullptr;  ///< only its zeros matter: those variables have no loading

  /// y += this rank's share of the product with x, both complete vectors; not collective, may
  /// throw.
  std::function<void(const Vector& x, Vector& y)> add_product;

  std::function<void(double)> progress = {};             ///< may be called at any time
  std::function<void(const SolverState&)> restart = {};  ///< at the root, when the solver restarts
};

/// The leading eigenpairs by SLEPc's Krylov-Schur, with the same stopping test as
/// krylov_eigenpairs. Collective; `from` and the result are the root's. `most_products` counts
/// products with a vector.
Eigenpairs spread_eigenpairs(const Ranks& ranks, const SpreadOperator& a, Index r, double tolerance,
                             Index most_products, std::uint64_t seed, const SolverState& from);

/// Finalises SLEPc if it was initialised here: to be called before MPI is finalised.
void end_slepc();

}  // namespace spcart::mpi
