#pragma once

#include <cstdint>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

struct BootstrapOptions {
  Index resamples = 100;   ///< B, at least 2
  std::uint64_t seed = 0;  ///< of the resampling: same seed, same resamples
};

/// How reproducible a result is over resamples of the same size.
struct Stability {
  Index resamples = 0;
  Loadings frequencies;  ///< p x r: fraction of resamples in which a variable is in a component
  Vector cosines;        ///< r: mean |cosine| between a component and its match
};

/// Draws n samples with replacement, prepares them and fits them with the options of `result`, B
/// times. The components of each resample are matched with those of `result` so that the sum of
/// absolute cosines is largest. `a` is the matrix that was fitted; its samples must be in memory.
Stability bootstrap(const DataMatrix& a, const Result& result, const BootstrapOptions& options = {},
                    const Observer& observer = {});

}  // namespace spcart
