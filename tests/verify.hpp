#pragma once

#include <vector>

#include "spcart/spcart.hpp"

/// An independent verifier: recomputes everything from raw numbers, in the slow and obvious way.
namespace spcart::verify {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed);
Matrix random_orthonormal(Index rows, Index cols, std::uint64_t seed);

/// Data with a decaying spectrum and correlated variables: no ties, no degenerate components.
Matrix decaying(Index n, Index p, std::uint64_t seed);

/// The prepared table, in full.
Matrix prepared(Matrix s, const Preparation& preparation);

Vector singular_values(const Matrix& a);
Vector least_squares(const Matrix& a, const Vector& b);

struct Figures {
  double cpev = 0, ev = 0, nonorthogonality = 0, worst = 0;
  Vector adjusted;
};

/// The criteria of dense loadings on a dense matrix, by decompositions that the library does not
/// use.
Figures figures(const Matrix& a, const Matrix& x);

/// How far the columns of u are outside the span of the orthonormal columns of v.
double subspace_distance(const Matrix& u, const Matrix& v);

std::vector<std::vector<Index>> supports(const Loadings& x);

}  // namespace spcart::verify
