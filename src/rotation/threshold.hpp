#pragma once

#include <span>
#include <vector>

#include "rotation/kernels.hpp"
#include "spcart/truncation.hpp"

namespace spcart {

/// Energies are sums: "at most lambda" holds up to their rounding, so that e.g. three of ten equal
/// entries are within 0.3.
inline constexpr double kEnergyRounding = 1e-12;

/// Relative distance from the guess within which the threshold is sought first.
inline constexpr double kGuessSpread = 0.06;

/// Entries of a vector that are not in z and are known to be zeroed.
struct LeftOut {
  std::size_t count = 0;
  double energy = 0;
};

/// The threshold of a truncation by count or energy, in linear time. `work` is scratch memory, kept
/// for the next call. `guess` is a size near the threshold, such as that of a similar vector: if it
/// is good, one sweep over z is enough. Zero means no guess. Entries may be missing in z: if the
/// threshold is not above them, the result is zero or wrong.
Threshold select(std::span<const double> z, const Truncation& truncation, std::vector<double>& work,
                 double guess = 0, const LeftOut& left = {});

}  // namespace spcart
