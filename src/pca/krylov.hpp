#pragma once

#include "spcart/pca.hpp"

namespace spcart {

/// Leading eigenpairs of A'A, of which only products with blocks are needed.
struct KrylovResult {
  Matrix vectors;    ///< orthonormal columns
  Vector values;     ///< largest first
  Vector residuals;  ///< |A'A v - value v|, as far as products are exact
  bool converged = false;
  Index passes = 0;   ///< over the data
  Index columns = 0;  ///< that were multiplied in them
};

/// Block Lanczos with full orthogonalisation and thick restarts: the basis grows by A'A times its
/// last block until memory or convergence ends it, then goes on from its best Ritz vectors.
/// Converged vectors stay in the basis and are not multiplied again.
/// Where `hasty`, it gives up as soon as the passes that it may take will hardly be enough.
KrylovResult krylov_eigenpairs(const DataMatrix& a, Index r, const PcaOptions& options,
                               const Tick& tick, bool hasty = false);

/// How many columns krylov_eigenpairs multiplies in a pass.
Index krylov_block(const DataMatrix& a, Index r);

}  // namespace spcart
