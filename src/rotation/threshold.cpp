#include "rotation/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace spcart {
namespace {

/// How many of the smallest sizes have squares that add up to at most `budget`; reorders `sizes`.
/// Bisection: if those up to the median fit as a whole, the search continues above them, otherwise
/// among them.
std::size_t smallest_within(std::span<double> sizes, double budget) {
  const auto squares = [](auto first, auto last) {
    return std::transform_reduce(first, last, 0.0, std::plus<>(), [](double v) { return v * v; });
  };
  auto begin = sizes.begin(), end = sizes.end();
  double spent = 0;
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    const double half = squares(begin, middle + 1);
    if (spent + half <= budget) {
      spent += half;
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return static_cast<std::size_t>(begin - sizes.begin());
}

/// The threshold that zeroes this many of `sizes`, which hold all |z| that may be near it.
Threshold threshold_at(std::span<const double> z, std::span<double> sizes, std::size_t zeros) {
  const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(zeros) - 1;
  std::nth_element(sizes.begin(), last, sizes.end());
  Threshold t{.least = *last};
  if (std::find(last + 1, sizes.end(), t.least) == sizes.end()) return t;
  auto ties = std::count(sizes.begin(), last + 1, t.least);  // the first among equals
  std::int32_t index = 0;
  while (std::abs(z[static_cast<std::size_t>(index)]) != t.least || --ties > 0) ++index;
  t.ties_from = index + 1;
  return t;
}

std::span<double> sizes_of(std::span<const double> z, std::vector<double>& work) {
  std::ranges::transform(z, work.begin(), [](double v) { return std::abs(v); });
  return {work.data(), z.size()};
}

Threshold by_count(std::span<const double> z, std::size_t zeros, std::vector<double>& work,
                   double guess) {
  if (zeros == 0) return {};
  if (guess > 0) {
    const auto s = split_by_size(z.data(), z.size(), guess * (1 - kGuessSpread),
                                 guess * (1 + kGuessSpread), work.data());
    if (s.below < zeros && zeros <= s.below + s.between)
      return threshold_at(z, {work.data(), s.between}, zeros - s.below);
  }
  return threshold_at(z, sizes_of(z, work), zeros);
}

Threshold by_energy(std::span<const double> z, double lambda, std::vector<double>& work,
                    double guess, double left) {
  const auto s = split_by_size(z.data(), z.size(), guess * (1 - kGuessSpread),
                               guess * (1 + kGuessSpread), work.data());
  const double budget = lambda * (s.energy_all + left) * (1 + kEnergyRounding) - left;
  if (s.energy_below <= budget) {
    const std::span near(work.data(), s.between);
    const std::size_t zeros = smallest_within(near, budget - s.energy_below);
    if (zeros > 0 && zeros < near.size()) return threshold_at(z, near, zeros);
  }
  const std::span all = sizes_of(z, work);
  // Lambda is below 1: something stays, regardless of rounding.
  const std::size_t zeros = std::min(smallest_within(all, budget), z.size() - 1);
  return zeros > 0 ? threshold_at(z, all, zeros) : Threshold{};
}

}  // namespace

Threshold select(std::span<const double> z, const Truncation& truncation, std::vector<double>& work,
                 double guess, const LeftOut& left) {
  work.resize(z.size() + kSpare);
  const auto zeros = static_cast<std::size_t>(truncation.lambda);
  return truncation.type == TruncationType::count
             ? by_count(z, zeros - std::min(zeros, left.count), work, guess)
             : by_energy(z, truncation.lambda, work, guess, left.energy);
}

}  // namespace spcart
