#include "spcart/pca.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr Solver kSolvers[] = {Solver::gram, Solver::outer, Solver::krylov};

/// The contract, checked against a full SVD of the realised matrix.
void expect_basis_of(const Basis& b, const Matrix& dense, Index r) {
  const Vector s = verify::singular_values(dense);
  ASSERT_EQ(b.vectors.cols(), r);
  EXPECT_LE((b.vectors.transpose() * b.vectors - Matrix::Identity(r, r)).norm(), 1e-11);
  EXPECT_LE((b.singular_values - s.head(r)).cwiseAbs().maxCoeff(), 1e-7 * s[0]);
  EXPECT_LE(b.residuals.maxCoeff(), 1e-8);
  EXPECT_NEAR(b.total_variance, dense.squaredNorm(), 1e-9 * dense.squaredNorm());
  const Matrix defect = dense.transpose() * (dense * b.vectors) -
                        b.vectors * b.singular_values.cwiseAbs2().asDiagonal();
  EXPECT_LE(defect.colwise().norm().maxCoeff(), 1e-8 * s[0] * s[0]);
  EXPECT_NEAR(b.cpev(), s.head(r).squaredNorm() / s.squaredNorm(), 1e-9);
}

TEST(Pca, EverySolverMeetsTheContractOnEveryShape) {
  for (const auto& [n, p, r] : {std::tuple{60, 20, 5},
                                {20, 60, 5},
                                {30, 30, 29},
                                {200, 7, 7},
                                {7, 200, 6},
                                {50, 3, 1},
                                {300, 300, 12}}) {
    const Matrix m = verify::decaying(n, p, 3);
    const Matrix dense = verify::prepared(m, {});
    const auto a = make_dense(m);
    for (const Solver solver : kSolvers) {
      SCOPED_TRACE(::testing::Message()
                   << n << " x " << p << ", r = " << r << ", solver " << name(solver));
      const Basis b = principal_basis(*a, r, {.solver = solver});
      EXPECT_EQ(b.solver, solver);
      EXPECT_TRUE(b.warnings.empty());
      expect_basis_of(b, dense, r);
    }
  }
}

TEST(Pca, SolversAgree) {
  const auto a = make_dense(verify::decaying(150, 120, 5), {.scale = true});
  const Basis reference = principal_basis(*a, 10, {.solver = Solver::gram});
  for (const Solver solver : kSolvers) {
    const Basis b = principal_basis(*a, 10, {.solver = solver});
    EXPECT_LE(verify::subspace_distance(b.vectors, reference.vectors), 1e-6);
  }
}

/// The squares of such data are near the end of the range of numbers, and those of A'A beyond it.
TEST(Pca, UnitsOfTheDataDoNotMatter) {
  const Matrix m = verify::decaying(60, 20, 5);
  for (const Solver solver : kSolvers) {
    const Basis expected = principal_basis(*make_dense(m), 5, {.solver = solver});
    for (const double unit : {0x1p-490, 0x1p490}) {
      const Basis b = principal_basis(*make_dense(unit * m), 5, {.solver = solver});
      EXPECT_TRUE(b.warnings.empty());
      EXPECT_LE(verify::subspace_distance(b.vectors, expected.vectors), 1e-10);
      EXPECT_LE((b.singular_values / unit - expected.singular_values).norm(),
                1e-12 * expected.singular_values[0]);
      EXPECT_LE(b.residuals.maxCoeff(), 1e-8);
      EXPECT_NEAR(b.cpev(), expected.cpev(), 1e-12);
    }
  }
}

TEST(Pca, KrylovRestartsAndFindsClosePairs) {
  // A slow spectrum: many restarts are needed, and pairs of equal singular values must both be
  // found.
  Vector s(400);
  for (Index j = 0; j < 400; ++j) s[j] = std::pow(0.98, static_cast<double>(j / 2));
  const Matrix dense = verify::random_orthonormal(400, 400, 1) * s.asDiagonal() *
                       verify::random_orthonormal(400, 400, 2).transpose();
  const auto a = make_dense(dense, {.center = false});
  expect_basis_of(principal_basis(*a, 15, {.solver = Solver::krylov}), dense, 15);
}

TEST(Pca, BeyondTheRankTheBasisIsCompletedWithAWarning) {
  const Matrix m = verify::random_matrix(40, 4, 1) * verify::random_matrix(4, 10, 2);
  const auto a = make_dense(m);
  for (const Solver solver : kSolvers) {
    const Basis b = principal_basis(*a, 10, {.solver = solver});
    EXPECT_EQ(b.rank, 4);
    EXPECT_LE((b.vectors.transpose() * b.vectors - Matrix::Identity(10, 10)).norm(), 1e-10);
    EXPECT_EQ(b.singular_values.tail(6).norm(), 0);
    EXPECT_LE(b.residuals.maxCoeff(), 1e-8);
    ASSERT_EQ(b.warnings.size(), 1U);
    EXPECT_NE(b.warnings[0].find("numerical rank 4"), std::string::npos);
  }
}

