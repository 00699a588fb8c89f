#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spcart::command {

/// The candidate that differs from the word by a typing error, or an empty text.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace spcart::command
