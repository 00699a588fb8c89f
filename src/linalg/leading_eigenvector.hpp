#pragma once

#include <functional>

#include "spcart/types.hpp"

namespace spcart {

/// The leading eigenvector of a symmetric positive semidefinite matrix that is known by its
/// products, by Lanczos steps that are restarted from the best vector so far until |C x - value x|
/// <= tolerance * value. An eigenvector orthogonal to `start` is not found: perturb it. Zero if C
/// start is zero.
Vector leading_eigenvector(const std::function<Vector(const Vector&)>& product, const Vector& start,
                           double tolerance);

}  // namespace spcart
