#include "spcart/rotate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"
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

/// Algorithm 1 as it is written: dense, one column after the other, polar factors by SVD.
RotationResult plain(const Matrix& v, const RotateOptions& options) {
  const Index p = v.rows(), r = v.cols();
  RotationResult result;
  result.rotation = options.start == Start::varimax ? varimax_rotation(v) : Matrix::Identity(r, r);
  Matrix x = Matrix::Zero(p, r);
  std::vector<bool> empty(static_cast<std::size_t>(r), false);
  for (Index iteration = 0; iteration < options.max_iterations; ++iteration) {
    const Matrix z = v * result.rotation.transpose(), before = x;
    Truncator truncator(options.truncation, p);
    for (Index i = 0; i < r; ++i) {
      x.col(i).setZero();
      if (empty[static_cast<std::size_t>(i)]) continue;
      truncator({z.col(i).data(), static_cast<std::size_t>(p)},
                {x.col(i).data(), static_cast<std::size_t>(p)});
      if (x.col(i).norm() > 0) x.col(i).normalize();
      empty[static_cast<std::size_t>(i)] = x.col(i).norm() == 0;
    }
    result.truncated_from = result.rotation;
    result.rotation = polar(x.transpose() * v).factor;
    result.history.push_back({.change = (x - before).norm() / std::sqrt(static_cast<double>(r))});
    if (result.history.back().change < options.tolerance) break;
  }
  result.loadings = x.sparseView(0, 0);
  return result;
}

