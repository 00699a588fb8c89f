#include "spcart/truncation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.hpp"
#include "base/reject.hpp"
#include "rotation/threshold.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

constexpr auto kTruncationTypeNames =
    std::to_array<Name<TruncationType>>({{TruncationType::hard, "hard", "l0"},
                                         {TruncationType::soft, "soft", "l1"},
                                         {TruncationType::count, "count", "sp"},
                                         {TruncationType::energy, "energy", "en"}});

constexpr double kDefaultZeros = 0.85;
constexpr double kDefaultEnergy = 0.15;

}  // namespace

std::string_view name(TruncationType value) { return name_in(kTruncationTypeNames, value); }
template <>
TruncationType parse<TruncationType>(std::string_view text) {
  return parse_name(kTruncationTypeNames, "truncation", text);
}

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
      reject("lambda", lambda,
             "with truncation count it is the number of zeros, a whole number from 0 to {}", p - 1);
  } else if (!(lambda >= 0 && lambda < 1)) {
    reject("lambda", lambda, "with truncation {} it must be at least 0 and below 1",
           name(truncation.type));
  }
}

Truncator::Truncator(const Truncation& truncation, Index p) : truncation_(truncation) {
  check(truncation, p);
}

void Truncator::operator()(std::span<const double> z, std::span<double> x) {
  const double lambda = truncation_.lambda;
  switch (truncation_.type) {
    case TruncationType::hard:
      std::ranges::transform(z, x.begin(),
                             [=](double v) { return std::abs(v) <= lambda ? 0.0 : v; });
      return;
    case TruncationType::soft:
      std::ranges::transform(z, x.begin(), [=](double v) {
        return std::abs(v) <= lambda ? 0.0 : std::copysign(std::abs(v) - lambda, v);
      });
      return;
    case TruncationType::count:
    case TruncationType::energy:
      break;
  }
  const Threshold t = select(z, truncation_, work_);
  std::int32_t index = 0;
  std::ranges::transform(z, x.begin(), [&](double v) {
    const double size = std::abs(v);
    const bool stays = size > t.least || (size == t.least && index >= t.ties_from);
    ++index;
    return stays ? v : 0.0;
  });
}

}  // namespace spcart
