#pragma once

#include <string_view>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::command {

/// Whole numbers separated by commas. Throws Error with the option, the text and the rule.
std::vector<Index> parse_list(std::string_view option, std::string_view text);

}  // namespace spcart::command
