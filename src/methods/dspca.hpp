#pragma once

#include <vector>

#include "spcart/types.hpp"

namespace spcart {

/// The result of max tr(SX) - rho |X|_1 over X >= 0 (semidefinite), tr X = 1, where |X|_1 is the
/// sum of all |X_ij|. Its dual is min of the largest eigenvalue of S + U over |U_ij| <= rho.
struct Relaxation {
  Matrix x;          ///< near the optimum, with exact zeros
  double value = 0;  ///< of a feasible X: the optimum is not below it
  double bound = 0;  ///< of a feasible U: the optimum is not above it, up to rounding
  struct Step {
    double change;  ///< of X
    double value;   ///< so far
  };
  std::vector<Step> steps = {};
  bool converged = false;  ///< bound - value <= tolerance * bound
};

struct RelaxationOptions {
  double tolerance = 1e-6;
  Index max_iterations = 200;
};

/// By the alternating direction method of multipliers on X = Y, with X in the first term and Y in
/// the second.
Relaxation solve_relaxation(const Matrix& s, double rho, const RelaxationOptions& options,
                            const Tick& tick = {});

}  // namespace spcart
