#pragma once

#include <limits>

#include "data/gram.hpp"

namespace spcart {

/// The solution z(t) of  min z'(A'A + ridge I)z - 2 h'z + 2 t |z|_1  as the penalty t falls from
/// max |h|, where z is zero: it is linear between the penalties at which a variable enters or
/// leaves, and is followed from one to the next (LARS-EN, Zou and Hastie 2005).
class ElasticNet {
 public:
  /// Where the path ends: whichever comes first.
  struct End {
    double penalty = 0;
    double length = std::numeric_limits<double>::infinity();  ///< at |z|_1
    Index nonzeros = std::numeric_limits<Index>::max();       ///< before more would enter
  };
  struct Solution {
    Vector z;
    double penalty = 0;  ///< where the path ended
  };

  /// `gram` must outlive it. The ridge is finite, in the units of A'A.
  ElasticNet(const Gram& gram, double ridge) : gram_(gram), ridge_(ridge) {}

  /// Variables that enter at the same penalty count as one: all of them or none, unless they are
  /// the first and too many. May be called from several threads at once, then without a tick.
  Solution follow(const Vector& h, const End& end, const Tick& tick = {}) const;

 private:
  const Gram& gram_;
  double ridge_;
};

}  // namespace spcart
