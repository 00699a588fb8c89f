#pragma once

#include <span>
#include <string>

#include "spcart/bootstrap.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

/// A few lines per component: its share of the variance, its number of nonzeros and its variables
/// by descending weight. Unless all are requested, components show at most a dozen, and one line
/// each if there are many of them. With stability, the selection frequency of a variable is shown
/// beside its weight.
std::string component_table(const Loadings& loadings, const Criteria& criteria,
                            std::span<const std::string> variables, bool all,
                            const Stability* stability = nullptr);

/// What the components explain together, and how they were found.
std::string totals(const Result& result);

/// "hard truncation at 0.2774", "10 zeros per component", ...
std::string in_words(const Truncation& truncation, Method method);

}  // namespace spcart::command
