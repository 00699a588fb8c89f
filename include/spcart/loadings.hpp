#pragma once

#include <span>

#include "spcart/types.hpp"

namespace spcart {

/// X with columns of unit length; zero columns stay zero, and stored zeros are dropped.
Loadings normalized(const Loadings& x);

/// The sign of the largest entry, 1 or -1: what a component is multiplied by to make it positive.
/// Of entries that are as large up to rounding the first decides.
double sign_of_largest(std::span<const double> values);

}  // namespace spcart
