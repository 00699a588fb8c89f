#include "spcart/refit.hpp"

#include <gtest/gtest.h>

#include "improve/sparse_loadings.hpp"
#include "spcart/criteria.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

/// One round as the definition has it, on the realised matrix.
Matrix refit_by_definition(const Matrix& a, const Matrix& x) {
  Matrix y(a.rows(), x.cols());  // row by row, the scores that best give the sample back
  for (Index i = 0; i < a.rows(); ++i)
    y.row(i) = verify::least_squares(x, a.row(i).transpose()).transpose();
  Matrix next = Matrix::Zero(x.rows(), x.cols());
  for (Index j = 0; j < x.rows(); ++j) {
    std::vector<Index> active;
    for (Index i = 0; i < x.cols(); ++i)
      if (x(j, i) != 0) active.push_back(i);
    if (active.empty()) continue;
    const Vector weights = verify::least_squares(y(Eigen::all, active), a.col(j));
    for (std::size_t k = 0; k < active.size(); ++k)
      next(j, active[k]) = weights[static_cast<Index>(k)];
  }
  return next.colwise().normalized();
}

TEST(Refit, EqualsItsDefinition) {
  const Matrix m = verify::decaying(60, 20, 1);
  const auto a = make_dense(m);
  const Loadings x = sparse_loadings(*a, 5, 6);
  Matrix expected(x);
  for (int round = 0; round < 3; ++round)
    expected = refit_by_definition(verify::prepared(m, {}), expected);
  EXPECT_LE((Matrix(refit(*a, x, 3)) - expected).norm(), 1e-9);
}

TEST(Refit, ExplainedVarianceNeverFallsAndSupportNeverGrows) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Matrix m = verify::decaying(50, 30, seed);
    const auto a = make_dense(m);
    Loadings x = sparse_loadings(*a, 6, 5);
    const auto support = verify::supports(x);
    double before = evaluate(*a, x, 1).cpev;
    for (int round = 0; round < 10; ++round) {
      x = refit(*a, x, 1);
      const double after = evaluate(*a, x, 1).cpev;
      EXPECT_GE(after, before - 1e-12);
      before = after;
    }
    EXPECT_EQ(verify::supports(x), support);
  }
}

TEST(Refit, EmptyAndRepeatedComponentsAreHarmless) {
  const auto a = make_dense(verify::decaying(40, 10, 3));
  Matrix x = Matrix::Zero(10, 4);
  x.col(0).head(3).setConstant(1);
  x.col(1) = x.col(0);  // repeats the first
  x.col(3).tail(2).setConstant(1);
  const Loadings fitted = refit(*a, Loadings(x.sparseView()), 5);
  EXPECT_TRUE(Matrix(fitted).allFinite());
  EXPECT_EQ(fitted.col(2).nonZeros(), 0);
  EXPECT_GE(evaluate(*a, fitted, 1).cpev, evaluate(*a, Loadings(x.sparseView()), 1).cpev - 1e-10);
}

TEST(Refit, NoRoundsGiveTheLoadingsBackWithUnitLength) {
  const auto a = make_dense(verify::decaying(40, 10, 3));
  Loadings x(10, 1);
  x.insert(4, 0) = 3;
  EXPECT_EQ(refit(*a, x, 0).coeff(4, 0), 1);
  EXPECT_THROW(refit(*a, x, -1), Error);
  EXPECT_THROW(refit(*a, Loadings(9, 1), 1), Error);
}

TEST(Refit, CovarianceGivesTheSameAsItsData) {
  const Matrix m = verify::decaying(60, 15, 5);
  const Matrix dense = verify::prepared(m, {});
  const auto a = make_dense(m);
  const auto c = make_covariance(dense.transpose() * dense / 59);
  const Loadings x = sparse_loadings(*a, 4, 5);
  EXPECT_LE((Matrix(refit(*a, x, 5)) - Matrix(refit(*c, x, 5))).norm(), 1e-9);
}

}  // namespace
}  // namespace spcart
