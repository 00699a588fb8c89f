#pragma once

#include <cstdint>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

struct BootstrapOptions {
  Index resamples = 100;   ///< B, at least 2
  std::uint64_t seed = 0;  ///< of the resamples: same seed, same samples
};

/// How often a fit to other samples of the same size would have found the same.
struct Stability {
  Index resamples = 0;
  Loadings frequencies;  ///< p x r: in what part of the resamples a variable was in a component
  Vector cosines;        ///< r: mean |cosine| between a component and its match
};

/// Draws n samples with replacement, prepares and fits them as `result` was, B times over. The
/// components of a resample are matched with those of `result` so that the sum of their absolute
/// cosines is largest. `a` is the matrix that was fitted; it needs samples in memory.
Stability bootstrap(const DataMatrix& a, const Result& result, const BootstrapOptions& options = {},
                    const Observer& observer = {});

}  // namespace spcart
