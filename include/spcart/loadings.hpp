#pragma once

#include <span>

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// How X was computed, on which the propositions on single loadings depend.
enum class Origin {
  rotated_basis,  ///< each loading is the truncation of a column of Z = V R', at unit length
  unit_vectors,   ///< as above, but from unit vectors that are not orthonormal, or not kept
  support,        ///< changed since, but nonzero only where such a truncation left something
  other           ///< anything else
};

/// X with columns of unit length; zero columns stay zero, and stored zeros are dropped.
Loadings normalized(const Loadings& x);

/// The sign of the largest entry, 1 or -1: multiplying by it makes that entry positive. Among
/// entries that are equal up to rounding, the first counts.
double sign_of_largest(std::span<const double> values);

}  // namespace spcart
