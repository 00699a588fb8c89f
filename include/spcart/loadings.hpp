#pragma once

#include <span>

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// How X came about: what the propositions on single loadings assume.
enum class Origin {
  rotated_basis,  ///< each loading is the truncation of a column of Z = V R', at unit length
  unit_vectors,   ///< of unit vectors that are not orthonormal, or not kept
  support,        ///< changed since, but nonzero at most where a truncation as above left something
  other           ///< anything else
};

/// X with columns of unit length; zero columns stay zero, and stored zeros are dropped.
Loadings normalized(const Loadings& x);

/// The sign of the largest entry, 1 or -1: what a component is multiplied by to make it positive.
/// Of entries that are as large up to rounding the first decides.
double sign_of_largest(std::span<const double> values);

}  // namespace spcart
