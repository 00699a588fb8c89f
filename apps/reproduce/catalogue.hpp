#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment.hpp"

namespace spcart::reproduce {

/// The experiments that are embedded in the program, in the paper's order; our own are last.
std::vector<std::string> experiment_names();

/// One of them.
Experiment declared_experiment(std::string_view name, bool quick);

}  // namespace spcart::reproduce
