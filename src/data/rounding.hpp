#pragma once

#include "spcart/data.hpp"

namespace spcart {

/// How far A'A as it is computed may be from the exact one: |error_ij| <= e |a_i| |a_j|, for the
/// columns a_j of A in a mean over all variables, so that tr(P error) <= e sqrt(r) |A|_F^2 for
/// every projection P of rank r. 0 for a covariance matrix, which is given as it is.
double moments_rounding(const DataMatrix& a);

}  // namespace spcart
