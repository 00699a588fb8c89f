#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include "bounds_problem.hpp"

namespace spcart {
namespace {

/// Loadings of one truncation under the name of another.
Bound mislabelled(std::string_view name, const Matrix& z, const Truncation& used,
                  const Truncation& declared) {
  Problem problem(z, used, falling(z.rows()), 1);
  EXPECT_FALSE(is_violated(problem.bound(name))) << name;
  problem.truncation = declared;
  return problem.bound(name);
}

TEST(BrokenBounds, SparsityShowsALambdaThatWasSmallerThanDeclared) {
  const Matrix uniform = Matrix::Constant(10, 1, std::sqrt(0.1));
  for (const auto& [type, used, declared] :
       {std::tuple{TruncationType::hard, 0.3, 0.35}, std::tuple{TruncationType::soft, 0.3, 0.35},
        std::tuple{TruncationType::count, 5.0, 6.0}, std::tuple{TruncationType::energy, 0.55, 0.6}})
    EXPECT_TRUE(is_violated(mislabelled("sparsity", uniform, {type, used}, {type, declared})));
}

TEST(BrokenBounds, SparsityShowsALoadingThatCannotBeEmpty) {
  const Matrix uniform = Matrix::Constant(10, 1, std::sqrt(0.1));
  const Truncation emptying{TruncationType::hard, 0.35};
  for (const auto& [type, declared] :
       {std::tuple{TruncationType::hard, 0.3}, std::tuple{TruncationType::soft, 0.3},
        std::tuple{TruncationType::count, 5.0}, std::tuple{TruncationType::energy, 0.5}})
    EXPECT_TRUE(is_violated(mislabelled("sparsity", uniform, emptying, {type, declared})));
}

TEST(BrokenBounds, DeviationShowsALambdaThatWasLargerThanDeclared) {
  const Matrix uniform = Matrix::Constant(10, 1, std::sqrt(0.1));
  Matrix spike = Matrix::Constant(10, 1, 0.25);
  spike(0, 0) = std::sqrt(1 - 9.0 / 16);
  for (const auto& [z, type, used, declared] :
       {std::tuple{spike, TruncationType::hard, 0.25, 0.2},
        std::tuple{spike, TruncationType::soft, 0.25, 0.2},
        std::tuple{uniform, TruncationType::count, 6.0, 5.0},
        std::tuple{uniform, TruncationType::energy, 0.6, 0.55}})
    EXPECT_TRUE(is_violated(mislabelled("deviation", z, {type, used}, {type, declared})));
}

TEST(BrokenBounds, RelativeDeviationShowsTheWrongType) {
  Random random(7);
  const Matrix z = random_basis(10, 2, random);
  for (const TruncationType type :
       {TruncationType::hard, TruncationType::count, TruncationType::energy})
    EXPECT_TRUE(is_violated(mislabelled("deviation_relative", z, {TruncationType::soft, 0.1},
                                        {type, type == TruncationType::count ? 1 : 0.1})));
}

TEST(BrokenBounds, RelativeDeviationShowsValuesThatWereChanged) {
  for (const TruncationType type : kTypes) {
    Random random(8);
    Problem problem(random_basis(12, 3, random), {type, type == TruncationType::count ? 4 : 0.05},
                    falling(12), 1);
    EXPECT_FALSE(is_violated(problem.bound("deviation_relative")));
    for (double& value : problem.x.coeffs()) value += 0.4;
    problem.x = normalized(problem.x);
    EXPECT_TRUE(is_violated(problem.bound("deviation_relative"))) << name(type);
  }
}

TEST(BrokenBounds, NonorthogonalityShowsALambdaThatWasLargerThanDeclared) {
  const Matrix z{{0.6, 0.8}, {0.3, -0.225}, {std::sqrt(0.55), std::sqrt(0.309375)}};
  Matrix basis(3, 2);
  basis = Eigen::HouseholderQR<Matrix>(z).householderQ() * Matrix::Identity(3, 2);
  for (const auto& [type, used, declared] :
       {std::tuple{TruncationType::hard, 0.5, 0.01}, std::tuple{TruncationType::soft, 0.5, 0.01},
        std::tuple{TruncationType::count, 1.0, 0.0},
        std::tuple{TruncationType::energy, 0.3, 0.001}})
    EXPECT_TRUE(is_violated(mislabelled("nonorthogonality", basis, {type, used}, {type, declared})))
        << name(type);
}

TEST(BrokenBounds, RelativeNonorthogonalityShowsABasisThatIsNotOrthonormal) {
  Problem problem(verify::random_orthonormal(8, 2, 1), {TruncationType::hard, 0}, falling(8), 1);
  EXPECT_FALSE(is_violated(problem.bound("nonorthogonality_relative")));
  problem.rotation.row(1) = (problem.rotation.row(1) + problem.rotation.row(0)).normalized();
  problem.evaluate(Matrix(problem.v * problem.rotation.transpose()).sparseView(0, 0));
  EXPECT_TRUE(is_violated(problem.bound("nonorthogonality_relative")));
}

TEST(BrokenBounds, VarianceShowsWhatTheDataCannotHave) {
  for (const TruncationType type : kTypes) {
    Random random(9);
    Problem problem(random_basis(10, 2, random), {type, type == TruncationType::count ? 1 : 1e-3},
                    falling(10), 1);
    expect_all_hold(problem.bounds());
    const double ev = problem.ev, cpev = problem.cpev;
    for (const std::string_view name : kNames) {
      if (!name.starts_with("explained_variance")) continue;
      const double lower = problem.bound(name).lower;
      ASSERT_GT(lower, 0) << name;
      problem.ev = lower * 0.999;
      EXPECT_FALSE(problem.bound(name).holds) << name;
      problem.ev = problem.bound(name).upper * 1.001;
      EXPECT_FALSE(problem.bound(name).holds) << name;
      problem.ev = ev;
    }
    problem.cpev = problem.bound("cpev").lower * 0.999;
    EXPECT_TRUE(is_violated(problem.bound("cpev")));
    problem.cpev = problem.bound("cpev").upper * 1.001;
    EXPECT_TRUE(is_violated(problem.bound("cpev")));
    problem.cpev = cpev;
    problem.ev = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(is_violated(problem.bound("explained_variance_dmin")));
  }
}

}  // namespace
}  // namespace spcart
