#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fit/trials.hpp"
#include "spcart/methods.hpp"

namespace spcart {

/// What lambda is to bring about.
struct Target {
  enum class Kind {
    nonzeros,  ///< so many, of all loadings together
    keep       ///< at least this share of PCA's CPEV, by as few nonzeros as can be
  };
  Kind kind = Kind::nonzeros;
  double value = 0;
};

struct TargetFound {
  MethodResult found;
  double lambda = 0;
  Index nonzeros = 0;
  double share = 0;  ///< of PCA's CPEV, where that was asked for
  bool met = false;
  Index trials = 0;
};

/// The shares of PCA's CPEV that loadings explain in the end.
using Shares = std::function<std::vector<double>(std::span<const MethodResult>)>;

/// Looks for the lambda that meets the target, or comes nearest: first all over its range, then
/// again and again between neighbours of which one is too dense and the other too sparse. What a
/// lambda leaves need not fall evenly, so that there may be several such places.
TargetFound find_target(const Trials& trials, const LambdaRange& range, TruncationType type,
                        const Target& target, const Shares& shares);

}  // namespace spcart
