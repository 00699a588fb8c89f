#include "base/indices.hpp"

#include <algorithm>
#include <numeric>

namespace spcart {

Indices indices_of_largest(const Vector& values, Index count) {
  Indices order(at(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  if (count >= values.size()) return order;
  if (count <= 0) return {};
  const auto before = [&](Index i, Index j) {
    return values[i] != values[j] ? values[i] > values[j] : i < j;
  };
  std::ranges::nth_element(order, order.begin() + (count - 1), before);
  order.resize(at(count));
  std::ranges::sort(order);
  return order;
}

}  // namespace spcart
