#include "arguments/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <type_traits>

#include "spcart/error.hpp"

namespace spcart::command {
namespace {

template <class T>
T parsed(std::string_view option, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("{} = {}: the number is out of range", option, text));
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{} = {}: it must be a {}number", option, text,
                            std::is_integral_v<T> ? "whole " : ""));
  return value;
}

}  // namespace

Index parsed_index(std::string_view option, std::string_view text) {
  return parsed<Index>(option, text);
}

double parsed_number(std::string_view option, std::string_view text) {
  return parsed<double>(option, text);
}

std::vector<Index> parsed_list(std::string_view option, std::string_view text) {
  std::vector<Index> values;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    values.push_back(parsed_index(option, word));
    if (word.size() == text.size()) break;
    text.remove_prefix(word.size() + 1);
    if (text.empty()) throw Error(fmt::format("{}: nothing follows the last comma", option));
  }
  return values;
}

}  // namespace spcart::command
