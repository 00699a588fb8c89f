#pragma once

#include <vector>

#include "spcart/truncation.hpp"

namespace spcart {

/// So many lambdas from none that zeroes anything to `most`, such that about the same factor of
/// nonzeros lies between any two of them; z is the rotated basis, and tells what a lambda leaves of
/// it.
std::vector<double> lambdas_along(const Matrix& z, TruncationType type, double most, Index points);

}  // namespace spcart
