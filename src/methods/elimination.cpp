#include "methods/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "base/indices.hpp"
#include "base/random.hpp"
#include "linalg/leading_eigenvector.hpp"
#include "methods/first_of_largest.hpp"

namespace spcart {
namespace {

/// Room for rounding: nothing is eliminated by less than this fraction.
constexpr double kEliminationRounding = 1e-9;

/// Those that satisfy a condition, and the one of largest variance.
template <class Needed>
Variables with_largest(const Vector& variances, Needed needed) {
  const Index top = first_of_largest(variances);
  Variables kept;
  for (Index j = 0; j < variances.size(); ++j)
    if (j == top || needed(j)) kept.push_back(j);
  return kept;
}

}  // namespace

Variables survivors_of_count_penalty(const Vector& variances, double rho) {
  return with_largest(variances,
                      [&](Index j) { return variances[j] > rho * (1 - kEliminationRounding); });
}

Variables survivors_of_l1_penalty(const Vector& variances, const Vector& largest, double rho) {
  return with_largest(variances,
                      [&](Index j) { return largest[j] > rho * (1 - kEliminationRounding); });
}

Vector largest_off_diagonal(const Gram& gram, const Variables& some, const Tick& tick) {
  constexpr std::size_t kTogether = 64;
  Vector largest = Vector::Zero(gram.size());
  for (std::size_t first = 0; first < some.size(); first += kTogether) {
    if (tick) tick(0);
    const auto block = std::span(some).subspan(first, std::min(kTogether, some.size() - first));
    Matrix columns = gram.columns(block).cwiseAbs();
    for (std::size_t i = 0; i < block.size(); ++i) columns(block[i], static_cast<Index>(i)) = 0;
    largest = largest.cwiseMax(columns.rowwise().maxCoeff());
    const Vector own = columns.colwise().maxCoeff();
    for (std::size_t i = 0; i < block.size(); ++i)
      largest[block[i]] = std::max(largest[block[i]], own[static_cast<Index>(i)]);
  }
  return largest;
}

std::vector<Variables> connected_groups(const Matrix& s, double rho) {
  const Index p = s.rows();
  std::vector<Variables> groups;
  std::vector<bool> seen(static_cast<std::size_t>(p), false);
  for (Index first = 0; first < p; ++first) {
    if (seen[static_cast<std::size_t>(first)]) continue;
    Variables group = {first};
    seen[static_cast<std::size_t>(first)] = true;
    for (std::size_t at = 0; at < group.size(); ++at)
      for (Index j = 0; j < p; ++j) {
        if (seen[static_cast<std::size_t>(j)] || !(std::abs(s(j, group[at])) > rho)) continue;
        seen[static_cast<std::size_t>(j)] = true;
        group.push_back(j);
      }
    std::ranges::sort(group);
    groups.push_back(std::move(group));
  }
  return groups;
}

Variables most_important(const Gram& gram, Index count, std::uint64_t seed, const Tick& tick) {
  constexpr double kTolerance = 1e-6;
  if (count >= gram.size()) return indices_of_largest(gram.diagonal(), count);
  const auto product = [&](const Vector& x) -> Vector { return gram.times(x, tick); };
  const Vector start = product(Random(seed).normal(gram.size(), 1));
  return indices_of_largest(leading_eigenvector(product, start, kTolerance).cwiseAbs(), count);
}

}  // namespace spcart
