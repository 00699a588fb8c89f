#pragma once

#include <functional>

#include "spcart/types.hpp"

namespace spcart {

/// Minimises a smooth function by L-BFGS (Nocedal and Wright 2006, algorithm 7.5) with
/// backtracking. `function` returns the value and sets the gradient. Returns the last point, also
/// if time is up.
Vector minimize(Vector x, const std::function<double(const Vector&, Vector&)>& function,
                Index max_iterations, const std::function<bool()>& time_is_up);

}  // namespace spcart
