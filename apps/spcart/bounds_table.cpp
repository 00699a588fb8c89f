#include "bounds_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "print.hpp"

namespace spcart::command {
namespace {

std::string in_words(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string interval(double low, double high) {
  return low == high ? fmt::format("{:.4f}", low) : fmt::format("{:.4f} to {:.4f}", low, high);
}

std::string verdict(const Bound& bound) {
  if (!bound.applies) return "does not apply: " + bound.reason;
  if (bound.kind == BoundKind::estimate) return "an estimate, no guarantee";
  return bound.holds ? "holds" : "FAILS: please report this";
}

}  // namespace

std::string bounds_table(std::span<const Bound> bounds) {
  TextTable table("lllrll");
  table.add_header({"measure", "guaranteed", "measured", "tightness", "source", ""});
  for (const Bound& bound : bounds)
    table.add({in_words(bound.name), bound.applies ? interval(bound.lower, bound.upper) : "-",
               interval(bound.least, bound.most),
               bound.applies ? fmt::format("{:.0f} %", 100 * bound.tightness) : "-",
               std::string(bound.source), verdict(bound)});
  return table.text();
}

}  // namespace spcart::command
