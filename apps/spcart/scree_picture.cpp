#include "scree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "print.hpp"

namespace spcart::command {
namespace {

constexpr int kBarWidth = 46;
constexpr Index kMostColumns = 10;

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

/// A bar of `filled` of the width, with a mark over it at each threshold.
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

/// Components that are worth showing: those that anything speaks for, and some more.
Index shown(const Choice& choice) {
  constexpr Index kMore = 3, kLeast = 5;
  const Scree& scree = choice.scree;
  const Index last =
      std::max({scree.by_parallel, scree.by_broken_stick, choice.components}) + kMore;
  return std::min(std::max(last, kLeast), scree.variances.size());
}

const HeldOut& at(const Choice& choice, Index k) {
  return choice.held_out[static_cast<std::size_t>(k)];
}

/// As many sizes as fit on a line, those around the least error and the chosen one first.
std::vector<Index> columns(const Choice& choice) {
  std::vector<Index> sizes;
  for (const HeldOut& point : choice.held_out)
    if (point.nonzeros > 0) sizes.push_back(point.nonzeros);
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  const auto count = static_cast<Index>(sizes.size());
  if (count <= kMostColumns) return sizes;
  const Index center = at(choice, choice.least).nonzeros;
  const Index place = std::ranges::lower_bound(sizes, center) - sizes.begin();
  const Index first = std::clamp<Index>(place - kMostColumns / 2, 0, count - kMostColumns);
  return {sizes.begin() + first, sizes.begin() + first + kMostColumns};
}

}  // namespace

std::string scree_picture(const Choice& choice) {
  const Scree& scree = choice.scree;
  const double most = std::max({scree.variances[0], scree.parallel[0], scree.broken_stick[0]});
  TextTable table("lrlrr");
  table.add_header({"", "variance", "", "| permuted", ": broken stick"});
  for (Index k = 0; k < shown(choice); ++k)
    table.add(
        {fmt::format("PC{}", k + 1), percent(scree.variances[k]),
         bar(scree.variances[k] / most, scree.parallel[k] / most, scree.broken_stick[k] / most),
         percent(scree.parallel[k]), percent(scree.broken_stick[k])});
  return table.text();
}

std::string held_out_table(const Choice& choice, Index folds) {
  const std::vector<Index> sizes = columns(choice);
  TextTable table("l" + std::string(sizes.size(), 'r'));
  std::vector<std::string> header = {"components"};
  for (const Index size : sizes) header.push_back(fmt::format("{} ", size));
  table.add_header(header);
  std::vector<std::string> row;
  for (Index k = 1; k < static_cast<Index>(choice.held_out.size()); ++k) {
    const HeldOut& point = at(choice, k);
    if (row.empty()) row.push_back(fmt::format("{}", point.components));
    if (std::ranges::find(sizes, point.nonzeros) != sizes.end()) {
      const std::string text = fmt::format("{:.1f}", 100 * point.error);
      row.push_back(k == choice.chosen  ? bold(text + '*')
                    : k == choice.least ? text + '+'
                                        : text + ' ');
    }
    if (k + 1 == static_cast<Index>(choice.held_out.size()) ||
        at(choice, k + 1).components != point.components)
      table.add(std::exchange(row, {}));
  }
  const char* marks = choice.chosen == 0              ? "+ least; predicting by means is as good"
                      : choice.chosen == choice.least ? "* least, and chosen"
                                                      : "+ least; * simplest within its error";
  return fmt::format(
      "  {}\n{}  {}\n",
      dim(fmt::format("error at held-out entries, in % of that of means, by variables of a "
                      "component ({} folds)",
                      folds)),
      table.text(), dim(choice.least == 0 ? "predicting by means is best" : marks));
}

}  // namespace spcart::command
