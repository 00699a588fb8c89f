#pragma once

#include <vector>

#include "spcart/fit.hpp"

namespace spcart {

/// The loadings of `result`, or better ones, with the effort of its options: with as many nonzeros
/// as its target says or, if a share of PCA's variance is to be kept, with as few as keep it.
Loadings search_from(const DataMatrix& a, const Basis& basis, const Result& result,
                     const Tick& tick);

/// Whether a search from these loadings fits in memory: not if they use very many variables of a
/// table with many samples.
bool can_search(const DataMatrix& a, const Loadings& x);

/// This many nonzeros in nearly equal parts, each at least 1.
std::vector<Index> in_parts(Index total, Index parts);

/// How promising variables are for a search: from their loadings in r principal components, and
/// from their own variance.
Vector promise_of(const DataMatrix& a, const Basis& basis, Index r);

}  // namespace spcart
