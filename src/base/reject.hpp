#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "spcart/error.hpp"

namespace spcart {

/// Throws Error about an option, its value and the rule that it breaks.
template <class Value, class... Args>
[[noreturn]] void reject(std::string_view option, const Value& value,
                         fmt::format_string<Args...> rule, Args&&... args) {
  throw Error(option, fmt::format("{}", value), fmt::format(rule, std::forward<Args>(args)...));
}

}  // namespace spcart
