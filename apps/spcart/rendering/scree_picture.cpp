#include "rendering/scree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "rendering/print.hpp"

namespace spcart::command {
namespace {

constexpr int kBarWidth = 46;
constexpr Index kMostRows = 8, kMostColumns = 10;

std::string short_percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

/// A bar of `filled` of the width, with a mark at each threshold.
std::string bar(double filled, double permuted, double stick) {
  const auto column = [](double part) {
    return static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * (kBarWidth - 1)));
  };
  const bool utf8 = terminal().utf8;
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) {
    const bool full = i <= column(filled) && filled > 0;
    if (i == column(permuted))
      text += bold("|");
    else if (i == column(stick))
      text += bold(":");
    else
      text += full ? (utf8 ? "█" : "#") : " ";
  }
  return text;
}

/// Components that are worth showing: those that any criterion suggests, and some more.
Index shown(const Choice& choice) {
  constexpr Index kMore = 3, kLeast = 5, kMost = 12;
  const Scree& scree = choice.scree;
  const Index last =
      std::max({scree.by_parallel, scree.by_broken_stick, choice.components}) + kMore;
  return std::min(std::clamp(last, kLeast, kMost), scree.variances.size());
}

/// Which of the held-out points are shown: as many numbers as there is room for, around the one
/// with the least error.
std::vector<Index> window(std::vector<Index> numbers, Index center, Index most) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const auto count = static_cast<Index>(numbers.size());
  const Index place = std::ranges::lower_bound(numbers, center) - numbers.begin();
  const Index first = std::clamp<Index>(place - most / 2, 0, std::max<Index>(count - most, 0));
  return {numbers.begin() + first, numbers.begin() + std::min(first + most, count)};
}

/// The error in percent, marked if it is the least or the chosen one; empty if that setting was not
/// tried.
std::string cell(const Choice& choice, Index components, Index nonzeros) {
  const auto found = std::ranges::find_if(choice.held_out, [&](const ValidationPoint& point) {
    return point.components == components && point.nonzeros == nonzeros;
  });
  if (found == choice.held_out.end()) return "";
  const Index k = found - choice.held_out.begin();
  const std::string text = fmt::format("{:.1f}", 100 * found->error);
  if (k == choice.chosen) return bold(fmt::format("{}*", text));
  return fmt::format("{}{}", text, k == choice.least ? '+' : ' ');
}

const char* marks(const Choice& choice) {
  if (choice.least == 0) return "predicting by means is best";
  if (choice.chosen == 0) return "+ least, but hardly below that of means";
  return choice.chosen == choice.least ? "* least" : "+ least   * the simplest near it";
}

}  // namespace

std::string scree_picture(const Choice& choice) {
  const Scree& scree = choice.scree;
  const double most = std::max({scree.variances[0], scree.parallel[0], scree.broken_stick[0]});
  TextTable table("lrlrr");
  table.add_header({"", "variance", "", "| permuted", ": broken stick"});
  for (Index k = 0; k < shown(choice); ++k)
    table.add(
        {fmt::format("PC{}", k + 1), short_percent(scree.variances[k]),
         bar(scree.variances[k] / most, scree.parallel[k] / most, scree.broken_stick[k] / most),
         short_percent(scree.parallel[k]), short_percent(scree.broken_stick[k])});
  return table.text();
}

std::string held_out_table(const Choice& choice, Index folds) {
  std::vector<Index> components, nonzeros;
  for (const ValidationPoint& point : choice.held_out) {
    if (point.components == 0) continue;
    components.push_back(point.components);
    nonzeros.push_back(point.nonzeros);
  }
  const ValidationPoint& least = choice.held_out[static_cast<std::size_t>(choice.least)];
  components = window(std::move(components), least.components, kMostRows);
  nonzeros = window(std::move(nonzeros), least.nonzeros, kMostColumns);
  TextTable table(std::string(nonzeros.size() + 1, 'r'));
  std::vector<std::string> header = {"components"};
  for (const Index size : nonzeros) header.push_back(fmt::format("{} ", size));
  table.add_header(header);
  for (const Index r : components) {
    std::vector<std::string> row = {fmt::format("{}", r)};
    for (const Index size : nonzeros) row.push_back(cell(choice, r, size));
    table.add(row);
  }
  return fmt::format(
      "  {}\n{}  {}\n",
      dim(fmt::format("error at held-out entries, in % of that of means, by "
                      "variables in a component ({} folds{})",
                      folds, choice.repeats > 1 ? fmt::format(", {} times", choice.repeats) : "")),
      table.text(), dim(marks(choice)));
}

}  // namespace spcart::command
