#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/solver.hpp"

namespace SPCART_EXPORT spcart {

/// The solver that `automatic` stands for, given the number of components and of stored numbers:
/// the one that should be fastest. If the rows are spread over ranks, every solver spreads its
/// products. The decomposition of a Gram matrix (gram, outer) and the basis of block Lanczos
/// (krylov) stay at the root, while slepc spreads its basis too but multiplies one vector at a
/// time.
Solver chosen_solver(Index rows, Index cols, double entries, Index components, int ranks = 1);

struct PcaOptions {
  Solver solver = Solver::automatic;
  double tolerance =
      1e-8;  ///< krylov, slepc: stop at |A'A v - s^2 v| <= tolerance * s_1^2 for each v
  Index max_passes = 500;  ///< krylov, slepc: maximum number of passes over the data
  std::uint64_t seed = 0;  ///< krylov, slepc: seed of the starting block
};

/// The first r right singular vectors of A.
struct Basis {
  Matrix vectors;             ///< V, p x r, orthonormal, largest entry of each column positive
  Vector singular_values;     ///< s_1 >= s_2 >= ... >= 0; zero beyond the numerical rank
  Vector residuals;           ///< |A'A v_i - s_i^2 v_i| / s_1^2, as measured
  double total_variance = 0;  ///< |A|_F^2
  Index rank = 0;  ///< columns of V within the numerical rank; the others complete the basis
  Solver solver = Solver::automatic;  ///< the one that was used
  std::shared_ptr<const Matrix>
      gram;  ///< A'A, if it was formed and is small, so that it is not formed again
  std::vector<std::string> warnings;
  double seconds = 0;  ///< spent to compute or read it, including A'A formed during preparation

  double cpev() const;  ///< the fraction of the total variance that V explains
};

/// r may be as large as min(n, p), also beyond the numerical rank of A: then V is completed to an
/// orthonormal basis, and a warning says so.
Basis principal_basis(const DataMatrix& a, Index r, const PcaOptions& options = {},
                      const Tick& tick = {});

/// Throws Error if it is not a basis for this many components of `a`.
void check(const Basis& basis, const DataMatrix& a, Index components);

/// How many components of a basis are needed to explain this fraction of the variance: one more
/// than it has if they do not suffice.
Index components_explaining(const Basis& basis, double fraction);

/// A basis with that many components, or all that the data has.
Basis basis_explaining(const DataMatrix& a, double fraction, const PcaOptions& options = {},
                       const Tick& tick = {});

}  // namespace spcart
