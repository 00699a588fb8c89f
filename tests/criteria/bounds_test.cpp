#include "spcart/bounds.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "bounds_problem.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

/// Any valid lambda, and often one at the edge of the range.
double random_lambda(TruncationType type, Index p, Random& random) {
  const auto length = static_cast<double>(p);
  const auto whole = static_cast<double>(random.below(p));
  const bool edge = random.below(3) == 0;
  switch (type) {
    case TruncationType::count:
      return whole;
    case TruncationType::energy:
      return edge ? whole / length : random.uniform();
    default:
      if (edge && whole > 1) return 1 / std::sqrt(whole);
      return std::min(random.uniform() * 2 / std::sqrt(length), 0.99) *
             static_cast<double>(random.below(9) > 0);
  }
}

Problem random_problem(TruncationType type, Random& random) {
  const Index p = 1 + random.below(20), r = 1 + random.below(std::min(p, Index{6}));
  const Matrix z = random_basis(p, r, random);
  const Truncation truncation{type, random_lambda(type, p, random)};
  Vector variances(p);
  for (double& variance : variances) variance = std::pow(random.uniform(), 4) + 1e-3;
  std::ranges::sort(variances, std::greater<>());
  return {z, truncation, variances, static_cast<std::uint64_t>(random.below(1 << 20))};
}

class EachTruncation : public testing::TestWithParam<TruncationType> {};
INSTANTIATE_TEST_SUITE_P(Bounds, EachTruncation, testing::ValuesIn(kTypes),
                         [](const auto& type) { return std::string(name(type.param)); });

TEST_P(EachTruncation, HoldsOnRandomBases) {
  Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const Problem problem = random_problem(GetParam(), random);
    const std::vector<Bound> list = problem.bounds();
    SCOPED_TRACE(testing::Message() << problem.z.rows() << " x " << problem.z.cols()
                                    << ", lambda = " << problem.truncation.lambda);
    expect_all_hold(list);
    for (const Bound& bound : list) {
      EXPECT_TRUE(bound.applies || problem.z.cols() == 1) << bound.name;
      EXPECT_LE(bound.lower, bound.upper + 1e-9) << bound.name;
      EXPECT_GE(bound.tightness, 0) << bound.name;
      EXPECT_LE(bound.tightness, 1) << bound.name;
    }
    if (HasFailure()) return;
  }
}

/// The measures and the bounds as the paper writes them, computed differently from the library.
TEST_P(EachTruncation, IsNoWeakerThanThePaper) {
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Problem problem = random_problem(GetParam(), random);
    const Matrix x = problem.x;
    const auto p = static_cast<double>(x.rows()), r = static_cast<double>(x.cols());
    const double lambda = problem.truncation.lambda;
    const Vector zeros = (x.array() == 0).cast<double>().colwise().sum();
    const Vector cosines = (x.array() * problem.z.array()).colwise().sum();
    const double theta = std::acos(std::clamp(cosines.minCoeff(), 0.0, 1.0));
    const double pca =
        problem.singular_values.head(x.cols()).squaredNorm() / problem.a.squaredNorm();

    const Bound sparsity = problem.bound("sparsity");
    EXPECT_NEAR(sparsity.least, zeros.minCoeff() / p, 1e-12);
    EXPECT_NEAR(sparsity.most, zeros.maxCoeff() / p, 1e-12);
    const Bound deviation = problem.bound("deviation");
    EXPECT_NEAR(deviation.most, std::sin(theta), 1e-7);
    EXPECT_NEAR(problem.bound("nonorthogonality").most, verify::figures(problem.a, x).worst, 1e-12);
    switch (GetParam()) {
      case TruncationType::hard:
      case TruncationType::soft:
        EXPECT_GE(sparsity.lower, 1 - 1 / (p * lambda * lambda) - 1e-8);
        EXPECT_LE(deviation.upper,
                  lambda < 1 / std::sqrt(p) ? std::sqrt(p - 1) * lambda + 1e-12 : 1);
        break;
      case TruncationType::count:
        EXPECT_DOUBLE_EQ(sparsity.lower, lambda / p);
        EXPECT_DOUBLE_EQ(deviation.upper, std::sqrt(lambda / p));
        break;
      case TruncationType::energy:
        EXPECT_GE(sparsity.lower, std::floor(lambda * p) / p);
        EXPECT_DOUBLE_EQ(deviation.upper, std::sqrt(lambda));
        break;
    }
    const double d_min = verify::singular_values(x.transpose() * problem.v).minCoeff();
    EXPECT_NEAR(problem.bound("explained_variance_dmin").lower, d_min * d_min * pca, 1e-12);
    const double cos_bound =
        (std::pow(std::cos(theta), 2) - std::sqrt(r - 1) * std::sin(2 * theta)) * pca;
    EXPECT_GE(problem.bound("explained_variance_cos").lower, cos_bound - 1e-7);
    EXPECT_NEAR(problem.bound("explained_variance_estimate").lower, cosines.squaredNorm() / r * pca,
                1e-12);
    if (HasFailure()) return;
  }
}

