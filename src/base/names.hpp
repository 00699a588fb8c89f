#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/reject.hpp"
#include "spcart/names.hpp"

namespace spcart {

/// One value of an enum with its name in options, JSON and messages. The names of an enum are one
/// array beside the code that uses the enum: a value that is not in it cannot be chosen or shown.
template <class Choice>
struct Name {
  Choice value;
  std::string_view name;
  std::string_view paper = {};  ///< the paper's own name, if it has one
};

template <class Names, class Choice>
std::string_view name_in(const Names& names, Choice value) {
  return std::ranges::find(names, value, &Name<Choice>::value)->name;
}

template <class Choice, std::size_t count>
const Name<Choice>* find_name(const std::array<Name<Choice>, count>& names, std::string_view text) {
  const auto found = std::ranges::find_if(names, [text](const Name<Choice>& entry) {
    return text == entry.name || (!entry.paper.empty() && text == entry.paper);
  });
  return found == names.end() ? nullptr : &*found;
}

/// Throws Error that lists the names if the text is none of them.
template <class Choice, std::size_t count>
Choice parse_name(const std::array<Name<Choice>, count>& names, std::string_view option,
                  std::string_view text) {
  if (const Name<Choice>* found = find_name(names, text)) return found->value;
  std::string known;
  for (const Name<Choice>& entry : names)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  reject(option, text, "it must be one of {}", known);
}

}  // namespace spcart
