#include "spcart/rotate.hpp"

#include <gtest/gtest.h>

#include "random.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr TruncationType kTypes[] = {TruncationType::hard, TruncationType::soft,
                                     TruncationType::count, TruncationType::energy};

RotateOptions options_for(TruncationType type, Index p, Start start = Start::varimax) {
  return {.truncation = {type, default_lambda(type, p)},
          .start = start,
          .tolerance = 1e-5,
          .max_iterations = 500};
}

TEST(Rotate, RotationIsOrthogonalAndColumnsHaveUnitLength) {
  const Matrix v = verify::random_orthonormal(60, 8, 1);
  for (const auto type : kTypes)
    for (const Start start : {Start::identity, Start::varimax, Start::random}) {
      const Rotated result = rotate_and_truncate(v, options_for(type, 60, start));
      EXPECT_LE((result.rotation * result.rotation.transpose() - Matrix::Identity(8, 8)).norm(),
                1e-12);
      for (Index i = 0; i < 8; ++i) EXPECT_NEAR(result.loadings.col(i).norm(), 1, 1e-12);
    }
}

TEST(Rotate, WithoutTruncationTheLoadingsAreTheRotatedBasis) {
  const Matrix v = verify::random_orthonormal(40, 5, 2);
  for (const auto type : {TruncationType::hard, TruncationType::count, TruncationType::energy,
                          TruncationType::soft}) {
    const Rotated result = rotate_and_truncate(v, {.truncation = {type, 0}});
    EXPECT_LE(verify::subspace_distance(v, Matrix(result.loadings)), 1e-12);
    EXPECT_LE((v - Matrix(result.loadings) * result.rotation).norm(), 1e-12);
    EXPECT_EQ(result.status, Status::converged);
  }
}

TEST(Rotate, ObjectiveOfSoftAndCountNeverRises) {
  for (const auto type : {TruncationType::soft, TruncationType::count})
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      for (const Start start : {Start::identity, Start::varimax, Start::random}) {
        const Matrix v = verify::random_orthonormal(50, 6, seed);
        RotateOptions options = options_for(type, 50, start);
        options.seed = seed;
        const auto history = rotate_and_truncate(v, options).history;
        for (std::size_t t = 1; t < history.size(); ++t)
          EXPECT_LE(history[t].objective, history[t - 1].objective + 1e-12);
      }
}

TEST(Rotate, ObjectiveDoesNotRiseWhenLoadingsAreEmptied) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const double lambda : {0.4, 0.5}) {
      const Matrix v = verify::random_orthonormal(20, 10, seed);
      RotateOptions options{.truncation = {TruncationType::soft, lambda}, .start = Start::random};
      options.seed = seed;
      const auto history = rotate_and_truncate(v, options).history;
      for (std::size_t t = 1; t < history.size(); ++t)
        EXPECT_LE(history[t].objective, history[t - 1].objective + 1e-12);
    }
}

TEST(Rotate, HistoryIsWhatItSays) {
  const Matrix v = verify::random_orthonormal(30, 4, 3);
  for (const auto type : kTypes) {
    RotateOptions options = options_for(type, 30, Start::identity);
    options.max_iterations = 1;
    const Rotated result = rotate_and_truncate(v, options);
    const Matrix x(result.loadings);
    EXPECT_EQ(result.status, Status::iteration_limit);
    ASSERT_EQ(result.history.size(), 1U);
    const Iteration& only = result.history[0];
    EXPECT_NEAR(only.change, 1, 1e-12);  // against zero
    const double zeroed = (x.array() == 0).select(v.array(), 0).matrix().squaredNorm();
    EXPECT_NEAR(only.truncated_energy, zeroed / 4, 1e-12);
    EXPECT_NEAR(only.sparsity, (x.array() == 0).cast<double>().mean(), 1e-12);
    double objective = (v - x * result.rotation).squaredNorm() / 2;
    const double lambda = options.truncation.lambda;
    if (type == TruncationType::soft) objective += lambda * x.cwiseAbs().sum();
    if (type == TruncationType::hard)
      objective += lambda * lambda / 2 * static_cast<double>(result.loadings.nonZeros());
    EXPECT_NEAR(only.objective, objective, 1e-12);
  }
}

TEST(Rotate, StopsByThePapersRule) {
  const Matrix v = verify::random_orthonormal(50, 6, 4);
  const Rotated result = rotate_and_truncate(v, options_for(TruncationType::hard, 50));
  ASSERT_EQ(result.status, Status::converged);
  for (std::size_t t = 0; t + 1 < result.history.size(); ++t)
    EXPECT_GE(result.history[t].change, 1e-5);
  EXPECT_LT(result.history.back().change, 1e-5);
}

