#pragma once

#include <span>

#include "rotation/kernels.hpp"
#include "rotation/row_partition.hpp"
#include "spcart/truncation.hpp"

namespace spcart {

/// `select` for all columns of Z at once, of which this rank has some rows: the same entries stay
/// as if all rows were together. The current thresholds are used as guesses; an infinite one stays.
void select_spread(const Matrix& z, const Truncation& truncation, const RowPartition& partition,
                   std::span<Threshold> thresholds);

}  // namespace spcart
