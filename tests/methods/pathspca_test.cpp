#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "enumeration.hpp"
#include "real_data.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using Supports = std::vector<std::vector<Index>>;

Result fit_path(const DataMatrix& a, Index components, Index nonzeros) {
  return fit(a, {.method = Method::pathspca,
                 .components = components,
                 .nonzeros = nonzeros,
                 .effort = Effort{Effort::Level::none},
                 .order = Order::none});
}

using enumeration::best_block;
using enumeration::largest_eigenvalue;

TEST(PaperTables, PathspcaOnSyntheticData) {
  const auto a = make_matrix(load_dataset("synthetic"));
  const Result result =
      fit(*a, {.method = Method::pathspca, .truncation = TruncationType::count, .lambda = 4});
  EXPECT_EQ(verify::supports(result.loadings), (Supports{{4, 5, 6, 7, 8, 9}, {0, 1, 2, 3, 8, 9}}));
  EXPECT_NEAR(result.criteria.cpev, .9960, 0.5e-4);
}

TEST(PaperTables, PathspcaOnPitpropsIsAtLeastAsGood) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Result result = fit_path(*a, 6, 3);
  EXPECT_EQ(result.criteria.nonzeros, std::vector<Index>(6, 3));
  EXPECT_LE(result.criteria.nonorthogonality, .0484);
  EXPECT_GE(result.criteria.cpev, .7840);
  EXPECT_NEAR(result.criteria.nonorthogonality, .0290, 0.5e-4);
  EXPECT_NEAR(result.criteria.cpev, .7988, 0.5e-4);
}

using PathspcaOnRealData = testing::RealData;

TEST_F(PathspcaOnRealData, ImagePatches) {
  const auto a = patches();
  const Result result = fit_path(*a, 70, 26);
  EXPECT_NEAR(result.criteria.cpev, .9067, 0.5e-4);
  EXPECT_NEAR(result.criteria.nonorthogonality, .0287, 0.5e-4);
  EXPECT_NEAR(fit_path(*a, 70, 17).criteria.cpev, .9050, 0.5e-4);
  EXPECT_NEAR(fit_path(*a, 70, 9).criteria.cpev, .8958, 0.5e-4);
}

TEST(Pathspca, LiesBetweenTheBestVariableAndTheOptimum) {
  const ThreadScope scope(1);  // thousands of tiny decompositions
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix m = verify::prepared(verify::decaying(20, 8, seed), {});
    const Matrix c = m.transpose() * m;
    const auto a = make_covariance(c);
    double before = c.diagonal().maxCoeff();
    for (int k = 1; k <= 8; ++k) {
      const Vector x = Matrix(fit_path(*a, 1, k).loadings).col(0);
      const double variance = x.dot(c * x);
      EXPECT_GE(variance, before * (1 - 1e-12));
      EXPECT_LE(variance, best_block(c, k) * (1 + 1e-12));
      before = variance;
    }
    EXPECT_NEAR(before, best_block(c, 8), 1e-9 * before);
  }
}

/// The rule of the authors, the slow way.
TEST(Pathspca, AddsTheVariableOfTheLargestBound) {
  const Matrix m = verify::prepared(verify::decaying(40, 12, 3), {});
  const Matrix c = m.transpose() * m;
  const auto a = make_covariance(c);
  std::vector<Index> support(1);
  c.diagonal().maxCoeff(&support[0]);
  for (Index k = 1; k < 12; ++k) {
    std::ranges::sort(support);
    ASSERT_EQ(verify::supports(fit_path(*a, 1, k).loadings)[0], support);
    const Eigen::SelfAdjointEigenSolver<Matrix> e(Matrix(c(support, support)));
    Vector bounds = (c(Eigen::all, support) * e.eigenvectors().rightCols(1)).cwiseAbs2();
    bounds(support).setZero();
    Index next = 0;
    bounds.maxCoeff(&next);
    support.push_back(next);
  }
}