TEST(Rotate, PermutingVariablesPermutesLoadings) {
  const Matrix v = verify::random_orthonormal(40, 5, 5);
  Eigen::PermutationMatrix<Eigen::Dynamic> order(40);
  order.setIdentity();
  Random random(3);
  for (Index i = 39; i > 0; --i)
    std::swap(order.indices()[i], order.indices()[random.below(i + 1)]);
  const Matrix permuted = order * v;
  for (const auto type : kTypes)
    for (const Start start : {Start::identity, Start::varimax}) {
      const Matrix x(rotate_and_truncate(v, options_for(type, 40, start)).loadings);
      const Matrix y(rotate_and_truncate(permuted, options_for(type, 40, start)).loadings);
      EXPECT_LE((order * x - y).norm(), 1e-8);
    }
}

TEST(Rotate, FlippingAVariableFlipsItsEntries) {
  const Matrix v = verify::random_orthonormal(40, 5, 6);
  Matrix flipped = v;
  flipped.row(7) *= -1;
  for (const auto type : kTypes) {
    Matrix x(rotate_and_truncate(v, options_for(type, 40)).loadings);
    const Matrix y(rotate_and_truncate(flipped, options_for(type, 40)).loadings);
    x.row(7) *= -1;
    EXPECT_LE((x - y).norm(), 1e-8);
  }
}

TEST(Rotate, AnEmptiedLoadingStaysZero) {
  // One spread-out and one concentrated column: a large lambda empties the first.
  Matrix v = Matrix::Zero(50, 2);
  v.col(0).head(49).setConstant(1 / 7.0);
  v(49, 1) = 1;
  for (const auto type : {TruncationType::hard, TruncationType::soft}) {
    const Rotated result =
        rotate_and_truncate(v, {.truncation = {type, 0.5}, .start = Start::identity});
    EXPECT_EQ(result.loadings.col(0).nonZeros(), 0);
    EXPECT_EQ(result.loadings.col(1).nonZeros(), 1);
    EXPECT_TRUE(result.rotation.allFinite());
    EXPECT_LE((result.rotation * result.rotation.transpose() - Matrix::Identity(2, 2)).norm(),
              1e-12);
  }
}

TEST(Rotate, VarimaxFindsHiddenSimpleStructure) {
  Matrix simple = Matrix::Zero(30, 3);  // disjoint supports, hidden by a rotation
  for (Index i = 0; i < 3; ++i) simple.col(i).segment(10 * i, 10).setConstant(std::sqrt(0.1));
  const Matrix v = simple * random_rotation(3, 9);
  const Matrix z = v * varimax_rotation(v).transpose();
  const Matrix overlap = (simple.transpose() * z).cwiseAbs();
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(overlap.row(i).maxCoeff(), 1, 1e-4);
}

TEST(Rotate, RandomRotationsAreOrthogonalAndFollowTheSeed) {
  const Matrix a = random_rotation(20, 1);
  EXPECT_LE((a * a.transpose() - Matrix::Identity(20, 20)).norm(), 1e-12);
  EXPECT_EQ(a, random_rotation(20, 1));
  EXPECT_GT((a - random_rotation(20, 2)).norm(), 1);
}

TEST(Rotate, OneComponentWorks) {
  const Matrix v = verify::random_orthonormal(20, 1, 1);
  for (const auto type : kTypes)
    EXPECT_EQ(rotate_and_truncate(v, options_for(type, 20)).status, Status::converged);
}

TEST(Rotate, BadInputIsRefused) {
  const Matrix v = verify::random_orthonormal(10, 3, 1);
  EXPECT_THROW(rotate_and_truncate(2 * v, {}), Error);
  EXPECT_THROW(rotate_and_truncate(v.transpose(), {}), Error);
  EXPECT_THROW(rotate_and_truncate(Matrix(10, 0), {}), Error);
  EXPECT_THROW(rotate_and_truncate(v, {.truncation = {TruncationType::hard, 1}}), Error);
  EXPECT_THROW(rotate_and_truncate(v, {.max_iterations = 0}), Error);
  EXPECT_THROW(rotate_and_truncate(v, {.tolerance = -1}), Error);
  EXPECT_THROW(rotate_and_truncate(v * std::nan(""), {}), Error);
}

}  // namespace
}  // namespace spcart
