#pragma once

#include <string_view>
#include <vector>

#include "spcart/io.hpp"

namespace spcart::io {

/// Does to missing values (NaN) of a table that was just read what is asked, and notes it. Infinite
/// values are refused whatever is asked.
void handle_missing(Table& table, Missing missing, std::string_view file);

/// Keeps the marked samples and variables only, where the numbers lie.
void keep_only(Table& table, const std::vector<bool>& rows, const std::vector<bool>& cols);

}  // namespace spcart::io
