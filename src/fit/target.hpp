#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fit/trials.hpp"
#include "spcart/methods.hpp"

namespace spcart {

/// What lambda is to achieve.
struct Target {
  enum class Kind {
    nonzeros,  ///< this many in all loadings together
    keep  ///< at least this share of PCA's CPEV (cumulative percentage of explained variance), with
          ///< as few nonzeros as possible
  };
  Kind kind = Kind::nonzeros;
  double value = 0;
};

struct TargetResult {
  MethodResult found;
  double lambda = 0;
  Index nonzeros = 0;
  double share = 0;  ///< of PCA's CPEV, if requested
  bool met = false;
  Index trials = 0;
};

/// The shares of PCA's CPEV that the final loadings explain.
using Shares = std::function<std::vector<double>(std::span<const MethodResult>)>;

/// Looks for the lambda that meets the target, or comes nearest: first over its whole range, then
/// repeatedly between neighbours of which one is too dense and the other too sparse. The number of
/// nonzeros need not be monotonic in lambda, so there may be several such brackets.
TargetResult find_target(const Trials& trials, const LambdaRange& range, TruncationType type,
                         const Target& target, const Shares& shares);

}  // namespace spcart
