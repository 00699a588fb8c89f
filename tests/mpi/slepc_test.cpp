#include <gtest/gtest.h>

#include "spread.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::Kind;
using testing::spread;

/// A table with these singular values.
Matrix with_spectrum(Index rows, const Vector& values, std::uint64_t seed) {
  const Index p = values.size();
  return verify::random_orthonormal(rows, p, seed) * values.asDiagonal() *
         verify::random_orthonormal(p, p, seed + 1).transpose();
}

Basis by_slepc(const Matrix& s, Index r, PcaOptions options = {}) {
  options.solver = Solver::slepc;
  return principal_basis(*spread(s, {.center = false}, Kind::dense), r, options);
}

void expect_basis(const Basis& b, const Matrix& s, Index r) {
  const Vector expected = verify::singular_values(s).head(r);
  EXPECT_LT((b.singular_values - expected).norm(), 1e-8 * expected[0]);
  EXPECT_TRUE((b.vectors.transpose() * b.vectors).isIdentity(1e-10));
  EXPECT_LE(b.residuals.maxCoeff(), 1e-8);
  EXPECT_EQ(b.solver, Solver::slepc);
  for (Index i = 0; i < r; ++i) {
    Index largest = 0;
    b.vectors.col(i).cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(b.vectors(largest, i), 0);
  }
}

TEST(Slepc, HasTheContractOfPrincipalBasis) {
  const Matrix s = verify::decaying(90, 40, 3);
  for (const Index r : {1, 5, 20, 40}) expect_basis(by_slepc(s, r), s, r);
}

TEST(Slepc, FindsEqualEigenvaluesAsOftenAsTheyAre) {
  Vector values = Vector::LinSpaced(30, 3, 0.1);
  values.head(6) << 5, 5, 5, 4, 4, 4;
  const Matrix s = with_spectrum(60, values, 5);
  expect_basis(by_slepc(s, 8), s, 8);
}

TEST(Slepc, FindsAllIfAllAreEqual) {
  const Matrix s = with_spectrum(50, Vector::Ones(20), 7);
  expect_basis(by_slepc(s, 6), s, 6);
}

TEST(Slepc, CompletesTheBasisBeyondTheRank) {
  Vector values = Vector::Zero(20);
  values.head(4) << 4, 3, 2, 1;
  const Basis b = by_slepc(with_spectrum(30, values, 9), 7);
  EXPECT_EQ(b.rank, 4);
  EXPECT_TRUE((b.vectors.transpose() * b.vectors).isIdentity(1e-10));
  ASSERT_FALSE(b.warnings.empty());
}

TEST(Slepc, SaysThatItGaveUp) {
  const Matrix s = with_spectrum(600, Vector::LinSpaced(400, 1.02, 1), 11);
  const Basis b = by_slepc(s, 10, {.tolerance = 1e-12, .max_passes = 1});
  EXPECT_EQ(b.vectors.cols(), 10);
  EXPECT_TRUE((b.vectors.transpose() * b.vectors).isIdentity(1e-8));
  ASSERT_FALSE(b.warnings.empty());
  EXPECT_NE(b.warnings.front().find("did not reach their tolerance"), std::string::npos);
}

TEST(Slepc, KeepsVariablesThatDoNotVaryOut) {
  Matrix s = verify::decaying(50, 12, 13);
  s.col(4).setZero();
  const Basis b = by_slepc(s, 5);
  EXPECT_EQ(b.vectors.row(4).norm(), 0);
}

TEST(Slepc, IsTheSameForTheSameSeedAndOnesOwnScale) {
  const Matrix s = verify::decaying(60, 25, 15);
  const Basis first = by_slepc(s, 6), again = by_slepc(s, 6), large = by_slepc(1e100 * s, 6);
  EXPECT_EQ(first.vectors, again.vectors);
  EXPECT_LT((first.vectors - large.vectors).norm(), 1e-6);
}

TEST(Slepc, CanBeCancelled) {
  const auto a = spread(verify::decaying(60, 25, 17), {}, Kind::dense);
  int ticks = 0;
  const Tick stop = [&](double) {
    if (++ticks > 5) throw Cancelled();
  };
  EXPECT_THROW(principal_basis(*a, 6, {.solver = Solver::slepc}, stop), Cancelled);
  EXPECT_LE(principal_basis(*a, 6, {.solver = Solver::slepc}).residuals.maxCoeff(), 1e-8);
}

TEST(Slepc, IsForSpreadTablesOnly) {
  EXPECT_THROW(
      principal_basis(*make_dense(verify::decaying(20, 8, 1)), 2, {.solver = Solver::slepc}),
      Error);
}

}  // namespace
}  // namespace spcart
