#include "spcart/names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <type_traits>

#include "spcart/error.hpp"
#include "spcart/types.hpp"

namespace spcart {

template <class Number>
Number parse_number(std::string_view option, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("{} = {}: the number is out of range", option, text));
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{} = {}: it must be a {}number", option, text,
                            std::is_integral_v<Number> ? "whole " : ""));
  return value;
}

template Index parse_number(std::string_view, std::string_view);
template std::uint64_t parse_number(std::string_view, std::string_view);
template double parse_number(std::string_view, std::string_view);

}  // namespace spcart
