#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

/// How to look for the number of components and of their variables.
struct ChooseOptions {
  Index most = 20;          ///< components that are looked at, at least 1; as far as there are any
  Index permutations = 20;  ///< of parallel analysis, at least 1
  Index folds = 7;  ///< of cross-validation, 2 to n; variables are held out in as many parts

  /// Random partitions over which cross-validation is repeated, so that the answer is not that of
  /// one. 0: 200 000 divided by the n p numbers of the table, but from 1 to 100.
  Index repeats = 0;

  /// What cross-validation tries. Empty: as many components as help, and numbers of variables that
  /// grow by half or more, from one to all, with some more around the best.
  std::vector<Index> components = {};
  std::vector<Index> nonzeros = {};

  Effort effort = {};       ///< of the search, in each fit that tells what variables explain
  double overlap = 0.1;     ///< of the search, as in Options
  double tolerance = 1e-2;  ///< of SPCArt, as in Options
  Index max_iterations = 200;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;  ///< same seed, same choice
  Index threads = 0;       ///< 0: as many as OpenMP offers

  bool operator==(const ChooseOptions&) const = default;
};

/// The variances of principal components beside what components of no meaning would have, all as
/// fractions of the total variance.
struct Scree {
  Vector variances;
  Vector broken_stick;  ///< expected lengths of a stick that is broken at random
  Vector parallel;      ///< 95 % quantiles over tables whose columns are permuted
  Index by_broken_stick = 0, by_parallel = 0;  ///< components before the first that is not above
};

/// One setting, and how well it predicts entries that were held out.
struct ValidationPoint {
  Index components = 0, nonzeros = 0;  ///< 0, 0: every entry is predicted by its variable's mean
  double error = 0;             ///< squared, as a fraction of what predicting by means leaves
  double excess_deviation = 0;  ///< standard error of what it is above the least one

  bool operator==(const ValidationPoint&) const = default;
};

/// One answer: how many components, of how many variables each.
struct Recommendation {
  Index components = 0;  ///< 0: no structure, nothing rises above noise
  Index nonzeros = 0;    ///< of each component
  std::string when;      ///< when to take it, in one sentence
  std::vector<std::string> reasons;

  /// The variance that regression of the table on the scores explains, as a fraction of all
  /// variance; and the same of as many principal components. 0 if there are none.
  double explained = 0, explained_by_pca = 0;

  /// Of predicting held-out entries, as of ValidationPoint; NaN if cross-validation did not try it.
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// Two answers, to two questions.
struct Choice {
  Recommendation to_read;     ///< as many components as stand out, as few variables as keep most
  Recommendation to_predict;  ///< what cross-validation finds
  std::string difference;     ///< why the two differ, in one sentence; empty if they agree

  // Those of `to_predict`.
  Index components = 0;  ///< 0: no structure, nothing rises above noise
  Index nonzeros = 0;    ///< of each component
  std::vector<std::string> reasons;

  Scree scree;
  std::vector<ValidationPoint> held_out;  ///< by number of components, then of nonzeros
  Index least = 0;                        ///< which of them has the least error
  Index chosen = 0;                       ///< the simplest that is near it
  Index repeats = 0;                      ///< of cross-validation, as used

  std::vector<std::string> warnings;
};

/// Looks for structure in three ways, and gives two answers where parallel analysis and
/// cross-validation both see any.
///
/// To read: as many components as rise above both permuted data and the broken stick (at least one,
/// at most 10), of the fewest variables, at least two, that keep most of what as many principal
/// components explain: 90 % if the table is regressed on their scores and, unless that takes more
/// than 10 variables, half of their CPEV. If the answer to predict has as many components, of at
/// most 10 variables, it is the answer to read as well.
///
/// To predict: the fewest components whose error is within one standard error of the least, of the
/// fewest variables that keep 98 % of what they gain over means.
///
/// It needs samples in memory.
Choice choose(const DataMatrix& a, const ChooseOptions& options = {},
              const Observer& observer = {});

}  // namespace spcart
