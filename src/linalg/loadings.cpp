#include "spcart/loadings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spcart/error.hpp"

namespace spcart {

Loadings normalized(const Loadings& x) {
  Loadings unit = x.pruned(0.0, 0.0);
  for (Index i = 0; i < unit.cols(); ++i) {
    // Scaled first, so that the squares of very large or small entries are finite.
    double largest = 0;
    for (Loadings::InnerIterator it(unit, i); it; ++it)
      largest = std::max(largest, std::abs(it.value()));
    if (largest == 0) continue;
    if (!std::isfinite(largest))
      throw Error(fmt::format("loadings: component {} has a value that is not finite", i + 1));
    unit.col(i) /= largest;
    unit.col(i) /= unit.col(i).norm();
  }
  return unit;
}

double sign_of_largest(std::span<const double> values) {
  constexpr double kAsLarge = 1 - 1e-9;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  for (const double value : values)
    if (std::abs(value) >= kAsLarge * largest) return value < 0 ? -1 : 1;
  return 1;
}

}  // namespace spcart
