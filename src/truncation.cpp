#include "spcart/truncation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

constexpr double kDefaultZeros = 0.85;
constexpr double kDefaultEnergy = 0.15;

/// Energies are sums: "at most lambda" holds up to their rounding, so that e.g. three of ten equal
/// entries are within 0.3.
constexpr double kRounding = 1e-12;

}  // namespace

double default_lambda(TruncationType type, Index p) {
  const auto length = static_cast<double>(p);
  switch (type) {
    case TruncationType::hard:
    case TruncationType::soft:
      return p > 1 ? 1 / std::sqrt(length) : 0;  // a single variable is never truncated
    case TruncationType::count:
      return std::floor(kDefaultZeros * length);
    case TruncationType::energy:
      return kDefaultEnergy;
  }
  return 0;
}

void check(const Truncation& truncation, Index p) {
  const double lambda = truncation.lambda;
  if (truncation.type == TruncationType::count) {
    if (!(lambda >= 0 && lambda <= static_cast<double>(p - 1) && lambda == std::floor(lambda)))
      throw Error(
          fmt::format("lambda = {}: with truncation count it is the number of zeros, a whole "
                      "number from 0 to {}",
                      lambda, p - 1));
  } else if (!(lambda >= 0 && lambda < 1)) {
    throw Error(fmt::format("lambda = {}: with truncation {} it must be at least 0 and below 1",
                            lambda, name(truncation.type)));
  }
}

Truncator::Truncator(const Truncation& truncation, Index p) : truncation_(truncation) {
  check(truncation, p);
  work_.reserve(static_cast<std::size_t>(p));
}

void Truncator::operator()(std::span<const double> z, std::span<double> x) {
  const double lambda = truncation_.lambda;
  switch (truncation_.type) {
    case TruncationType::hard:
      std::ranges::transform(z, x.begin(),
                             [=](double v) { return std::abs(v) <= lambda ? 0.0 : v; });
      break;
    case TruncationType::soft:
      std::ranges::transform(z, x.begin(), [=](double v) {
        return std::abs(v) <= lambda ? 0.0 : std::copysign(std::abs(v) - lambda, v);
      });
      break;
    case TruncationType::count:
      zero_smallest(z, x, static_cast<std::size_t>(lambda));
      break;
    case TruncationType::energy:
      zero_smallest(z, x, zeros_within_energy(z));
      break;
  }
}

void Truncator::zero_smallest(std::span<const double> z, std::span<double> x, std::size_t zeros) {
  if (zeros == 0) {
    std::ranges::copy(z, x.begin());
    return;
  }
  work_.resize(z.size());
  std::ranges::transform(z, work_.begin(), [](double v) { return std::abs(v); });
  const auto last = work_.begin() + static_cast<std::ptrdiff_t>(zeros) - 1;
  std::ranges::nth_element(work_, last);
  const double threshold = *last;
  auto ties = std::ranges::count(work_.begin(), last + 1, threshold);
  std::ranges::transform(z, x.begin(), [&](double v) {
    const double size = std::abs(v);
    return size < threshold || (size == threshold && ties-- > 0) ? 0.0 : v;
  });
}

std::size_t Truncator::zeros_within_energy(std::span<const double> z) {
  work_.resize(z.size());
  std::ranges::transform(z, work_.begin(), [](double v) { return v * v; });
  const double budget =
      truncation_.lambda * std::reduce(work_.begin(), work_.end()) * (1 + kRounding);
  // Halving: those below the median either fit as a whole, and the search goes on above them, or
  // the end lies among them.
  auto begin = work_.begin(), end = work_.end();
  double spent = 0;
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    const double half = std::reduce(begin, middle + 1);
    if (spent + half <= budget) {
      spent += half;
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  // Lambda is below 1: something stays, whatever rounding says.
  return std::min(static_cast<std::size_t>(begin - work_.begin()), z.size() - 1);
}

}  // namespace spcart