/// Each lower bound on the variance is at least the one before it.
TEST_P(EachTruncation, BoundsOnVarianceAreInOrder) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Problem problem = random_problem(GetParam(), random);
    const double absolute = problem.bound("explained_variance").lower;
    const double by_angle = problem.bound("explained_variance_cos").lower;
    const double by_d = problem.bound("explained_variance_dmin").lower;
    EXPECT_LE(absolute, by_angle + 1e-9);
    EXPECT_LE(by_angle, by_d + 1e-9);
    EXPECT_LE(by_d, problem.bound("explained_variance_projected").lower + 1e-9);
  }
}

TEST_P(EachTruncation, HoldsOnWhatRotationFinds) {
  const Matrix a = verify::decaying(40, 15, 5);
  const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinV);
  const Matrix v = svd.matrixV().leftCols(4);
  const Vector singular_values = svd.singularValues();
  for (const double part : {0.2, 0.5, 0.9}) {
    const double lambda = GetParam() == TruncationType::count ? std::floor(15 * part) : part / 2;
    const Truncation truncation{GetParam(), lambda};
    const RotationResult rotated = rotate_and_truncate(v, {.truncation = truncation});
    const verify::Figures figures = verify::figures(a, Matrix(rotated.loadings));
    expect_all_hold(bounds({.v = v,
                            .singular_values = singular_values,
                            .total_variance = a.squaredNorm(),
                            .x = rotated.loadings,
                            .ev = figures.ev,
                            .cpev = figures.cpev,
                            .origin = Origin::rotated_basis,
                            .truncation = truncation,
                            .truncated_from = rotated.truncated_from}));
  }
}

TEST_P(EachTruncation, SignsAndOrderDoNotMatter) {
  Random random(4);
  const Truncation truncation{GetParam(), GetParam() == TruncationType::count ? 6 : 0.3};
  Problem problem({random_basis(12, 3, random), truncation, falling(12), 1});
  const std::vector<Bound> before = problem.bounds();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> permutation(3);
  permutation.indices() << 2, 0, 1;
  problem.x = Loadings(problem.x * permutation) * Vector(Vector{{1, -1, -1}}).asDiagonal();
  problem.rotation = permutation.transpose() * problem.rotation;
  const std::vector<Bound> after = problem.bounds();
  for (std::size_t k = 0; k < before.size(); ++k) {
    EXPECT_NEAR(before[k].lower, after[k].lower, 1e-12) << before[k].name;
    EXPECT_NEAR(before[k].upper, after[k].upper, 1e-12) << before[k].name;
    EXPECT_NEAR(before[k].most, after[k].most, 1e-12) << before[k].name;
    EXPECT_NEAR(before[k].tightness, after[k].tightness, 1e-9) << before[k].name;
  }
}

