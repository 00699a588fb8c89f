#pragma once

#include "spcart/pca.hpp"

namespace spcart {

/// Leading eigenpairs of A'A, of which only products with blocks are needed.
struct KrylovResult {
  Matrix vectors;  ///< orthonormal columns
  Vector values;   ///< largest first
  bool converged = false;
  Index passes = 0;
};

/// Block Lanczos with full orthogonalisation and thick restarts: the basis grows by A'A times its
/// last block until memory or convergence ends it, then goes on from its best Ritz vectors.
KrylovResult krylov_eigenpairs(const DataMatrix& a, Index r, const PcaOptions& options,
                               const Tick& tick);

}  // namespace spcart
