#include "spcart/criteria.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <limits>
#include <numbers>

#include "spcart/error.hpp"
#include "spcart/pca.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

void expect_figures(const Matrix& m, const Matrix& x) {
  const auto a = make_dense(m);
  const Criteria c = evaluate(*a, Loadings(x.sparseView(0, 0)), 0.9);
  const verify::Figures f = verify::figures(verify::prepared(m, {}), x);
  EXPECT_NEAR(c.cpev, f.cpev, 1e-9);
  EXPECT_NEAR(c.ev, f.ev, 1e-9);
  EXPECT_NEAR(c.nonorthogonality, f.nonorthogonality, 1e-12);
  EXPECT_NEAR(c.worst_nonorthogonality, f.worst, 1e-12);
  EXPECT_LE((c.adjusted_variance - f.adjusted).norm(), 1e-9);
  EXPECT_EQ(c.cpev_pca, 0.9);
  EXPECT_NEAR(c.share_of_pca(), f.cpev / 0.9, 1e-9);
  EXPECT_NEAR(c.cpev_gains.sum(), c.cpev, 1e-12);
  EXPECT_GE(c.cpev_gains.minCoeff(), 0);
  Matrix units = x;
  for (Index i = 0; i < x.cols(); ++i)
    if (x.col(i).norm() > 0) units.col(i).normalize();
  const Matrix scores = verify::prepared(m, {}) * units;
  const double total = verify::prepared(m, {}).squaredNorm();
  EXPECT_LE((c.score_covariance - scores.transpose() * scores / total).norm(), 1e-12);
  double before = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    const double so_far = verify::figures(verify::prepared(m, {}), x.leftCols(i + 1)).cpev;
    EXPECT_NEAR(c.cpev_gains[i], so_far - before, 1e-9);
    before = so_far;
  }
}

Matrix random_sparse(Index p, Index r, std::uint64_t seed) {
  const Matrix mask = verify::random_matrix(p, r, seed);
  return (mask.array() > 0.3).select(verify::random_matrix(p, r, seed + 1).array(), 0.0);
}

TEST(Criteria, EvaluateAnyMatrixAsTheVerifierDoes) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    expect_figures(verify::decaying(40, 12, seed), random_sparse(12, 5, seed));
}

TEST(Criteria, ZeroColumnsCopiesAndFullRankAreEvaluatedToo) {
  const Matrix m = verify::decaying(40, 6, 3);
  Matrix x = random_sparse(6, 4, 1);
  x.col(1).setZero();
  expect_figures(m, x);
  x.col(2) = -3 * x.col(0);
  expect_figures(m, x);
  expect_figures(m, Matrix::Identity(6, 6));
  expect_figures(m, Matrix::Zero(6, 2));
  expect_figures(m, verify::random_matrix(6, 9, 2));  // more components than variables
}

TEST(Criteria, GainsAreThoseOfTheSpanAlsoIfLoadingsAreNearlyDependent) {
  const Matrix m = verify::decaying(40, 12, 3);
  Matrix x = random_sparse(12, 3, 4);
  x.col(1) = x.col(0) + 1e-4 * Vector::Unit(12, 7);
  expect_figures(m, x);
}

TEST(Criteria, LengthAndSignOfColumnsDoNotMatter) {
  const auto a = make_dense(verify::decaying(40, 12, 3));
  const Matrix x = random_sparse(12, 3, 4);
  const Criteria c = evaluate(*a, Loadings(x.sparseView()), 1);
  Matrix scaled = x;
  scaled.col(0) *= -1e-200;
  scaled.col(1) *= 1e200;
  const Criteria d = evaluate(*a, Loadings(scaled.sparseView(0, 0)), 1);
  EXPECT_NEAR(c.cpev, d.cpev, 1e-12);
  EXPECT_EQ(c.nonzeros, d.nonzeros);
}

TEST(Criteria, UnitsOfTheDataDoNotMatter) {
  const Matrix m = verify::decaying(40, 12, 3);
  const Loadings x = random_sparse(12, 4, 4).sparseView();
  const Criteria c = evaluate(*make_dense(m), x, 1);
  for (const double unit : {1e-80, 1e80}) {
    const Criteria d = evaluate(*make_dense(unit * m), x, 1);
    EXPECT_NEAR(c.cpev, d.cpev, 1e-12);
    EXPECT_LE((c.adjusted_variance - d.adjusted_variance).norm(), 1e-12);
  }
}

TEST(Criteria, AComponentWithoutVarianceTakesNothingFromOthers) {
  Matrix m = verify::decaying(40, 2, 3);
  m.col(1) = 3 * m.col(0);
  Matrix x(2, 2);
  x << 1, 1, -1, 1;
  const Criteria c = evaluate(*make_dense(m, {.scale = true}), Loadings(x.sparseView()), 1);
  EXPECT_NEAR(c.adjusted_variance[0], 0, 1e-12);
  EXPECT_NEAR(c.adjusted_variance[1], 1, 1e-12);
}

TEST(Criteria, SparsityHasTheSampleDeviation) {
  Matrix x = Matrix::Zero(10, 3);
  x.col(0).head(2).setOnes();
  x.col(1).head(5).setOnes();
  const Criteria c =
      evaluate(*make_dense(verify::decaying(20, 10, 1)), Loadings(x.sparseView()), 1);
  EXPECT_EQ(c.nonzeros, (std::vector<Index>{2, 5, 0}));
  EXPECT_NEAR(c.sparsity.mean, 2.3 / 3, 1e-12);
  EXPECT_NEAR(c.sparsity.min, 0.5, 1e-12);
  const double mean = 2.3 / 3;
  EXPECT_NEAR(
      c.sparsity.std,
      std::sqrt((std::pow(0.8 - mean, 2) + std::pow(0.5 - mean, 2) + std::pow(1 - mean, 2)) / 2),
      1e-12);
}

