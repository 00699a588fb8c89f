#pragma once

#include <vector>

#include "spcart/criteria.hpp"

namespace spcart {

/// Puts components into an order, component i being order[i] before, each with the sign that makes
/// its largest entry positive, and changes what is known of them likewise. Returns the r x r
/// change.
Loadings arrange(const std::vector<Index>& order, Loadings& x, Explained& explained);

}  // namespace spcart
