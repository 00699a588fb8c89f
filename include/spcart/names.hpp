#pragma once

#include <string_view>

#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

// An enum that users choose from has a `name` for each value, as it appears in options, JSON and
// messages. It is declared beside the enum, as is `parse` for those that can be read.

/// The value of a name; also accepts the paper's short names (l0, l1, sp, en). Throws Error that
/// lists the names for any other word.
template <class Choice>
Choice parse(std::string_view text) = delete;

/// Whether `parse` would accept it.
template <class Choice>
bool is_name(std::string_view text) = delete;

/// Reads the whole text as a number: an Index, std::uint64_t or double. Throws Error with the
/// option, the text and the rule for any other text.
template <class Number>
SPCART_EXPORT Number parse_number(std::string_view option, std::string_view text);

}  // namespace spcart
