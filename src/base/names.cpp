#include "spcart/names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <type_traits>

#include "base/reject.hpp"
#include "spcart/types.hpp"

namespace spcart {

template <class Number>
Number parse_number(std::string_view option, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) reject(option, text, "the number is out of range");
  if (error != std::errc{} || end != text.data() + text.size())
    reject(option, text, "it must be a {}number", std::is_integral_v<Number> ? "whole " : "");
  return value;
}

template Index parse_number(std::string_view, std::string_view);
template std::uint64_t parse_number(std::string_view, std::string_view);
template double parse_number(std::string_view, std::string_view);

}  // namespace spcart
