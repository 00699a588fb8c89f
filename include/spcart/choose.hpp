#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

/// How to choose the number of components and the number of variables in each.
struct ChooseOptions {
  Index most = 20;          ///< maximum number of components to consider, at least 1
  Index permutations = 20;  ///< of parallel analysis, at least 1
  Index folds = 7;  ///< of cross-validation, 2 to n; variables are held out in this many parts too

  /// Random partitions over which cross-validation is repeated, so that the answer does not depend
  /// on a single one. 0: 200 000 divided by the n p numbers of the table, limited to 1 to 100.
  Index repeats = 0;

  /// Candidates of cross-validation. Empty: numbers of components as long as they help, and numbers
  /// of variables that grow by half or more, from one to all, with some more around the best.
  std::vector<Index> components = {};
  std::vector<Index> nonzeros = {};

  Effort effort = {};       ///< of the search, in each fit that measures the explained variance
  double overlap = 0.1;     ///< of the search, as in Options
  double tolerance = 1e-2;  ///< of SPCArt, as in Options
  Index max_iterations = 200;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;  ///< same seed, same choice
  Index threads = 0;       ///< 0: as many as OpenMP offers

  bool operator==(const ChooseOptions&) const = default;
};

/// The variances of the principal components beside those of meaningless components, all as
/// fractions of the total variance.
struct Scree {
  Vector variances;
  Vector broken_stick;  ///< expected lengths of the pieces of a stick that is broken at random
  Vector parallel;      ///< 95 % quantiles over tables whose columns are permuted
  Index by_broken_stick = 0, by_parallel = 0;  ///< components before the first that is not larger
};

/// One setting, and how well it predicts entries that were held out.
struct ValidationPoint {
  Index components = 0, nonzeros = 0;  ///< 0, 0: every entry is predicted by its variable's mean
  double error = 0;             ///< squared error, as a fraction of that of predicting by means
  double excess_deviation = 0;  ///< standard error of its difference from the least error

  bool operator==(const ValidationPoint&) const = default;
};

/// One answer: the number of components and the number of variables in each.
struct Recommendation {
  Index components = 0;  ///< 0: no structure, nothing rises above noise
  Index nonzeros = 0;    ///< of each component
  std::string when;      ///< when to prefer it, in one sentence
  std::vector<std::string> reasons;

  /// Variance explained by regression of the table on the scores, as a fraction of all variance;
  /// and the same for as many principal components. 0 if there are no components.
  double explained = 0, explained_by_pca = 0;

  /// Error of predicting held-out entries, as in ValidationPoint; NaN if cross-validation did not
  /// try it.
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// Two answers, to two questions.
struct Choice {
  Recommendation to_read;     ///< as many components as stand out, with few variables
  Recommendation to_predict;  ///< the choice of cross-validation
  std::string difference;     ///< why the two differ, in one sentence; empty if they agree

  // The same as in `to_predict`.
  Index components = 0;  ///< 0: no structure, nothing rises above noise
  Index nonzeros = 0;    ///< of each component
  std::vector<std::string> reasons;

  Scree scree;
  std::vector<ValidationPoint> held_out;  ///< by number of components, then of nonzeros
  Index least = 0;                        ///< index of the point with the least error
  Index chosen = 0;                       ///< index of the simplest point near it
  Index repeats = 0;                      ///< of cross-validation, as used

  std::vector<std::string> warnings;
};

/// Looks for structure in three ways. Gives two answers if both parallel analysis and
/// cross-validation find any.
///
/// To read: as many components as rise above both permuted data and the broken stick (at least one,
/// at most 10). Each has the fewest variables, at least two, that keep most of what as many
/// principal components explain: 90 % of the variance explained by regression on the scores and,
/// unless that needs more than 10 variables, half of the cumulative percentage of explained
/// variance (CPEV). If the answer to predict has the same number of components, with at most 10
/// variables each, it is the answer to read as well.
///
/// To predict: the fewest components whose error is within one standard error of the least error,
/// with the fewest variables that keep 98 % of their gain over prediction by means.
///
/// The samples must be in memory.
Choice choose(const DataMatrix& a, const ChooseOptions& options = {},
              const Observer& observer = {});

}  // namespace spcart
