#include "random.hpp"

#include <cmath>
#include <numbers>

namespace spcart {

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

Matrix Random::normal(Index rows, Index cols) {
  Matrix m(rows, cols);
  for (double& value : m.reshaped()) value = normal();
  return m;
}

}  // namespace spcart
