#pragma once

#include <string_view>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::command {

// Numbers of flags that are no options of `fit`. They throw Error with the option, the text and the
// rule.

Index parsed_index(std::string_view option, std::string_view text);
double parsed_number(std::string_view option, std::string_view text);

/// Whole numbers with commas between.
std::vector<Index> parsed_list(std::string_view option, std::string_view text);

}  // namespace spcart::command
