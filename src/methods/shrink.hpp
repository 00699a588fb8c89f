#pragma once

#include <functional>

#include "spcart/truncation.hpp"

namespace spcart {

/// How a power method maps z = A'y, |y| = 1, of a component: writes x, of any length, and returns
/// the gain, (y'Ax)^2 / |x|^2 minus the penalty of the method, if it has one.
using Shrink = std::function<double(Index component, const Vector& z, Vector& x)>;

/// |z| T(z / |z|): one lambda suits z of any length (rSVD-GP).
Shrink relative_truncation(const Truncation& truncation, Index p);

/// The best x under a penalty on its nonzeros (hard) or on its l1 norm (soft). Lambda is a fraction
/// of the largest penalty that leaves anything, which is |a_j|^2 or |a_j| of the longest column of
/// A; `largest` is that |a_j|^2 (GPower, rSVD).
Shrink penalty(const Truncation& truncation, double largest);

/// The best x of unit length whose l1 norm is at most `bound`, at least 1 (SPC).
Shrink l1_bound(double bound);

/// The same among those x that are orthogonal to the orthonormal columns of Q (SCoTLASS). If the
/// bound leaves none, the one that comes nearest to it.
Shrink orthogonal_l1_bound(double bound, const Matrix& q);

}  // namespace spcart
