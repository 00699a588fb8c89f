#pragma once

#include <span>
#include <string>

#include "spcart/bounds.hpp"

namespace spcart::command {

/// One line per guarantee: what the theory says, what was measured, how near the two are, and why
/// one does not apply.
std::string bounds_table(std::span<const Bound> bounds);

}  // namespace spcart::command