void expect_same(const RotationResult& result, const RotationResult& expected, double tolerance) {
  ASSERT_EQ(result.history.size(), expected.history.size());
  EXPECT_EQ(verify::supports(result.loadings), verify::supports(expected.loadings));
  EXPECT_LE(Matrix(result.loadings - expected.loadings).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((result.rotation - expected.rotation).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((result.truncated_from - expected.truncated_from).cwiseAbs().maxCoeff(), tolerance);
}

TEST(Rotate, IsAlgorithm1OnOneAndSeveralPanelsAndThreads) {
  for (const auto& [p, r] : {std::pair<Index, Index>{13, 6}, {700, 9}, {9000, 17}}) {
    // Above, threads and panels pay off only for the largest.
    const Matrix v = verify::random_orthonormal(p, r, 5);
    for (const auto type : kTypes)
      for (const Start start : {Start::identity, Start::varimax})
        for (const Index count : {1, 3}) {
          const ThreadScope scope(count);
          RotateOptions options = options_for(type, p, start);
          options.max_iterations = 12;
          expect_same(rotate_and_truncate(v, options), plain(v, options), 1e-11);
        }
  }
}

/// Rows of lengths that differ by a factor of up to 1000.
Matrix uneven_basis(Index p, Index r) {
  Matrix x = verify::random_matrix(p, r, 6);
  for (Index j = 0; j < p; ++j) x.row(j) *= std::pow(10, -3 * static_cast<double>(j % 101) / 100);
  return orthonormalized(x);
}

TEST(Rotate, IsAlgorithm1IfRowsAreTooShortToStay) {
  constexpr Index kVariables = 3000, kComponents = 7;
  const Matrix v = uneven_basis(kVariables, kComponents);
  std::vector<Truncation> truncations;
  for (const auto type : {TruncationType::hard, TruncationType::soft})
    for (const double lambda : {1e-6, 0.01, 0.05, 0.999}) truncations.push_back({type, lambda});
  for (const double left : {1, 20, 300, 2500})
    truncations.push_back({TruncationType::count, kVariables - left});
  for (const double lambda : {1e-4, 0.1, 0.5, 0.9})
    truncations.push_back({TruncationType::energy, lambda});
  for (const Truncation& truncation : truncations)
    for (const Index count : {1, 3}) {
      SCOPED_TRACE(std::string(name(truncation.type)) + " " + std::to_string(truncation.lambda));
      const ThreadScope scope(count);
      const RotateOptions options{.truncation = truncation, .tolerance = 0, .max_iterations = 40};
      const RotationResult result = rotate_and_truncate(v, options);
      expect_same(result, plain(v, options), 1e-9);
      const Iteration& last = result.history.back();
      const Matrix z = v * result.truncated_from.transpose();
      const Matrix zeroed = (Matrix(result.loadings).array() == 0).select(z, 0);
      EXPECT_NEAR(last.truncated_energy, zeroed.squaredNorm() / kComponents, 1e-12);
      EXPECT_NEAR(last.sparsity,
                  1 - static_cast<double>(result.loadings.nonZeros()) / (kVariables * kComponents),
                  1e-12);
    }
}

TEST(Rotate, IsAlgorithm1IfThresholdsFall) {
  // Few strong variables per component, mixed: as they are separated, the thresholds fall to the
  // noise, and rows that could be left out no longer can.
  constexpr Index kVariables = 3000, kComponents = 7, kStrong = 5;
  Matrix x = 1e-3 * verify::random_matrix(kVariables, kComponents, 3);
  for (Index i = 0; i < kComponents; ++i)
    x.col(i).segment(i * kStrong, kStrong) += verify::random_matrix(kStrong, 1, 10 + i);
  const Matrix v = orthonormalized(x * random_rotation(kComponents, 4));
  for (const Truncation& truncation :
       {Truncation{TruncationType::count, kVariables - 10}, {TruncationType::energy, 0.02}}) {
    const RotateOptions options{
        .truncation = truncation, .start = Start::identity, .tolerance = 0, .max_iterations = 30};
    expect_same(rotate_and_truncate(v, options), plain(v, options), 1e-9);
  }
}

TEST(Rotate, IsAlgorithm1IfEntriesAreEqual) {
  // Columns of equal sizes: thresholds by count and energy fall on ties.
  Matrix v = Matrix::Zero(64, 4);
  for (Index j = 0; j < 64; ++j)
    for (Index i = 0; i < 4; ++i) v(j, i) = ((j >> i) & 1) != 0 ? 0.125 : -0.125;
  for (const auto& t : {Truncation{TruncationType::count, 20}, {TruncationType::energy, 0.3}}) {
    const RotateOptions options{
        .truncation = t, .start = Start::identity, .tolerance = 0, .max_iterations = 1};
    expect_same(rotate_and_truncate(v, options), plain(v, options), 1e-12);
  }
}

TEST(Rotate, SettingsSideBySideAreThoseAlone) {
  const Matrix v = verify::random_orthonormal(3000, 11, 8);
  std::vector<RotateOptions> settings;
  for (const auto type : kTypes)
    for (const Start start : {Start::identity, Start::varimax, Start::random}) {
      settings.push_back(options_for(type, 3000, start));
      settings.back().max_iterations = 5 + static_cast<Index>(settings.size());
      settings.back().seed = settings.size();
    }
  const std::vector<RotationResult> together = rotate_and_truncate_all(v, settings);
  ASSERT_EQ(together.size(), settings.size());
  for (std::size_t k = 0; k < settings.size(); ++k)
    expect_same(together[k], rotate_and_truncate(v, settings[k]), 1e-11);
  EXPECT_TRUE(rotate_and_truncate_all(v, {}).empty());
}

TEST(Rotate, SettingsSideBySideTickInTheirCallersThreadAndEndTogether) {
  const ThreadScope scope(3);
  const Matrix v = verify::random_orthonormal(3000, 11, 8);
  RotateOptions endless = options_for(TruncationType::hard, 3000);
  endless.tolerance = 0;
  endless.max_iterations = 1000000;
  const std::vector<RotateOptions> settings(8, endless);
  const auto caller = std::this_thread::get_id();
  int ticks = 0;
  const Tick tick = [&](double) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    if (++ticks == 50) throw std::domain_error("enough");
  };
  EXPECT_THROW(rotate_and_truncate_all(v, settings, tick), std::domain_error);
  EXPECT_EQ(ticks, 50);
}

TEST(Rotate, RotationIsOrthogonalAndColumnsHaveUnitLength) {
  const Matrix v = verify::random_orthonormal(60, 8, 1);
  for (const auto type : kTypes)
    for (const Start start : {Start::identity, Start::varimax, Start::random}) {
      const RotationResult result = rotate_and_truncate(v, options_for(type, 60, start));
      EXPECT_LE((result.rotation * result.rotation.transpose() - Matrix::Identity(8, 8)).norm(),
                1e-12);
      for (Index i = 0; i < 8; ++i) EXPECT_NEAR(result.loadings.col(i).norm(), 1, 1e-12);
    }
}

TEST(Rotate, WithoutTruncationTheLoadingsAreTheRotatedBasis) {
  const Matrix v = verify::random_orthonormal(40, 5, 2);
  for (const auto type : {TruncationType::hard, TruncationType::count, TruncationType::energy,
                          TruncationType::soft}) {
    const RotationResult result = rotate_and_truncate(v, {.truncation = {type, 0}});
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
    const RotationResult result = rotate_and_truncate(v, options);
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
  const RotationResult result = rotate_and_truncate(v, options_for(TruncationType::hard, 50));
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
    const RotationResult result =
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

TEST(Rotate, BadInputIsRejected) {
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
