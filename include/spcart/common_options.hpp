#pragma once

#include "spcart/options.hpp"

namespace spcart {

/// The options of path or choose, with those that they share with fit taken from `common`.
template <class SelectionOptions>
SelectionOptions with_common(SelectionOptions options, const Options& common) {
  options.effort = common.effort.value_or(Effort{});
  options.overlap = common.overlap;
  options.tolerance = common.tolerance;
  options.max_iterations = common.max_iterations;
  options.solver = common.solver;
  options.seed = common.seed;
  options.threads = common.threads;
  return options;
}

}  // namespace spcart
