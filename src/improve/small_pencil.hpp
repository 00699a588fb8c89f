#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// The largest eigenvalue of the pencil (M, B), both symmetric and B positive definite, of few rows
/// (at most 20). x is a guess, which may be zero, and becomes the eigenvector, of unit length.
///
/// Rayleigh quotient iteration from the guess, whose result is accepted only if a Cholesky
/// factorisation shows that no eigenvalue is larger; a full decomposition otherwise.
double leading_pair(const Matrix& m, const Matrix& b, Vector& x);

inline constexpr Index kMostSmall = 20;

}  // namespace spcart
