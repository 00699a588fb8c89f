#pragma once

#include <optional>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

struct PathOptions {
  std::vector<TruncationType> truncations = {TruncationType::hard};
  std::vector<Index> components = {2};
  std::optional<Index> points = {};  ///< of each type, 2 to 10000; default: 40, or the number of
                                     ///< possible lambdas if that is smaller
  double keep = 0.95;  ///< share of PCA's CPEV (cumulative percentage of explained variance) that
                       ///< `Path::keep` keeps
  Effort effort = {};  ///< of the search: a quarter of a fit's per point, or a time for all points
  std::optional<double> certify = {};  ///< seconds to bound what is possible at each point
  double overlap = 0.1;                ///< search: maximum mean |cos| between components, 0 to 1
  double tolerance = 1e-2;             ///< of each fit
  Index max_iterations = 200;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;
  Index threads = 0;
};

/// One point of the trade-off.
struct PathPoint {
  Truncation truncation;  ///< that leads to it, or to the start of its search
  Index components = 0;
  Criteria criteria;
  Index iterations = 0;
  Status status = Status::not_run;
  double objective = 0;
  bool warm = false;            ///< found from the last point's rotation, not from varimax
  bool searched = false;        ///< a search found more explained variance than lambda alone
  std::optional<double> bound;  ///< no orthogonal components with as few nonzeros explain more of
                                ///< all variance; if it was asked for
  Loadings loadings;            ///< p x r, of unit length; empty components are zero
};

struct Path {
  std::vector<PathPoint> points;  ///< by components, then by type, from dense to sparse

  // Indices into `points`, among those with the most components.
  std::size_t knee = 0;             ///< from here on sparsity costs most
  std::optional<std::size_t> keep;  ///< the fewest nonzeros that keep the requested share

  Index variables = 0;
  Vector singular_values;
  double total_variance = 0;
  Solver solver = Solver::automatic;
  std::vector<std::string> warnings;
  double pca_seconds = 0, seconds = 0;
};

/// The whole trade-off between zeros and variance, from PCA itself to one variable per component,
/// from one basis: the best known answer at each number of nonzeros. Dominated points are left out,
/// so that the variance of one type falls with the number of nonzeros.
///
/// spcart computes each point both from the last point's rotation and from varimax, and keeps the
/// one with the better objective, unless the other explains clearly more. Unless effort is none, a
/// search continues from there: for truncation count with the same number of nonzeros in each
/// component, for the others at sums of nonzeros that differ by about equal factors.
Path path(const DataMatrix& a, const PathOptions& options = {}, const Observer& observer = {});

/// The same from a given basis of `a`, with at least as many vectors as components.
Path path(const DataMatrix& a, const Basis& basis, const PathOptions& options,
          const Observer& observer = {});

/// The basis that `path` computes for these options.
Basis basis_for(const DataMatrix& a, const PathOptions& options, const Observer& observer = {});

}  // namespace spcart
