#pragma once

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/truncation.hpp"

namespace SPCART_EXPORT spcart {

/// What refining preserves of the numbers of nonzeros.
enum class Counts {
  each,  ///< the number of each component: only the positions of its nonzeros change
  total  ///< their sum: nonzeros also move between components, to where they explain most
};

/// `each` for count, which fixes the number of each component; `total` for the other truncations,
/// whose numbers follow the data.
Counts counts_of(TruncationType type);

/// Moves the support of X to where it explains most of A: `rounds` rounds that let entries enter
/// and leave under a penalty, and at most as many that exchange entries one by one. There are never
/// more nonzeros than X has (in total and, with Counts::each, in every component), and the
/// cumulative percentage of explained variance (CPEV) never falls: X itself is returned if nothing
/// better was found. Columns have unit length, zero columns stay zero, and components that overlap
/// are gently pulled apart. A round needs one product with A'A.
Loadings refine(const DataMatrix& a, const Loadings& x, Counts counts, Index rounds,
                const Tick& tick = {});

}  // namespace spcart