TEST_P(EachTruncation, KeepsASingleSpike) {
  const Truncation truncation{GetParam(), GetParam() == TruncationType::count ? 9 : 0.3};
  const Problem problem(Matrix::Identity(10, 1), truncation, falling(10), 1);
  const Bound sparsity = problem.bound("sparsity"), deviation = problem.bound("deviation");
  EXPECT_DOUBLE_EQ(sparsity.least, 0.9);
  EXPECT_DOUBLE_EQ(sparsity.upper, 0.9);
  EXPECT_DOUBLE_EQ(deviation.most, 0);
  expect_all_hold(problem.bounds());
}

TEST(Bounds, HardAndSoftKeepAsManyEqualEntriesAsFit) {
  for (const auto type : {TruncationType::hard, TruncationType::soft})
    for (const Index k : {1, 2, 3, 5, 10}) {
      Matrix z = Matrix::Zero(10, 1);
      z.col(0).head(k).setConstant(1 / std::sqrt(static_cast<double>(k)));
      const Problem problem(z, {type, z(0, 0) * (1 - 1e-6)}, falling(10), 1);
      const Bound sparsity = problem.bound("sparsity");
      EXPECT_DOUBLE_EQ(sparsity.least, sparsity.lower);
      EXPECT_DOUBLE_EQ(sparsity.lower, 1 - static_cast<double>(k) / 10);
      EXPECT_NEAR(sparsity.tightness, k < 10 ? 1 : 0, 1e-12);
      expect_all_hold(problem.bounds());
    }
}

/// Also of soft, which the paper leaves open.
TEST(Bounds, HardAndSoftLoseMostIfAllButOneEntryAreLambda) {
  for (const auto type : {TruncationType::hard, TruncationType::soft})
    for (const double lambda : {0.1, 0.2, 0.31}) {
      Matrix z = Matrix::Constant(10, 1, lambda);
      z(3, 0) = -std::sqrt(1 - 9 * lambda * lambda);
      const Problem problem(z, {type, lambda}, falling(10), 1);
      const Bound deviation = problem.bound("deviation");
      EXPECT_NEAR(deviation.upper, 3 * lambda, 1e-12);
      EXPECT_NEAR(deviation.tightness, 1, 1e-9);
      EXPECT_DOUBLE_EQ(problem.bound("sparsity").most, problem.bound("sparsity").upper);
      EXPECT_NEAR(problem.bound("deviation_relative").tightness, 1, 1e-9);
    }
}

TEST(Bounds, AThresholdThatCanEmptyALoadingBoundsTheOthers) {
  Matrix z = Matrix::Zero(9, 2);
  z.col(0).head(8).setConstant(std::sqrt(0.125));
  z(8, 1) = 1;
  Problem problem(z, {TruncationType::hard, 0.36}, falling(9), 1);
  EXPECT_DOUBLE_EQ(problem.bound("sparsity").most, 1);
  EXPECT_DOUBLE_EQ(problem.bound("deviation").upper, 1);
  EXPECT_NEAR(problem.bound("deviation").tightness, 1, 1e-9);
  EXPECT_EQ(problem.bound("explained_variance_dmin").lower, 0);
  EXPECT_EQ(problem.bound("explained_variance_cos").lower, 0);
  EXPECT_GT(problem.bound("explained_variance_projected").lower, 0);
  expect_all_hold(problem.bounds());

  problem.truncation.lambda = 0.35;  // eight entries are above it
  problem.evaluate(truncated(z, problem.truncation));
  EXPECT_DOUBLE_EQ(problem.bound("deviation").upper, std::sqrt(1 - 0.35 * 0.35));
  expect_all_hold(problem.bounds());
}

