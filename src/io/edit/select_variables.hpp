#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spcart/io.hpp"

namespace spcart::io {

/// Which variables the options include and do not exclude. Throws Error, about the file, for a name
/// or a pattern that no variable has, and if none is left.
std::vector<bool> selected_variables(const std::vector<std::string>& names,
                                     const ReadOptions& options, std::string_view file);

/// Whether a list names this variable: not by its index and not by a pattern.
bool is_named(const std::vector<std::string>& lists, std::string_view name);

}  // namespace spcart::io
