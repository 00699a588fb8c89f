#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "spcart/choose.hpp"

namespace spcart {

/// Cross-validation of sparse components by entries that are held out.
///
/// Held-out samples alone are not enough: a sample is the better approximated the more components
/// there are, as it is used to find its own scores. So a block of samples and variables is held out
/// at a time, as Gabriel does: components come from the other samples, the scores of a sample from
/// its other variables, and both together predict the block. Here loadings are found for all
/// variables at once, so that sparsity counts where it is evaluated: a variable that wrongly has no
/// loading is predicted by its mean, one that wrongly has one by noise.
///
/// All of it is repeated over several random partitions, so that the answer is not that of one.
///
/// Scores are those expected under the model x = X y + e, y normal with the variances that PCA
/// finds, e with what it leaves: least squares, shrunk where little of a component can be seen.
class CrossValidation {
 public:
  /// For up to `most` components; their number and the number of variables in one are settings. It
  /// keeps a basis for every fold: repeats * folds * p * most numbers. `a` must outlive it.
  CrossValidation(const DataMatrix& a, Index most, const ChooseOptions& options, const Tick& tick);
  ~CrossValidation();

  /// Finds the errors of all these settings, but for those that are known.
  void add(const std::vector<Index>& components, const std::vector<Index>& nonzeros,
           const Tick& tick);

  /// The numbers of variables that are known for so many components.
  std::vector<Index> known(Index components) const;

  /// A number of components and of variables of each.
  using Setting = std::pair<Index, Index>;
  /// Squared, one number per fold, repeat after repeat.
  using Errors = std::map<Setting, Vector>;
  const Errors& errors() const { return errors_; }

 private:
  class Fold;

  ChooseOptions options_;
  std::vector<std::unique_ptr<const Fold>> folds_;
  Errors errors_;  ///< those of no components first
};

/// What errors say: fills `held_out`, `least` and `chosen`. Repeats share their samples, so that
/// more of them make the standard error steadier, not smaller: it is that of one repeat.
void evaluate_errors(const CrossValidation::Errors& errors, Choice& choice, Index repeats = 1);

}  // namespace spcart
