#pragma once

#include <vector>

#include "base/at.hpp"
#include "spcart/types.hpp"

namespace spcart {

using Indices = std::vector<Index>;

/// The indices of the `count` largest values, or of all if there are fewer, in ascending order; of
/// equal ones the first.
Indices indices_of_largest(const Vector& values, Index count);

}  // namespace spcart
