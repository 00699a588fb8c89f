#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "datasets/builtin.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

void check(const SpikedOptions& options) {
  check_shape("spiked", options.n, options.p);
  check_range("spiked", "r", options.r, 1, options.p);
  check_range("spiked", "k", options.k, 1, options.p / options.r);
  if (!(options.strength > 0) || !std::isfinite(options.strength)) {
    throw Error(
        fmt::format("@spiked: strength = {}, must be positive and finite", options.strength));
  }
  if (!(options.noise >= 0) || !std::isfinite(options.noise))
    throw Error(fmt::format("@spiked: noise = {}, must be finite and at least 0", options.noise));
}

/// The first `count` of 0, ..., p - 1 in random order.
std::vector<Index> draw_variables(Index p, Index count, Random& random) {
  std::vector<Index> variables(static_cast<std::size_t>(p));
  std::iota(variables.begin(), variables.end(), Index{0});
  for (Index i = 0; i < count; ++i)
    std::iter_swap(variables.begin() + i, variables.begin() + i + random.below(p - i));
  variables.resize(static_cast<std::size_t>(count));
  return variables;
}

/// A unit vector whose entries differ by a factor of at most two; the largest is positive.
Vector draw_values(Index k, Random& random) {
  Vector values(k);
  for (double& value : values) {
    const double magnitude = 1 + random.uniform();
    value = random.below(2) == 0 ? magnitude : -magnitude;
  }
  Index largest = 0;
  values.cwiseAbs().maxCoeff(&largest);
  return values / std::copysign(values.norm(), values(largest));
}

Loadings plant(const SpikedOptions& options, Random& random) {
  const auto variables = draw_variables(options.p, options.r * options.k, random);
  std::vector<Eigen::Triplet<double, Index>> entries;
  for (Index i = 0; i < options.r; ++i) {
    const Vector values = draw_values(options.k, random);
    for (Index j = 0; j < options.k; ++j)
      entries.emplace_back(variables[static_cast<std::size_t>(i * options.k + j)], i, values(j));
  }
  Loadings x(options.p, options.r);
  x.setFromTriplets(entries.begin(), entries.end());
  return x;
}

}  // namespace

Spiked make_spiked(const SpikedOptions& options) {
  check(options);
  Random random(options.seed);
  const Loadings truth = plant(options, random);
  Matrix samples = options.noise * random.normal(options.n, options.p);
  for (Index i = 0; i < options.r; ++i) {
    const double strength = options.strength * (1 + 0.25 * static_cast<double>(options.r - 1 - i));
    const Vector factor = strength * random.normal(options.n, 1);
    for (Loadings::InnerIterator entry(truth, i); entry; ++entry)
      samples.col(entry.row()) += entry.value() * factor;
  }
  return {make_table(std::move(samples)), truth};
}

}  // namespace spcart
