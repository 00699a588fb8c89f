#pragma once

#include <string>
#include <string_view>

namespace spcart::command {

/// The text as it may be shown on a terminal: control characters, marks that change the direction
/// of writing and bytes that are not UTF-8 become visible escapes such as \x1b.
std::string printable(std::string_view text);

/// Columns that printable UTF-8 occupies on a terminal; the command's own codes for emphasis occupy
/// none.
int display_width(std::string_view text);

/// The text cut to at most `width` columns, with an ellipsis if something was cut.
std::string clipped(std::string_view text, int width);

/// The text with spaces after it, or before it, up to `width` columns.
std::string left_aligned(std::string_view text, int width);
std::string right_aligned(std::string_view text, int width);

/// A fraction in percent with one digit, rounded down: a value that is compared with a bar must not
/// seem to reach it.
std::string percent_down(double fraction);

/// Words broken into lines of at most `width` columns; every line except the first begins with
/// `indent` additional spaces. Line breaks of the text stay.
std::string wrapped(std::string_view text, int width, int indent = 0);

}  // namespace spcart::command
