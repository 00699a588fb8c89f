#include "selection/choice_to_read.hpp"

#include <algorithm>
#include <cmath>

#include "base/progress.hpp"
#include "spcart/criteria.hpp"

namespace spcart {
namespace {

/// Maximum number of components, and of variables in one: more are hard to read.
constexpr Index kMostToRead = 10;

/// What `fit` explains with this many components and variables, as fractions of all variance: the
/// same fit that is recommended to the user.
struct FitVariance {
  double by_scores = 0;  ///< if the table is regressed on the scores
  double in_span = 0;    ///< CPEV (cumulative percentage of explained variance)
};

FitVariance explained(const DataMatrix& a, const Basis& basis, Index components, Index nonzeros,
                      const ChooseOptions& options, const Tick& tick) {
  Options wanted{.components = components,
                 .nonzeros = nonzeros,
                 .effort = options.effort,
                 .overlap = options.overlap,
                 .tolerance = options.tolerance,
                 .max_iterations = options.max_iterations,
                 .seed = options.seed};
  const Result result = fit(a, basis, wanted, observer_of(tick));
  return {variance_by_scores(a, result.loadings, tick) / a.squared_norm(), result.criteria.cpev};
}

double explained_by_pca(const DataMatrix& a, const Basis& basis, Index components) {
  return basis.singular_values.head(components).squaredNorm() / a.squared_norm();
}

}  // namespace

Index components_to_read(const Scree& scree) {
  if (scree.by_parallel == 0) return 0;
  return std::clamp<Index>(std::min(scree.by_parallel, scree.by_broken_stick), 1, kMostToRead);
}

Index variables_to_read(const DataMatrix& a, const Basis& basis, Index components,
                        const ChooseOptions& options, const Tick& tick) {
  constexpr double kByScores = 0.9, kInSpan = 0.5, kGrowth = 1.5;
  const double pca = explained_by_pca(a, basis, components);
  const Index all = a.cols();
  // The scores of two variables may explain nearly all of a block that they represent. To show what
  // a component consists of, it also holds half of the variance, if a few variables can do that.
  const auto is_enough = [&](Index k) {
    if (k >= all) return true;
    const FitVariance found = explained(a, basis, components, k, options, tick);
    return found.by_scores >= kByScores * pca &&
           (k >= kMostToRead || found.in_span >= kInSpan * pca);
  };
  const auto more = [&](Index k) {
    return std::min(all, static_cast<Index>(std::lround(kGrowth * static_cast<double>(k))));
  };
  // A component of one variable is that variable. The explained variance need not be monotonic in
  // the number of variables: a number that suffices by chance is skipped if the next does not.
  Index too_few = 1, size = std::min<Index>(2, all);
  bool reached = is_enough(size);
  while (size < all) {
    const Index next = more(size);
    const bool next_reached = is_enough(next);
    if (reached && next_reached) break;
    too_few = size;
    size = next;
    reached = next_reached;
  }
  while (size - too_few > 1) {
    const Index middle = (too_few + size) / 2;
    (is_enough(middle) ? size : too_few) = middle;
  }
  return size;
}

bool is_readable(const Recommendation& to_predict, const Recommendation& to_read) {
  return to_predict.components == to_read.components && to_predict.nonzeros >= to_read.nonzeros &&
         to_predict.nonzeros <= kMostToRead;
}

void measure(const DataMatrix& a, const Basis& basis, const ChooseOptions& options,
             Recommendation& recommendation, const Tick& tick) {
  const Index r = recommendation.components, k = recommendation.nonzeros;
  if (r == 0) return;
  recommendation.explained_by_pca = explained_by_pca(a, basis, r);
  recommendation.explained = k < a.cols() ? explained(a, basis, r, k, options, tick).by_scores
                                          : recommendation.explained_by_pca;
}

}  // namespace spcart
