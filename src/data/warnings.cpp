#include "data/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace spcart {

std::string list_of(const std::vector<Index>& numbers) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(numbers.size(), kMost); ++k)
    text += fmt::format("{}{}", k > 0 ? ", " : "", numbers[k] + 1);
  return numbers.size() > kMost ? text + ", ..." : text;
}

std::vector<Index> dominant_columns(const DataMatrix& a) {
  constexpr double kNearlyAll = 0.9;
  constexpr Index kFew = 3, kPartOfAll = 4;
  const Vector& squares = a.column_squared_norms();
  const Index most = std::min(kFew, a.cols() / kPartOfAll);
  if (a.preparation().scale || !a.preparation().center || most < 1) return {};
  std::vector<Index> columns(static_cast<std::size_t>(a.cols()));
  std::iota(columns.begin(), columns.end(), Index{0});
  std::partial_sort(columns.begin(), columns.begin() + most, columns.end(),
                    [&](Index i, Index j) { return squares[i] > squares[j]; });
  const double enough = kNearlyAll * squares.sum();
  double held = 0;
  for (Index k = 0; k < most; ++k) {
    held += squares[columns[static_cast<std::size_t>(k)]];
    if (held >= enough && enough > 0) return {columns.begin(), columns.begin() + k + 1};
  }
  return {};
}

void warn_of_data(const DataMatrix& a, std::vector<std::string>& warnings) {
  warnings.insert(warnings.end(), a.plan().notes.begin(), a.plan().notes.end());
  const auto& constant = a.constant_columns();
  if (!constant.empty())
    warnings.push_back(fmt::format(
        "{} variable{} not vary and cannot be scaled: loadings there are zero (column {})",
        constant.size(), constant.size() == 1 ? " does" : "s do", list_of(constant)));
  const std::vector<Index> dominant = dominant_columns(a);
  if (dominant.empty()) return;
  double held = 0;
  for (const Index j : dominant) held += a.column_squared_norms()[j];
  const bool one = dominant.size() == 1;
  warnings.push_back(fmt::format(
      "{} of {} variables hold{} {:.3g} % of the variance (column {}): option scale gives all "
      "variables the same weight",
      dominant.size(), a.cols(), one ? "s" : "", 100 * held / a.squared_norm(), list_of(dominant)));
}

}  // namespace spcart
