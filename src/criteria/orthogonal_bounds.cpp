#include "criteria/orthogonal_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/clock.hpp"
#include "criteria/moments.hpp"
#include "data/rounding.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {
namespace {

/// Whether each of these has no more nonzeros than one of those, in descending order.
bool is_within(const std::vector<Index>& these, const std::vector<Index>& those) {
  return std::ranges::equal(these, those, std::less_equal{});
}

}  // namespace

std::vector<double> orthogonal_bounds(const DataMatrix& a,
                                      const std::vector<ComponentCounts>& counts,
                                      const CertifyOptions& options, const Tick& tick) {
  constexpr Index kIterations = 240, kMost = 256;
  check(options);
  const auto begin = Clock::now();
  const PartOfMoments part = reduced(part_of_moments(a, tick), -1, kMost);
  std::vector<std::vector<Index>> sorted;
  std::vector<double> bounds;
  for (const ComponentCounts& one : counts) {
    sorted.push_back(one.nonzeros);
    std::erase(sorted.back(), 0);
    std::ranges::sort(sorted.back(), std::greater{});
    bounds.push_back(one.cpev_pca);
  }
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double left = options.seconds - seconds_since(begin);
    const auto r = static_cast<Index>(sorted[k].size());
    if (r == 0 || r >= a.cols() || left <= 0) continue;
    const auto pass = [&](double) {
      if (tick) tick(static_cast<double>(k) / static_cast<double>(counts.size()));
    };
    const double dual = dual_bound(part.s, sorted[k],
                                   {.others = part.others,
                                    .outside = part.outside,
                                    .iterations = kIterations,
                                    .seconds = left / static_cast<double>(counts.size() - k),
                                    .tick = pass});
    const double rounding = std::sqrt(static_cast<double>(r)) * moments_rounding(a);
    bounds[k] = std::min(bounds[k], dual + rounding);
  }
  // What is proved of more nonzeros holds for fewer.
  for (std::size_t k = 0; k < counts.size(); ++k)
    for (std::size_t l = 0; l < counts.size(); ++l)
      if (is_within(sorted[k], sorted[l])) bounds[k] = std::min(bounds[k], bounds[l]);
  return bounds;
}

}  // namespace spcart