TEST(Bounds, CountAndEnergyTakeLeastFromEqualEntries) {
  const Matrix z = Matrix::Constant(10, 1, std::sqrt(0.1));
  for (int zeros = 1; zeros < 10; ++zeros)
    for (const Truncation truncation :
         {Truncation{TruncationType::count, static_cast<double>(zeros)},
          Truncation{TruncationType::energy, zeros / 10.0}}) {
      const Problem problem(z, truncation, falling(10), 1);
      EXPECT_NEAR(problem.bound("sparsity").lower, zeros / 10.0, 1e-12);
      EXPECT_NEAR(problem.bound("sparsity").tightness, 1, 1e-12);
      EXPECT_NEAR(problem.bound("deviation").tightness, 1, 1e-9);
      expect_all_hold(problem.bounds());
    }
}

/// X = Z C with a symmetric C: the nearest rotation of V is Z itself.
Problem problem_of(const Matrix& z, const Matrix& c, const Vector& variances) {
  Problem problem(z, {}, variances, 1);
  problem.origin = Origin::other;
  problem.evaluate(Matrix(z * c).sparseView(0, 0));
  return problem;
}

TEST(Bounds, TwoLoadingsThatLeanTowardsEachOtherAttainProposition6) {
  const double angle = 0.3;
  const Matrix c{{std::cos(angle), std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
  const Problem problem = problem_of(verify::random_orthonormal(6, 2, 1), c, falling(6));
  const Bound bound = problem.bound("nonorthogonality_relative");
  EXPECT_NEAR(bound.upper, std::sin(2 * angle), 1e-12);
  EXPECT_NEAR(bound.tightness, 1, 1e-12);
  EXPECT_TRUE(bound.holds);
}

/// All loadings lean away from the only direction that varies. The bound of Theorem 13 has to add
/// (r - 1) sin^2 to be attained.
TEST(Bounds, LoadingsThatLeanAwayFromTheVarianceAttainTheorem13) {
  const Index r = 4;
  const double angle = 0.2, others = std::sqrt(r - 1.0);
  Matrix c = Matrix::Constant(r, r, -std::sin(angle) / others);
  c.diagonal().setConstant(std::cos(angle));
  Vector variances = Vector::Zero(8);
  variances[0] = 1;
  Problem problem(verify::random_orthonormal(8, r, 2), {}, variances, 1);
  Matrix rotation = Eigen::HouseholderQR<Matrix>(Matrix::Ones(r, 1)).householderQ();
  const Matrix z = problem.v * rotation.transpose();  // the first of V is the mean of Z
  problem.origin = Origin::other;
  problem.evaluate(Matrix(z * c).sparseView(0, 0));
  const double expected = std::pow(std::cos(angle) - others * std::sin(angle), 2);
  for (const auto* name :
       {"explained_variance_cos", "explained_variance_dmin", "explained_variance_projected"}) {
    const Bound bound = problem.bound(name);
    EXPECT_NEAR(bound.lower, expected, 1e-12) << name;
    EXPECT_NEAR(bound.tightness, 1, 1e-9) << name;
    EXPECT_TRUE(bound.holds) << name;
  }
  EXPECT_GT(expected, std::pow(std::cos(angle), 2) - others * std::sin(2 * angle));
  EXPECT_FALSE(problem.bound("explained_variance_estimate").holds);
  EXPECT_FALSE(is_violated(problem.bound("explained_variance_estimate")));
}

/// Theorem 12, the angles and the variances need no truncation: any unit columns suffice.
TEST(Bounds, HoldForAnyLoadings) {
  Random random(5);
  for (int trial = 0; trial < 500; ++trial) {
    Problem problem = random_problem(TruncationType::hard, random);
    problem.origin = Origin::other;
    Matrix x = problem.z + random.uniform() * random.normal(problem.z.rows(), problem.z.cols());
    if (random.below(3) == 0) x.col(0) = x.rightCols(1);
    if (random.below(5) == 0) x.col(0).setZero();
    problem.evaluate(normalized(x.sparseView(0, 0)));
    expect_all_hold(problem.bounds());
    if (HasFailure()) return;
  }
}

TEST(Bounds, NoTruncationGivesPcaBack) {
  const Problem problem(verify::random_orthonormal(9, 3, 1), {TruncationType::hard, 0}, falling(9),
                        1);
  const double pca = problem.singular_values.head(3).squaredNorm() / problem.a.squaredNorm();
  for (const Bound& bound : problem.bounds()) {
    EXPECT_TRUE(bound.holds) << bound.name;
    if (bound.name == "sparsity") continue;
    EXPECT_NEAR(bound.at_least ? bound.lower : bound.most, bound.at_least ? pca : 0, 1e-12)
        << bound.name;
  }
}

TEST(Bounds, OneVariableIsNoSpecialCase) {
  for (const TruncationType type : kTypes)
    expect_all_hold(Problem(Matrix::Ones(1, 1), {type, 0}, Vector::Ones(1), 1).bounds());
  expect_all_hold(
      Problem(Matrix::Ones(1, 1), {TruncationType::hard, 0.9}, Vector::Ones(1), 1).bounds());
}

/// Energy just below 1 may round up to all of it, but something always stays.
TEST(Bounds, EnergyNextToOneLeavesAnEntry) {
  const double next_to_one = 1 - 1e-15;
  for (const Index p : {1, 5}) {
    const auto a = make_covariance(Matrix::Identity(p, p));
    for (const Start start : {Start::identity, Start::varimax}) {
      const Result result = fit(*a, {.components = 1,
                                     .truncation = TruncationType::energy,
                                     .lambda = next_to_one,
                                     .start = start});
      EXPECT_EQ(result.loadings.nonZeros(), 1);
      for (const Bound& bound : result.bounds) EXPECT_FALSE(is_violated(bound)) << bound.name;
    }
  }
}

TEST(Bounds, ListsAllNamesAlways) {
  Problem problem(verify::random_orthonormal(9, 1, 1), {TruncationType::soft, 0.4}, falling(9), 1);
  for (const Origin origin :
       {Origin::rotated_basis, Origin::unit_vectors, Origin::support, Origin::other}) {
    problem.origin = origin;
    const std::vector<Bound> list = problem.bounds();
    ASSERT_EQ(list.size(), kNames.size());
    for (std::size_t k = 0; k < kNames.size(); ++k) {
      EXPECT_EQ(list[k].name, kNames[k]);
      EXPECT_EQ(list[k].reason.empty(), list[k].applies) << list[k].name;
      EXPECT_FALSE(list[k].source.empty()) << list[k].name;
    }
    EXPECT_EQ(problem.bound("nonorthogonality_relative").reason, "there is only one component");
  }
}

TEST(Bounds, WhatWasChangedAfterTruncationHasFewerGuarantees) {
  Random random(6);
  Problem problem(random_basis(12, 3, random), {TruncationType::count, 8}, falling(12), 1);
  const auto applying = [&](Origin origin) {
    problem.origin = origin;
    std::vector<std::string_view> names;
    for (const Bound& bound : problem.bounds()) {
      if (bound.applies)
        names.push_back(bound.name);
      else
        EXPECT_EQ(bound.tightness, 0) << bound.name;
      EXPECT_TRUE(bound.holds || bound.kind == BoundKind::estimate) << bound.name;
    }
    return names;
  };
  const std::vector<std::string_view> all(kNames.begin(), kNames.end());
  const std::vector<std::string_view> any{
      "nonorthogonality_relative",    "explained_variance_dmin",     "explained_variance_cos",
      "explained_variance_projected", "explained_variance_estimate", "cpev"};
  std::vector<std::string_view> with_sparsity = any;
  with_sparsity.insert(with_sparsity.begin(), "sparsity");
  EXPECT_EQ(applying(Origin::rotated_basis), all);
  EXPECT_EQ(applying(Origin::unit_vectors), with_sparsity);
  problem.x.prune([](Index row, Index, double) { return row != 3; });
  problem.evaluate(normalized(problem.x));
  EXPECT_EQ(applying(Origin::support), with_sparsity);
  EXPECT_EQ(problem.bound("sparsity").upper, 1);
  EXPECT_DOUBLE_EQ(problem.bound("sparsity").lower, 8.0 / 12);
  EXPECT_EQ(applying(Origin::other), any);
  EXPECT_EQ(problem.bound("sparsity").lower, 0);
}

TEST(Bounds, ManyEqualEntriesDoNotAddUpRounding) {
  const Index p = 100000;
  const Matrix z = Matrix::Constant(p, 1, 1 / std::sqrt(static_cast<double>(p)));
  const Vector one = Vector::Ones(1);
  for (const double lambda : {0.15, 0.3, 0.7}) {
    const Truncation truncation{TruncationType::energy, lambda};
    const Loadings x = truncated(z, truncation);
    const std::vector<Bound> list = bounds({.v = z,
                                            .singular_values = one,
                                            .total_variance = 1,
                                            .x = x,
                                            .ev = 1 - lambda,
                                            .cpev = 1 - lambda,
                                            .origin = Origin::rotated_basis,
                                            .truncation = truncation,
                                            .truncated_from = Matrix::Ones(1, 1)});
    expect_all_hold(list);
    EXPECT_NEAR(list[0].tightness, 1, 1e-9);
  }
}

/// The table of docs/bounds.md.
TEST(Bounds, PitpropsAsDocumented) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Truncation truncation{TruncationType::energy, 0.15};
  const Basis basis = principal_basis(*a, 6);
  const RotationResult rotated = rotate_and_truncate(basis.vectors, {.truncation = truncation});
  const Criteria criteria = evaluate(*a, rotated.loadings, 0);
  const std::vector<Bound> list = bounds({.v = basis.vectors,
                                          .singular_values = basis.singular_values,
                                          .total_variance = basis.total_variance,
                                          .x = rotated.loadings,
                                          .ev = criteria.ev,
                                          .cpev = criteria.cpev,
                                          .origin = Origin::rotated_basis,
                                          .truncation = truncation,
                                          .truncated_from = rotated.truncated_from});
  struct Row {
    double guaranteed, measured, tightness;
  };
  const std::array<Row, kNames.size()> rows = {{{0.0769, 0.6154, 0.125},
                                                {0.3873, 0.3561, 0.919},
                                                {0.3561, 0.3561, 1},
                                                {0.7141, 0.2655, 0.372},
                                                {0.6579, 0.2655, 0.419},
                                                {0.0027, 0.8473, 0.003},
                                                {0.5456, 0.8473, 0.644},
                                                {0.0496, 0.8473, 0.058},
                                                {0.8378, 0.8473, 0.989},
                                                {0.7961, 0.8473, 0.940},
                                                {0.7972, 0.8071, 0.988}}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Bound& bound = list[k];
    EXPECT_NEAR(bound.at_least ? bound.lower : bound.upper, rows[k].guaranteed, 6e-5) << bound.name;
    EXPECT_NEAR(bound.at_least ? bound.least : bound.most, rows[k].measured, 6e-5) << bound.name;
    EXPECT_NEAR(bound.tightness, rows[k].tightness, 6e-4) << bound.name;
    EXPECT_TRUE(bound.applies && bound.holds) << bound.name;
  }
}

TEST(Bounds, RejectsSizesThatDoNotFit) {
  Problem problem(verify::random_orthonormal(6, 2, 1), {TruncationType::hard, 0.1}, falling(6), 1);
  problem.rotation = Matrix::Identity(3, 3);
  EXPECT_THROW(problem.bounds(), Error);
  problem.origin = Origin::other;
  EXPECT_NO_THROW(problem.bounds());
  problem.singular_values = Vector::Ones(1);
  EXPECT_THROW(problem.bounds(), Error);
  problem.singular_values = Vector::Ones(2);
  problem.v = Matrix::Identity(6, 3);
  EXPECT_THROW(problem.bounds(), Error);
}

}  // namespace
}  // namespace spcart
