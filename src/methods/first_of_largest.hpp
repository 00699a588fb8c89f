#pragma once

#include <cmath>

#include "spcart/types.hpp"

namespace spcart {

/// The index of the largest value. Values that are this near to it, relative to it, count as equal,
/// because deflation leaves rounding: the first of them is taken.
inline Index first_of_largest(const Vector& values) {
  constexpr double kTie = 1e-9;
  const double largest = values.maxCoeff(), enough = largest - kTie * std::abs(largest);
  Index j = 0;
  while (values[j] < enough) ++j;
  return j;
}

}  // namespace spcart
