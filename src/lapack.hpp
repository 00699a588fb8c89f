#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// Leading eigenpairs of a symmetric matrix, largest first.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};
SymmetricEigen symmetric_eigen(Matrix c, Index count);

/// Whether a symmetric matrix is positive definite, by Cholesky.
bool is_positive_definite(Matrix c);

/// Polar(B) = W Q' for the singular value decomposition B = W D Q' of a square matrix: the orthogonal
/// matrix nearest to B.
struct Polar {
  Matrix factor;
  double trace_norm = 0;  ///< sum of the singular values, tr(factor' B)
};
Polar polar(Matrix b);

}  // namespace spcart