TEST(Criteria, PrincipalComponentsExplainWhatTheyShould) {
  const auto a = make_dense(verify::decaying(50, 10, 2));
  const Basis b = principal_basis(*a, 4);
  const Criteria c = evaluate(*a, Loadings(b.vectors.sparseView()), b.cpev());
  EXPECT_NEAR(c.cpev, b.cpev(), 1e-12);
  EXPECT_NEAR(c.ev, c.cpev, 1e-12);
  EXPECT_NEAR(c.share_of_pca(), 1, 1e-12);
  EXPECT_LE(c.nonorthogonality, 1e-12);
  for (Index i = 0; i < 4; ++i)
    EXPECT_NEAR(c.adjusted_variance[i], std::pow(b.singular_values[i], 2) / b.total_variance,
                1e-12);
}

TEST(Criteria, OrderByAdjustedVarianceNeverRises) {
  const Matrix m = verify::decaying(40, 12, 6);
  const auto a = make_dense(m);
  const Matrix x = random_sparse(12, 6, 3);
  const auto order =
      order_by_adjusted_variance(explained_by(*a, Loadings(x.sparseView())).covariance);
  const Matrix ordered = x(Eigen::all, order);
  const Criteria c = evaluate(*a, Loadings(ordered.sparseView()), 1);
  for (Index i = 1; i < 6; ++i)
    EXPECT_LE(c.adjusted_variance[i], c.adjusted_variance[i - 1] + 1e-12);
}

TEST(Criteria, RelationsAreThoseOfLoadingsAndScores) {
  const Matrix m = verify::decaying(40, 12, 8);
  const auto a = make_dense(m);
  Matrix x = random_sparse(12, 5, 9);
  x.col(2).setZero();
  x.col(4) = -2 * x.col(0);
  const Relations found = relations(*a, Loadings(x.sparseView(0, 0)));
  const Matrix y = verify::prepared(m, {}) * x;
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j) {
      const bool none = i == 2 || j == 2;
      const double cosine = none ? 0 : x.col(i).normalized().dot(x.col(j).normalized());
      EXPECT_NEAR(found.cosines(i, j), cosine, 1e-12);
      EXPECT_NEAR(std::cos(found.angles(i, j) * std::numbers::pi / 180), std::abs(cosine), 1e-12);
      EXPECT_NEAR(found.correlations(i, j),
                  none ? 0 : y.col(i).normalized().dot(y.col(j).normalized()), 1e-9);
    }
  EXPECT_LE(found.angles.maxCoeff(), 90);
  EXPECT_NEAR(found.angles(0, 4), 0, 1e-5);
}

TEST(Criteria, SharesOfVarianceSumToWhatPcaExplains) {
  const auto a = make_dense(verify::decaying(40, 12, 5));
  const Basis b = principal_basis(*a, 4);
  const Vector shares = variance_shares(b.singular_values, b.total_variance);
  EXPECT_NEAR(shares.sum(), b.cpev(), 1e-12);
  EXPECT_GE(shares.minCoeff(), 0);
}

TEST(Criteria, OneLoadingHasNoSpreadAndNoPairs) {
  const auto a = make_dense(verify::decaying(20, 5, 1));
  const Criteria c = evaluate(*a, Loadings(Matrix(Vector::Unit(5, 2)).sparseView()), 1);
  EXPECT_EQ(c.sparsity.std, 0);
  EXPECT_EQ(c.nonorthogonality, 0);
}

TEST(Criteria, BadInputIsRejected) {
  const auto a = make_dense(verify::decaying(20, 5, 1));
  EXPECT_THROW(evaluate(*a, Loadings(4, 2), 1), Error);
  EXPECT_THROW(evaluate(*a, Loadings(5, 0), 1), Error);
  Loadings x(5, 1);
  x.insert(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(evaluate(*a, x, 1), Error);
}

/// The least-squares residual of each variable, by a dense decomposition; repeated components
/// add nothing.
TEST(Criteria, VarianceByScoresIsThatOfRegression) {
  const Matrix s = verify::decaying(30, 8, 4);
  const auto a = make_dense(view_of(s));
  const Matrix dense = verify::prepared(s, {});
  Matrix x = Matrix::Zero(8, 3);
  x.col(0).head(3) = Eigen::Vector3d(1, 2, -1);
  x.col(1).tail(4) = Eigen::Vector4d(3, 1, 1, 2);
  x.col(2) = x.col(0);
  const Matrix y = dense * x.leftCols(2);
  const Matrix left = dense - y * y.colPivHouseholderQr().solve(dense);
  const double expected = dense.squaredNorm() - left.squaredNorm();
  const Loadings all = x.sparseView(), two = x.leftCols(2).eval().sparseView();
  EXPECT_NEAR(variance_by_scores(*a, two), expected, 1e-10 * dense.squaredNorm());
  EXPECT_NEAR(variance_by_scores(*a, all), expected, 1e-10 * dense.squaredNorm());
  EXPECT_GE(expected, explained_by(*a, two).span);
  EXPECT_THROW(variance_by_scores(*a, Loadings(7, 2)), Error);
}

}  // namespace
}  // namespace spcart
