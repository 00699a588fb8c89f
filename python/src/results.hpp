#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "spcart/bootstrap.hpp"

namespace spcart::python {

/// The iterations of a method, as Python shows them: one array per figure.
struct History {
  std::vector<Iteration> iterations;
};

/// All that a fit has for the estimator.
struct FitReport {
  Result result;
  double total_variance = 0;
  std::optional<Stability> stability;  ///< if there were resamples
};

}  // namespace spcart::python
