#include "arguments/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spcart::command {
namespace {

/// Levenshtein distance: the least number of letters to insert, delete or replace.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (letter != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kMostSlips = 2;
  std::string best;
  std::size_t least = std::min(kMostSlips, (word.size() + 1) / 2) + 1;
  for (const std::string& candidate : candidates)
    if (const std::size_t slips = edit_distance(word, candidate); slips < least) {
      least = slips;
      best = candidate;
    }
  return best;
}

}  // namespace spcart::command
