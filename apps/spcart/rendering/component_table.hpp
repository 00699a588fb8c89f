#pragma once

#include <span>
#include <string>

#include "spcart/bootstrap.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

/// A line or a few for each component: its share of the variance, its number of nonzeros and its
/// variables by falling weight. Unless all are asked for, components show at most a dozen, and one
/// line each where there are many of them. With stability, how often a variable was selected stands
/// beside its weight.
std::string component_table(const Loadings& loadings, const Criteria& criteria,
                            std::span<const std::string> variables, bool all,
                            const Stability* stability = nullptr);

/// What the components do together, and how they came about.
std::string totals(const Result& result);

/// "hard truncation at 0.2774", "10 zeros per component", ...
std::string in_words(const Truncation& truncation, Method method);

}  // namespace spcart::command
