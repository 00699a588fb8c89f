#include "base/random.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace spcart {

std::uint64_t seed_of(std::uint64_t seed, Index i) {  // splitmix64 (Steele, Lea and Flood 2014)
  std::uint64_t z = seed + 0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(i) + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

double Random::normal() {  // Box and Muller: two at a time
  has_spare_ = !has_spare_;
  if (!has_spare_) return spare_;
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

Index Random::below(Index bound) {
  const auto drawn = static_cast<Index>(uniform() * static_cast<double>(bound));
  return drawn < bound ? drawn : bound - 1;
}

void Random::skip(Index draws) { engine_.discard(static_cast<unsigned long long>(draws)); }

Matrix Random::normal(Index rows, Index cols) {
  Matrix m(rows, cols);
  for (double& value : m.reshaped()) value = normal();
  return m;
}

std::vector<Index> Random::permutation(Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index left = count; left > 1; --left)
    std::swap(order[static_cast<std::size_t>(left - 1)],
              order[static_cast<std::size_t>(below(left))]);
  return order;
}

}  // namespace spcart
