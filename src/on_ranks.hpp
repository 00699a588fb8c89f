#pragma once

#include <span>
#include <string>
#include <vector>

#include "krylov.hpp"
#include "spcart/rotate.hpp"

namespace spcart {

/// What a matrix whose rows are spread over ranks offers besides its products: work whose vectors
/// are better spread too.
class OnRanks {
 public:
  virtual ~OnRanks() = default;

  /// As krylov_eigenpairs finds them, and as many or fewer where the rank of A is smaller.
  virtual KrylovResult leading_eigenpairs(Index r, const PcaOptions& options, const Tick& tick,
                                          std::vector<std::string>& warnings) const = 0;

  /// Whether the rows of a basis of such a size should be spread.
  virtual bool spreads(Index variables, Index components) const = 0;

  /// rotate_and_truncate_all with the rows of V spread.
  virtual std::vector<Rotated> rotate_all(ConstBlock v, std::span<const RotateOptions> settings,
                                          const Tick& tick) const = 0;
};

}  // namespace spcart
