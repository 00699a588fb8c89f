#pragma once

#include <string>
#include <vector>

#include "pca/krylov.hpp"

namespace spcart {

/// A matrix whose rows are spread over ranks: eigenvectors are better found spread, too.
class EigenpairsOnRanks {
 public:
  virtual ~EigenpairsOnRanks() = default;

  /// As krylov_eigenpairs finds them, and as many, or fewer if the rank of A is smaller.
  virtual KrylovResult leading_eigenpairs(Index r, const PcaOptions& options, const Tick& tick,
                                          std::vector<std::string>& warnings) const = 0;
};

}  // namespace spcart
