#pragma once

#include "spcart/data.hpp"
#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

/// The values that explain most on the support of X. Each round computes Y = A X (X'X)^-1,
/// regresses every column of A on those components of Y that are active in its row of X, and
/// normalises the columns. The cumulative percentage of explained variance (CPEV) never falls and
/// the support never grows. A round needs one product with A'A and p small linear systems.
Loadings refit(const DataMatrix& a, const Loadings& x, Index rounds, const Tick& tick = {});

}  // namespace spcart
