#pragma once

#include <vector>

#include "spcart/criteria.hpp"

namespace spcart {

/// Permutes components, component i being order[i] before, each with the sign that makes its
/// largest entry positive, and changes `explained` accordingly. Returns the change as an r x r
/// matrix.
Loadings arrange(const std::vector<Index>& order, Loadings& x, Explained& explained);

}  // namespace spcart
