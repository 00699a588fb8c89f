#pragma once

#include "spcart/data.hpp"
#include "spcart/truncation.hpp"

namespace spcart {

/// What refining keeps of the numbers of nonzeros that it finds.
enum class Counts {
  each,  ///< the number of each component: only the place of its nonzeros moves
  total  ///< their sum: nonzeros also move between components, to where they explain most
};

/// `each` for count and hard, which fix how many or how small; `total` for soft and energy, whose
/// counts follow the data.
Counts counts_of(TruncationType type);

/// Moves the support of X to where it explains most of A. There are never more nonzeros than X has
/// (in sum, and with Counts::each in every component), and CPEV never falls: the best loadings seen
/// are returned, X itself among them. Columns have unit length; a zero column stays zero. A round
/// takes one product with A'A.
Loadings refine(const DataMatrix& a, const Loadings& x, Counts counts, Index rounds,
                const Tick& tick = {});

}  // namespace spcart
