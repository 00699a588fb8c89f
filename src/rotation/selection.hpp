#pragma once

#include <span>
#include <vector>

#include "rotation/kernels.hpp"
#include "spcart/truncation.hpp"

namespace spcart {

/// Entries of a vector that are known to be zeroed, whatever they are.
struct LeftOut {
  std::size_t count = 0;
  double energy = 0;
};

/// What stays of z in a truncation by count or energy, in linear time. `work` is anything, kept for
/// the next call. `guess` is a size near the threshold, such as that of a similar vector: where it
/// serves, one sweep over z is enough. Zero for none. Entries may be missing in z: where the
/// threshold is not above them it is zero, or wrong.
Threshold select(std::span<const double> z, const Truncation& truncation, std::vector<double>& work,
                 double guess = 0, const LeftOut& left = {});

}  // namespace spcart
