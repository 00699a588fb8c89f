#include "linalg/polar.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/lapack.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

Matrix with_singular_values(const Vector& d, std::uint64_t seed) {
  return verify::random_orthonormal(d.size(), d.size(), seed) * d.asDiagonal() *
         verify::random_orthonormal(d.size(), d.size(), seed + 1).transpose();
}

/// The decomposition is the reference.
void expect_polar(PolarSteps& steps, const Matrix& b, double tolerance) {
  const Polar expected = polar(b);
  Matrix factor;
  const double trace_norm = steps(b, factor);
  EXPECT_LE((factor.transpose() * factor - Matrix::Identity(b.rows(), b.rows())).norm(), 1e-12);
  EXPECT_LE((factor - expected.factor).norm(), tolerance);
  EXPECT_NEAR(trace_norm, expected.trace_norm, 1e-12 * expected.trace_norm);
}

TEST(PolarSteps, FindThePolarFactorOfAnyCondition) {
  for (const Index r : {1, 2, 3, 8, 33, 70})
    for (const double least : {1.0, 0.5, 0.1, 1e-2, 1e-4, 1e-8})
      for (const double scale : {1.0, 1e-12, 1e9}) {
        PolarSteps steps(r);
        Vector d = Vector::LinSpaced(r, least, 1) * scale;
        expect_polar(steps, with_singular_values(d, 5), 1e-13 / least * std::sqrt(double(r)));
      }
}

TEST(PolarSteps, NeedNoDecompositionAlongAnAlternation) {
  PolarSteps steps(20);
  const Matrix change = verify::random_matrix(20, 20, 9);
  Matrix b = with_singular_values(Vector::LinSpaced(20, 0.4, 1.3), 11);
  for (int k = 0; k < 30; ++k) {
    expect_polar(steps, b, 1e-12);
    b += 0.002 * change;
  }
  EXPECT_EQ(steps.decomposed(), 0);
}

TEST(PolarSteps, FollowASuddenChange) {
  PolarSteps steps(12);
  expect_polar(steps, with_singular_values(Vector::LinSpaced(12, 0.9, 1), 1), 1e-12);
  expect_polar(steps, with_singular_values(Vector::LinSpaced(12, 1e-3, 50), 2), 1e-9);
  expect_polar(steps, with_singular_values(Vector::LinSpaced(12, 1e-9, 2e-9), 3), 1e-12);
}

TEST(PolarSteps, LeaveSingularMatricesToTheDecomposition) {
  PolarSteps steps(6);
  Vector d = Vector::Ones(6);
  d[5] = 0;
  Matrix factor;
  for (const Matrix& b :
       {with_singular_values(d, 4), Matrix(Matrix::Zero(6, 6)), Matrix(Vector(d).asDiagonal())}) {
    const double trace_norm = steps(b, factor);
    EXPECT_NEAR(trace_norm, polar(b).trace_norm, 1e-12);
    EXPECT_LE((factor.transpose() * factor - Matrix::Identity(6, 6)).norm(), 1e-12);
    EXPECT_NEAR(factor.cwiseProduct(b).sum(), trace_norm, 1e-12);
  }
  EXPECT_EQ(steps.decomposed(), 3);
}

}  // namespace
}  // namespace spcart
