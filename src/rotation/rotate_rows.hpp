#pragma once

#include <span>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "rotation/basis_panels.hpp"
#include "rotation/row_partition.hpp"
#include "spcart/rotate.hpp"

namespace spcart {

/// rotate_and_truncate_all of a V that is known to be orthonormal. If only some of its rows are
/// here, every rank gets the same result except for the loadings, which are those of its own rows.
SPCART_EXPORT_TO_MPI std::vector<RotationResult> rotate_rows(
    const BasisPanels& rows, const RowPartition& partition, std::span<const RotateOptions> settings,
    const Tick& tick);

/// Throws Error if the basis or an option is not valid for rotate_and_truncate_all.
SPCART_EXPORT_TO_MPI void check_rotation(ConstBlock v, std::span<const RotateOptions> settings);

/// varimax_rotation of such a V.
Matrix varimax_of_rows(const BasisPanels& rows, const RowPartition& partition, const Tick& tick);

/// Calls the tick on all ranks; if it throws on one rank, it throws on all.
void tick_on_all(const Tick& tick, double fraction, const RowPartition& partition);

}  // namespace spcart
