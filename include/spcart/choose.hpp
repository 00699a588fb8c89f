#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spcart/fit.hpp"

namespace spcart {

/// How to look for the number of components and of their variables.
struct ChooseOptions {
  Index most = 20;          ///< components that are looked at, at least 1; as far as there are any
  Index permutations = 20;  ///< of parallel analysis, at least 1
  Index folds = 7;  ///< of cross-validation, 2 to n; variables are held out in as many parts

  /// What cross-validation tries. Empty: as many components as help, and numbers of variables that
  /// grow by half, from one to all, with some more around the best.
  std::vector<Index> components = {};
  std::vector<Index> nonzeros = {};

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

/// One setting, judged by how well entries that were held out are predicted.
struct HeldOut {
  Index components = 0, nonzeros = 0;  ///< 0, 0: every entry is predicted by its variable's mean
  double error = 0;             ///< squared, as a fraction of what predicting by means leaves
  double excess_deviation = 0;  ///< standard error of what it is above the least one

  bool operator==(const HeldOut&) const = default;
};

/// How many components, of how many variables each.
struct Choice {
  Index components = 0;  ///< 0: no structure, nothing rises above noise
  Index nonzeros = 0;    ///< of each component
  std::vector<std::string> reasons;

  Scree scree;
  std::vector<HeldOut> held_out;  ///< by number of components, then of nonzeros
  Index least = 0;                ///< which of them has the least error
  Index chosen = 0;               ///< the simplest that is near it

  std::vector<std::string> warnings;
};

/// Looks for structure in three ways, and recommends what cross-validation finds where parallel
/// analysis, too, sees anything: the fewest components whose error is within one standard error of
/// the least, of the fewest variables that keep 98 % of what they gain over means. It needs samples
/// in memory.
Choice choose(const DataMatrix& a, const ChooseOptions& options = {},
              const Observer& observer = {});

}  // namespace spcart
