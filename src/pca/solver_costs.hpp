#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// A Gram matrix of more rows than this does not fit an ordinary memory.
inline constexpr Index kLargestGram = 30000;

/// What the parts of a solver would take. The constants are seconds, measured side by side on two
/// cores for tables of 200 to 30000 rows and columns; only their ratios matter.
struct SolverCosts {
  double product = 0;        ///< to form the Gram matrix of the smaller side
  double decomposition = 0;  ///< of it
  double read = 0;           ///< to read the table once
  double iterate = 0;        ///< passes of block Lanczos
  double basis = 0;          ///< to keep its basis orthonormal
};

SolverCosts solver_costs(Index rows, Index cols, double entries, Index components);

}  // namespace spcart