TEST(Pca, CompletionAvoidsVariablesThatDoNotVary) {
  Matrix m = verify::random_matrix(40, 2, 1) * verify::random_matrix(2, 6, 2);
  m.col(3).setConstant(7);
  for (const Solver solver : kSolvers) {
    const Basis b = principal_basis(*make_dense(m, {.scale = true}), 5, {.solver = solver});
    EXPECT_LE(b.vectors.row(3).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Pca, WeakComponentsBesideAStrongVariableAreFoundAndWarnedAbout) {
  // One variable of standard deviation 1e6 and constant ones beside ordinary structure.
  Matrix m = verify::decaying(500, 60, 3);
  m.col(0) *= 1e6;
  m.middleCols(10, 5).setConstant(3);
  const auto a = make_dense(m);
  const Basis reference = principal_basis(*a, 3, {.solver = Solver::gram});
  const Basis b = principal_basis(*a, 3, {.solver = Solver::krylov});
  EXPECT_LE((b.vectors.transpose() * b.vectors - Matrix::Identity(3, 3)).norm(), 1e-11);
  EXPECT_EQ(b.vectors.middleRows(10, 5).norm(), 0);
  EXPECT_EQ(reference.rank, 3);
  for (const Basis& basis : {reference, b}) {
    ASSERT_EQ(basis.warnings.size(), 1U);
    EXPECT_NE(basis.warnings[0].find("components from 2 on"), std::string::npos);
  }
}

TEST(Pca, ManySamplesDoNotHideWeakComponents) {
  Matrix m = verify::random_matrix(100000, 4, 1);
  m.col(0) *= 1e5;
  EXPECT_EQ(principal_basis(*make_dense(std::move(m)), 4, {.solver = Solver::gram}).rank, 4);
}

TEST(Pca, AutomaticChoiceFollowsShapeAndDensity) {
  const auto solver_for = [](Index n, Index p, Index r) {
    return principal_basis(*make_dense(verify::random_matrix(n, p, 1)), r).solver;
  };
  EXPECT_EQ(solver_for(300, 50, 5), Solver::gram);
  EXPECT_EQ(solver_for(50, 300, 5), Solver::outer);
  EXPECT_EQ(solver_for(1000, 400, 100), Solver::gram);
  // The same shape with few entries stored.
  const std::int32_t outer_end = 600;
  std::vector<std::int32_t> outer(2001), inner;
  std::vector<double> values;
  for (std::int32_t i = 0; i < outer_end; ++i) {
    inner.push_back((7 * i) % 1500);
    values.push_back(1 + i % 5);
  }
  for (std::size_t i = 0; i < outer.size(); ++i)
    outer[i] = std::min<std::int32_t>(static_cast<std::int32_t>(i), outer_end);
  SparseView view;
  view.rows = 2000;
  view.cols = 1500;
  view.values = values.data();
  view.inner = inner.data();
  view.outer = outer.data();
  EXPECT_EQ(principal_basis(*make_sparse(view), 2).solver, Solver::krylov);
}

TEST(Pca, SparseAndCovarianceKindsWork) {
  const Matrix m = verify::decaying(80, 15, 4);
  const Matrix dense = verify::prepared(m, {});
  const auto a = make_covariance(dense.transpose() * dense);
  for (const Solver solver : kSolvers)
    expect_basis_of(principal_basis(*a, 5, {.solver = solver}), dense, 5);
}

TEST(Pca, GivingUpIsAWarningNotAnError) {
  const auto a = make_dense(verify::random_matrix(300, 300, 1));
  const Basis b = principal_basis(*a, 5, {.solver = Solver::krylov, .max_passes = 2});
  ASSERT_EQ(b.warnings.size(), 1U);
  EXPECT_NE(b.warnings[0].find("did not reach"), std::string::npos);
  EXPECT_GT(b.residuals.maxCoeff(), 1e-8);
}

TEST(Pca, BadInputIsNamed) {
  const auto a = make_dense(verify::random_matrix(10, 4, 1));
  EXPECT_THROW(principal_basis(*a, 0), Error);
  EXPECT_THROW(principal_basis(*a, 5), Error);
  EXPECT_THROW(principal_basis(*a, 2, {.tolerance = 0}), Error);
  EXPECT_THROW(principal_basis(*a, 2, {.max_passes = 0}), Error);
  EXPECT_THROW(principal_basis(*make_dense(Matrix::Constant(5, 3, 2.5)), 1), Error);
}

/// LAPACK's selective solver finds fewer eigenvectors than requested if many values are equal.
TEST(Pca, SurvivesClustersOfEqualVariances) {
  for (const Index p : {4, 8, 19, 40, 120}) {
    const auto equal = make_covariance(Matrix::Constant(p, p, 0.5) + 0.5 * Matrix::Identity(p, p));
    const Matrix indicators = Matrix::Identity(p, p).replicate(3, 1);
    const auto coded = make_dense(indicators);
    for (const DataMatrix* a : {equal.get(), coded.get()})
      for (const Solver solver : {Solver::automatic, Solver::gram, Solver::outer})
        for (const Index r : {1, 2, 3}) {
          const Basis basis = principal_basis(*a, r, {.solver = solver});
          EXPECT_LE((basis.vectors.transpose() * basis.vectors - Matrix::Identity(r, r)).norm(),
                    1e-10)
              << p << " " << r;
          EXPECT_LE(basis.residuals.maxCoeff(), 1e-8);
        }
  }
}

}  // namespace
}  // namespace spcart
