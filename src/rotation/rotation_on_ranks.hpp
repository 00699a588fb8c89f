#pragma once

#include <span>
#include <vector>

#include "spcart/rotate.hpp"

namespace spcart {

/// A matrix whose rows are spread over ranks: a large basis is better rotated spread, too.
class RotationOnRanks {
 public:
  virtual ~RotationOnRanks() = default;

  /// Whether the rows of a basis of such a size should be spread.
  virtual bool spreads(Index variables, Index components) const = 0;

  /// rotate_and_truncate_all with the rows of V spread.
  virtual std::vector<Rotated> rotate_all(ConstBlock v, std::span<const RotateOptions> settings,
                                          const Tick& tick) const = 0;
};

}  // namespace spcart
