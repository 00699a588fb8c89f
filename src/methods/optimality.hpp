#pragma once

#include "data/gram.hpp"
#include "methods/elimination.hpp"

namespace spcart {

/// Whether a support of k variables is proved to be best: no other k variables have more than (1 +
/// 1e-7) times the variance, which is the largest eigenvalue of their part of S = A'A. True is a
/// proof, with room for rounding. False says nothing: the condition is sufficient, not necessary,
/// and is not tried if too many variables could matter.
///
/// d'Aspremont, Bach and El Ghaoui (2008): for every rho, the variance of k variables is at most
/// rho k + max over |y| = 1 of the sum of max((a_i'y)^2 - rho, 0), and that maximum is at most the
/// largest eigenvalue of the sum of any Y_i >= 0 with Y_i >= a_i a_i' - rho I. With z the direction
/// of A x, x the leading eigenvector on the support, and rho between (a_i'z)^2 outside of the
/// support and inside, the Y_i are chosen such that z is an eigenvector of the sum, with the
/// variance of the support minus rho k. If that eigenvalue is the largest, the support is best.
///
/// `reach` is S x, and `variance` is x'S x.
bool is_proved_optimal(const Gram& gram, const Variables& support, const Vector& reach,
                       double variance, const Tick& tick = {});

}  // namespace spcart