TEST(Pathspca, HistoryIsThePathOfEveryComponent) {
  const auto a = make_dense(verify::decaying(40, 12, 4));
  const Result result = fit_path(*a, 3, 7);
  ASSERT_EQ(result.history.size(), 21U);
  const Criteria& c = result.criteria;
  EXPECT_NEAR(1 - result.history[6].objective, c.adjusted_variance[0], 1e-10);
  for (std::size_t i = 0; i < 21; ++i) {
    const std::size_t k = i % 7;
    EXPECT_NEAR(result.history[i].sparsity, 1 - static_cast<double>(k + 1) / 12, 1e-12);
    if (k > 0) {
      EXPECT_LE(result.history[i].objective, result.history[i - 1].objective + 1e-12);
    }
  }
}

/// More variables than are decomposed at once.
TEST(Pathspca, ValuesAreTheLeadingEigenvectorOnTheSupport) {
  const Matrix m = verify::prepared(verify::decaying(150, 90, 5), {});
  const Matrix c = m.transpose() * m;
  for (const Index k : {31, 33, 80}) {
    const Loadings x = fit_path(*make_dense(m), 1, k).loadings;
    const std::vector<Index> support = verify::supports(x)[0];
    const Vector values = Matrix(x).col(0)(support);
    const double variance = largest_eigenvalue(c, support);
    EXPECT_LE((c(support, support) * values - variance * values).norm(), 1e-9 * variance);
  }
}

/// A variable of large variance that nothing is correlated with, before a group that together has
/// more: the start shares nothing with the answer.
TEST(Pathspca, LeavesAnIsolatedVariable) {
  Matrix c = Matrix::Constant(80, 80, 0.9);
  c.diagonal().setOnes();
  c.row(0).setZero();
  c.col(0).setZero();
  c(0, 0) = 10;
  const Vector x = Matrix(fit_path(*make_covariance(c), 1, 50).loadings).col(0);
  EXPECT_NEAR(x.dot(c * x), 1 + 48 * 0.9, 1e-9);
}

TEST(Pathspca, EveryKindOfDataGivesTheSameLoadings) {
  Matrix m = verify::decaying(24, 60, 6);
  m = (m.array().abs() > 0.02 * m.cwiseAbs().maxCoeff()).select(m, 0.0);
  const Matrix centred = verify::prepared(m, {});
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> s = m.sparseView();
  const auto dense = make_dense(m), covariance = make_covariance(centred.transpose() * centred),
             sparse = make_sparse({.rows = s.rows(),
                                   .cols = s.cols(),
                                   .values = s.valuePtr(),
                                   .inner = s.innerIndexPtr(),
                                   .outer = s.outerIndexPtr()});
  for (const Index k : {5, 24, 25, 50}) {
    const Matrix expected(fit_path(*covariance, 4, k).loadings);
    EXPECT_LE((Matrix(fit_path(*dense, 4, k).loadings) - expected).norm(), 1e-7) << k;
    EXPECT_LE((Matrix(fit_path(*sparse, 4, k).loadings) - expected).norm(), 1e-7) << k;
  }
}

TEST(Pathspca, WithAllVariablesThePcaSubspaceComesBack) {
  const auto a = make_dense(verify::decaying(60, 40, 7));
  const Basis b = principal_basis(*a, 4);
  EXPECT_LE(verify::subspace_distance(b.vectors, Matrix(fit_path(*a, 4, 40).loadings)), 1e-9);
}

TEST(Pathspca, StopsWhenVarianceRunsOut) {
  const auto a =
      make_dense(Matrix(verify::random_matrix(30, 2, 1) * verify::random_matrix(2, 6, 2)));
  const Result result = fit_path(*a, 4, 6);
  EXPECT_TRUE(Matrix(result.loadings).allFinite());
  EXPECT_EQ(Matrix(result.loadings).rightCols(2).norm(), 0);
  EXPECT_NEAR(result.criteria.cpev, 1, 1e-10);
  EXPECT_EQ(std::ranges::count(result.warnings,
                               "2 of 4 components explain all variance: the others are zero"),
            1);
}

}  // namespace
}  // namespace spcart
