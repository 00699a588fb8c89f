#pragma once

#include "base/export_to_mpi.hpp"
#include "data/execution.hpp"
#include "spcart/data.hpp"

namespace spcart {

/// Block Lanczos with full orthogonalisation and thick restarts: the basis grows by A'A times its
/// last block until memory or convergence ends it, then continues from its best Ritz vectors.
/// Converged vectors stay in the basis and are not multiplied again. If `hasty`, it gives up as
/// soon as the allowed passes will hardly be enough.
Eigenpairs krylov_eigenpairs(const DataMatrix& a, Index r, const EigenOptions& options,
                             const Tick& tick, bool hasty = false);

/// Number of columns that krylov_eigenpairs multiplies in a pass.
SPCART_EXPORT_TO_MPI Index krylov_block(const DataMatrix& a, Index r);

}  // namespace spcart
