#pragma once

#include <functional>
#include <vector>

#include "pca/krylov.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {

/// How far a solver has come, at the root: what it needs to go on from there.
struct SolverState {
  Matrix found;   ///< eigenvectors that need no more work, p x k
  Vector values;  ///< their eigenvalues
  Vector residuals;
  Vector start;  ///< a vector in which the wanted ones that are not found yet are strong
  Index products = 0;
};

/// A symmetric positive semidefinite operator on vectors that are spread over ranks. All ranks have
/// the same, but for the functions of the root.
struct SpreadOperator {
  Index size = 0;
  double unit = 1;                   ///< about its norm: all is divided by it
  const Vector* diagonal = nullptr;  ///< of which only zeros count: those variables have no part

  /// y += this rank's share of the product with x, both whole; not collective, may throw.
  std::function<void(const Vector& x, Vector& y)> add_product;

  std::function<void(double)> progress = {};             ///< may be called at any time
  std::function<void(const SolverState&)> restart = {};  ///< at the root, when the solver restarts
};

/// The leading eigenpairs by SLEPc's Krylov-Schur, to the same stop test as krylov_eigenpairs.
/// Collective; `from` and the result are the root's. `most_products` counts products with a vector.
Eigenpairs spread_eigenpairs(const Ranks& ranks, const SpreadOperator& a, Index r, double tolerance,
                             Index most_products, std::uint64_t seed, const SolverState& from);

/// Ends SLEPc where it was begun: before MPI ends.
void end_slepc();

}  // namespace spcart::mpi
