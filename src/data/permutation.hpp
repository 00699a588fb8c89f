#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace spcart {

// The values of each variable in random order. The variables of a table take their draws one after
// the other from one stream of random numbers, so that each gets the same order on one machine and
// on ranks.

/// Puts values in random order, by count - 1 draws.
template <class T>
void shuffle(T* values, Index count, Random& random) {
  for (Index left = count; left > 1; --left)
    std::swap(values[left - 1], values[random.below(left)]);
}

/// Draws the rows of the entries of sparse variables. Each draw takes the next row of a permutation
/// that is drawn only as far as it is needed; the order left by the last variable is as good a
/// start as any.
template <class I>
class RowDraw {
 public:
  explicit RowDraw(Index rows) : order_(static_cast<std::size_t>(rows)) {
    std::iota(order_.begin(), order_.end(), I{0});
  }

  /// As many different rows, in ascending order, by as many draws.
  void draw(Index count, Random& random, I* rows) {
    const auto all = static_cast<Index>(order_.size());
    for (Index drawn = 0; drawn < count; ++drawn) {
      std::swap(order_[static_cast<std::size_t>(drawn)],
                order_[static_cast<std::size_t>(drawn + random.below(all - drawn))]);
      rows[drawn] = order_[static_cast<std::size_t>(drawn)];
    }
    std::sort(rows, rows + count);
  }

 private:
  std::vector<I> order_;
};

}  // namespace spcart
