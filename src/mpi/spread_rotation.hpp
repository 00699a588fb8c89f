#pragma once

#include <span>
#include <vector>

#include "spcart/mpi.hpp"
#include "spcart/rotate.hpp"

namespace spcart::mpi {

/// rotate_and_truncate_all with the rows of V spread over the ranks: an iteration moves about 3 r^2
/// numbers from and to each rank, and for count and energy some 60 times 2 r more. V has at least
/// as many rows as there are ranks. Collective; the arguments and the results are the root's.
std::vector<RotationResult> spread_rotation(const Ranks& ranks, ConstBlock v,
                                            std::span<const RotateOptions> settings,
                                            const Tick& tick);

}  // namespace spcart::mpi
