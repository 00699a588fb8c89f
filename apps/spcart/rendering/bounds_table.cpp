#include "rendering/bounds_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rendering/print.hpp"

namespace spcart::command {
namespace {

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const auto at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

/// The names that the rest of the output uses.
std::string in_words(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  replace(text, "nonorthogonality", "NOR");
  replace(text, "explained variance", "EV");
  replace(text, "cpev", "CPEV");
  return text;
}

std::string shortened(std::string_view source) {
  std::string text(source);
  replace(text, "Theorem", "Thm");
  replace(text, "Propositions", "Prop.");
  replace(text, "Proposition", "Prop.");
  replace(text, " (proof)", ", proof");
  return text;
}

std::string interval(double low, double high) {
  return low == high ? fmt::format("{:.4f}", low) : fmt::format("{:.4f} to {:.4f}", low, high);
}

/// The informative end of the interval.
std::string guaranteed(const Bound& bound) {
  if (!bound.applies) return "-";
  if (bound.kind == BoundKind::estimate) return fmt::format("about {:.4f}", bound.lower);
  if (bound.at_least) return fmt::format("at least {:.4f}", bound.lower);
  return bound.lower > 0 ? interval(bound.lower, bound.upper)
                         : fmt::format("at most {:.4f}", bound.upper);
}

std::string verdict(const Bound& bound) {
  if (!bound.applies) return "does not apply: " + bound.reason;
  if (bound.kind == BoundKind::estimate)
    return fmt::format("no guarantee ({})", shortened(bound.source));
  return fmt::format("{} ({})", bound.holds ? "holds" : "FAILS, please report this",
                     shortened(bound.source));
}

}  // namespace

std::string bounds_table(std::span<const Bound> bounds) {
  TextTable table("lllrl");
  table.add_header({"measure", "guaranteed", "measured", "tightness", ""});
  for (const Bound& bound : bounds)
    table.add({in_words(bound.name), guaranteed(bound), interval(bound.least, bound.most),
               bound.applies ? fmt::format("{:.0f} %", 100 * bound.tightness) : "-",
               verdict(bound)});
  return table.text();
}

}  // namespace spcart::command
