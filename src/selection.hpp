#pragma once

#include <span>
#include <vector>

#include "kernels.hpp"
#include "spcart/truncation.hpp"

namespace spcart {

/// What stays of z in a truncation by count or energy, in linear time. `work` is anything, kept for
/// the next call. `guess` is a size near the threshold, such as that of a similar vector: where it
/// serves, one sweep over z is enough. Zero for none.
Threshold select(std::span<const double> z, const Truncation& truncation, std::vector<double>& work,
                 double guess = 0);

}  // namespace spcart
