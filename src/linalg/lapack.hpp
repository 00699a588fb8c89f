#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// Leading eigenpairs of a symmetric matrix, largest first.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};
SymmetricEigen symmetric_eigen(Matrix c, Index count);

/// An orthonormal basis Q of the span of the columns of M = Q R, the diagonal of R not negative. M
/// has at least as many rows as columns.
Matrix orthonormalized(Matrix m);

/// The same with R, and only as many columns as are independent: M is near Q R, and the rest of M
/// is below `threshold`.
struct RankRevealing {
  Matrix q, r;
};
RankRevealing orthonormalized_above(Matrix m, double threshold);

/// The x of least length that minimises |G x - h| for a symmetric positive semidefinite G and every
/// column h of H.
Matrix solve_semidefinite(const Matrix& g, const Matrix& h);
Matrix inverse_semidefinite(const Matrix& g);

/// Whether a symmetric matrix is positive definite, by Cholesky.
bool is_positive_definite(Matrix c);

/// Polar(B) = W Q' for the singular value decomposition B = W D Q' of a square matrix: the
/// orthogonal matrix nearest to B.
struct Polar {
  Matrix factor;
  double trace_norm = 0;  ///< sum of the singular values, tr(factor' B)
};
Polar polar(Matrix b);

}  // namespace spcart
