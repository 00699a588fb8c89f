#pragma once

#include "spcart/choose.hpp"

namespace spcart {

/// The share of the k-th longest of `pieces` parts of a stick that is broken at random, k = 1, ...,
/// count: (1/k + 1/(k + 1) + ... + 1/pieces) / pieces.
Vector broken_stick(Index pieces, Index count);

/// Variances of the principal components of a basis and what they are compared with.
Scree scree(const DataMatrix& a, const Basis& basis, const ChooseOptions& options,
            const Observer& observer);

}  // namespace spcart
