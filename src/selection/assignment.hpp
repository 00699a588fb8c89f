#pragma once

#include <vector>

#include "spcart/types.hpp"

namespace spcart {

/// Assigns each row of a square matrix a column of its own so that the sum of their weights is
/// largest. O(r^3).
std::vector<Index> best_assignment(ConstBlock weights);

}  // namespace spcart
