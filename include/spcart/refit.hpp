#pragma once

#include "spcart/data.hpp"
#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

/// The values that explain most on the support of X. Each round takes Y = A X (X'X)^-1, regresses
/// every column of A on those components of Y that are active in its row of X, and gives the
/// columns unit length again. The explained variance (CPEV) never falls and the support never
/// grows. One product with A'A and p small solves a round.
Loadings refit(const DataMatrix& a, const Loadings& x, Index rounds, const Tick& tick = {});

}  // namespace spcart
