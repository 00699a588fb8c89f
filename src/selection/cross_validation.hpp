#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "spcart/choose.hpp"

namespace spcart {

/// Cross-validation of sparse components by held-out entries.
///
/// Held-out samples alone are not enough: more components always approximate a sample better,
/// because the sample itself is used to find its scores. So a block of samples and variables is
/// held out at a time (Gabriel): components come from the other samples, the scores of a sample
/// from its other variables, and both together predict the block. Here loadings are found for all
/// variables at once, so that sparsity affects the error: a variable that wrongly has no loading is
/// predicted by its mean, one that wrongly has one by noise.
///
/// Everything is repeated over several random partitions, so that the answer does not depend on
/// one.
///
/// Scores are those expected under the model x = X y + e, with y normal with the variances of PCA
/// and e with the remaining variance: least squares, shrunk if little of a component is observed.
class CrossValidation {
 public:
  /// For up to `most` components; their number and the number of variables per component are
  /// settings. It keeps a basis for every fold: repeats * folds * p * most numbers. `a` must
  /// outlive it.
  CrossValidation(const DataMatrix& a, Index most, const ChooseOptions& options, const Tick& tick);
  ~CrossValidation();

  /// Computes the errors of all these settings, except for those that are known.
  void add(const std::vector<Index>& components, const std::vector<Index>& nonzeros,
           const Tick& tick);

  /// The numbers of variables that are known for this many components.
  std::vector<Index> known(Index components) const;

  /// A number of components and a number of variables per component.
  using Setting = std::pair<Index, Index>;
  /// Squared, one number per fold, repeat after repeat.
  using Errors = std::map<Setting, Vector>;
  const Errors& errors() const { return errors_; }

 private:
  class Partition;
  class Fold;

  ChooseOptions options_;
  bool apart_;  ///< whether each fold is the work of one thread
  std::vector<std::unique_ptr<const Fold>> folds_;
  Errors errors_;  ///< those of no components first
};

/// Evaluates the errors: fills `held_out`, `least` and `chosen`. Repeats share their samples, so
/// more of them make the standard error more stable, not smaller: it is that of one repeat.
void evaluate_errors(const CrossValidation::Errors& errors, Choice& choice, Index repeats = 1);

}  // namespace spcart
