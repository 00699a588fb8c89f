#pragma once

#include <optional>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

struct PathOptions {
  std::vector<TruncationType> truncations = {TruncationType::hard};
  std::vector<Index> components = {2};
  std::optional<Index> points = {};  ///< of each type, 2 to 10000; default: 40, or as many lambdas
                                     ///< as there are
  double keep = 0.95;                ///< share of PCA's CPEV that `Path::keep` is to keep
  Effort effort = {};    ///< of the search: at each point a quarter of a fit's, or a time for all
  double overlap = 0.1;  ///< search: largest mean |cos| between components, 0 to 1
  double tolerance = 1e-2;  ///< of each fit
  Index max_iterations = 200;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;
  Index threads = 0;
};

/// One answer.
struct PathPoint {
  Truncation truncation;  ///< what leads to it, or to what the search started from
  Index components = 0;
  Criteria criteria;
  Index iterations = 0;
  Status status = Status::not_run;
  double objective = 0;
  bool warm = false;      ///< it was found from the last point's rotation, not from varimax
  bool searched = false;  ///< a search explains more than what lambda leads to
  Loadings loadings;      ///< p x r, of unit length; empty components are zero
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

/// The whole trade-off between zeros and variance, from PCA itself to one variable per component,
/// from one basis: the best answer that is known at each number of nonzeros. Points that others
/// beat are left out, so that of one type the variance falls with the nonzeros.
///
/// spcart finds each point from the last one's rotation and from varimax, of which the better
/// objective stays, unless the other explains clearly more. Unless effort is none, a search goes on
/// from there: with truncation count at the same number in each component, with the others at about
/// equal factors of their sum.
Path path(const DataMatrix& a, const PathOptions& options = {}, const Observer& observer = {});

/// The same from a basis of `a` that is at hand, with at least as many vectors as components.
Path path(const DataMatrix& a, const Basis& basis, const PathOptions& options,
          const Observer& observer = {});

/// The basis that `path` takes for these options.
Basis basis_for(const DataMatrix& a, const PathOptions& options, const Observer& observer = {});

}  // namespace spcart
