#pragma once

#include <optional>
#include <vector>

#include "spcart/fit.hpp"

namespace spcart {

struct PathOptions {
  std::vector<TruncationType> truncations = {TruncationType::hard};
  std::vector<Index> components = {2};
  std::optional<Index> points = {};  ///< of each type; default: 40, or as many lambdas as there are
  double keep = 0.95;                ///< share of PCA's CPEV that `Path::keep` is to keep
  double tolerance = 1e-2;           ///< of each fit
  Index max_iterations = 200;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;
  Index threads = 0;
};

/// One setting.
struct PathPoint {
  Truncation truncation;
  Index components = 0;
  Criteria criteria;
  Index iterations = 0;
  Status status = Status::not_run;
  double objective = 0;
  bool warm = false;  ///< it was found from the last point's rotation, not from varimax
};

struct Path {
  std::vector<PathPoint> points;  ///< by components, then by type, from dense to sparse

  // Places in `points`, among those of most components.
  std::size_t knee = 0;             ///< from where on sparsity costs most
  std::optional<std::size_t> keep;  ///< the fewest nonzeros that keep the share asked for

  Index variables = 0;
  Vector singular_values;
  double total_variance = 0;
  Solver solver = Solver::automatic;
  std::vector<std::string> warnings;
  double pca_seconds = 0, seconds = 0;
};

/// The whole trade-off between zeros and variance, from PCA itself to one variable a component, by
/// spcart from one basis. Each point is found from the last one's rotation and from varimax; the
/// better objective stays, unless the other explains clearly more.
Path path(const DataMatrix& a, const PathOptions& options = {}, const Observer& observer = {});

/// The same from a basis of `a` that is at hand, with at least as many vectors as components.
Path path(const DataMatrix& a, const Basis& basis, const PathOptions& options,
          const Observer& observer = {});

/// The basis that `path` takes for these options.
Basis basis_for(const DataMatrix& a, const PathOptions& options, const Observer& observer = {});

}  // namespace spcart
