#pragma once

#include <limits>
#include <span>

#include "spcart/types.hpp"

namespace spcart {

// What is proved of the numbers that are stored, whatever rounding does on the way: an upper bound
// is never below the exact value, and "proved" is never said of what is false. docs/certificates.md
// has the argument.

/// Twice the unit roundoff.
inline constexpr double kUnit = std::numeric_limits<double>::epsilon();

/// Upper bound of a sum of this many products or absolute values, from the sum as computed.
inline double rounded_up(double sum, Index terms) {
  return sum + 2 * static_cast<double>(terms + 2) * kUnit * (sum < 0 ? -sum : sum);
}

/// Whether no eigenvalue of a symmetric M, of which the lower half is used, exceeds u: proved by a
/// Cholesky factorisation of u I - M with room for its rounding errors. M is overwritten. False
/// means only that there is no proof.
bool none_above(double u, Block m);

/// Upper bound of the sum of the r largest eigenvalues of a symmetric M, 1 <= r <= p, near the
/// exact value: r t + tr Z for some t and semidefinite Z for which t I + Z - M is proved to be
/// semidefinite.
double sum_of_largest_eigenvalues(const Matrix& m, Index r);

/// The same for M with rows and columns of zeros added, as many as needed: the sum of those of the
/// r largest that are positive.
double sum_of_largest_positive_eigenvalues(const Matrix& m, Index r);

/// Sum of the m largest numbers, or of all if there are fewer; of those that are positive only.
/// Changes their order.
double sum_of_largest(std::span<double> numbers, Index m);

}  // namespace spcart
