#pragma once

#include <vector>

#include "spcart/path.hpp"

namespace spcart {

/// Nonzeros of all components together.
Index nonzeros_of(const PathPoint& point);

/// The points that no other dominates, from dense to sparse: each has fewer nonzeros than the one
/// before it, and explains more than all that have no more nonzeros.
std::vector<PathPoint> undominated(std::vector<PathPoint> points);

/// The best known points at numbers of nonzeros from all to one per component, for one truncation
/// type and number of components: a search at each, from what rotation and truncation found there
/// (`points`, from dense to sparse) and from the answer before it.
std::vector<PathPoint> searched(const DataMatrix& a, const Basis& basis,
                                std::vector<PathPoint> points, const PathOptions& options,
                                const Tick& tick);

/// The index, counted from `first`, of the point farthest above the straight line between the
/// densest and the sparsest, with nonzeros on a logarithmic scale.
std::size_t knee_of(const std::vector<PathPoint>& points, std::size_t first);

}  // namespace spcart
