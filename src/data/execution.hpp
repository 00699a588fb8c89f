#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "spcart/rotate.hpp"

namespace spcart {

/// Leading eigenpairs of A'A, computed from products with blocks only.
struct Eigenpairs {
  Matrix vectors;    ///< orthonormal columns
  Vector values;     ///< largest first
  Vector residuals;  ///< |A'A v - value v|, as far as products are exact
  bool converged = false;
  Index passes = 0;   ///< over the data
  Index columns = 0;  ///< that were multiplied in them
};

/// When to stop the iterations of an eigensolver, and how it starts.
struct EigenOptions {
  double tolerance = 1e-8;  ///< of |A'A v - s^2 v|, as a fraction of s_1^2
  Index max_passes = 500;   ///< maximum number of passes over the data
  std::uint64_t seed = 0;   ///< of the starting block
};

/// Where work other than products with A is done: locally, as in this class, or on the ranks over
/// which the rows of A are spread.
class SPCART_EXPORT_TO_MPI Execution {
 public:
  virtual ~Execution() = default;

  virtual int ranks() const { return 1; }  ///< that share the work

  /// Whether several threads may compute products at the same time.
  virtual bool is_concurrent() const { return true; }

  /// Eigenpairs with vectors that are spread over the ranks. Throws Error if there are no ranks.
  virtual Eigenpairs spread_eigenpairs(Index r, const EigenOptions& options, const Tick& tick,
                                       std::vector<std::string>& warnings) const;

  /// Whether a basis of this size should be rotated with its rows spread over ranks.
  virtual bool spreads(Index variables, Index components) const;

  /// rotate_and_truncate_all, with the rows of V spread over ranks if that pays off.
  virtual std::vector<RotationResult> rotate(ConstBlock v, std::span<const RotateOptions> settings,
                                             const Tick& tick) const;
};

/// All work is done locally.
const Execution& local_execution();

}  // namespace spcart
