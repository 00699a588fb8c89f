#pragma once

#include <vector>

#include "spcart/fit.hpp"

namespace spcart {

/// The loadings of `result`, or better ones, by the effort of its options: with as many nonzeros as
/// its target says, or, where a share of PCA's variance is to be kept, with as few as keep it.
Loadings search_from(const DataMatrix& a, const Basis& basis, const Result& result,
                     const Tick& tick);

/// Whether there is room to search from these loadings: not where they use very many variables of a
/// table with many samples.
bool can_search(const DataMatrix& a, const Loadings& x);

/// So many nonzeros in nearly equal parts, each at least 1.
std::vector<Index> in_parts(Index total, Index parts);

/// How much variables promise to a search: by what r principal components have of each, and by how
/// it varies itself.
Vector promise_of(const DataMatrix& a, const Basis& basis, Index r);

}  // namespace spcart
