#include <gtest/gtest.h>

#include <array>

#include "spread.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::Kind;
using testing::spread;
using testing::table_of;

constexpr double kSame = 1e-8;

/// Blocks of variables that go together, and noise; half of all numbers are zero.
Matrix grouped(Index rows, Index cols, std::uint64_t seed) {
  constexpr Index kGroups = 4;
  const Matrix scores = verify::random_matrix(rows, kGroups, seed);
  Matrix s = 0.3 * verify::random_matrix(rows, cols, seed + 1);
  for (Index j = 0; j < cols; ++j)
    s.col(j) += (1.0 + 0.5 * static_cast<double>(j % kGroups)) * scores.col(j % kGroups);
  s = (s.array() > 0).select(s, 0.0);
  return s.cast<float>().cast<double>();
}

void expect_same(const Result& distributed, const Result& serial) {
  EXPECT_EQ(verify::supports(distributed.loadings), verify::supports(serial.loadings));
  EXPECT_LT((Matrix(distributed.loadings) - Matrix(serial.loadings)).norm(), kSame);
  EXPECT_LT((distributed.singular_values - serial.singular_values).norm(),
            kSame * serial.singular_values[0]);
  EXPECT_NEAR(distributed.criteria.cpev, serial.criteria.cpev, kSame);
  EXPECT_NEAR(distributed.criteria.ev, serial.criteria.ev, kSame);
  EXPECT_EQ(distributed.iterations(), serial.iterations());
  EXPECT_EQ(distributed.samples, serial.samples);
}

TEST(DistributedFit, IsTheSerialFitForEveryTruncationAndPreparation) {
  constexpr std::array kTruncations = {TruncationType::hard, TruncationType::soft,
                                       TruncationType::count, TruncationType::energy};
  const std::array kPreparations = {Preparation{.center = false}, Preparation{},
                                    Preparation{.scale = true},
                                    Preparation{.remove_row_mean = true}};
  const Matrix s = grouped(120, 24, 1);
  for (const Kind kind : {Kind::dense, Kind::sparse, Kind::file})
    for (const Preparation& preparation : kPreparations) {
      const auto serial = make_matrix(table_of(s, kind), preparation);
      const auto a = spread(s, preparation, kind);
      for (const TruncationType truncation : kTruncations) {
        SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << " truncation "
                                          << static_cast<int>(truncation));
        const Options options{.components = 4, .truncation = truncation};
        expect_same(fit(*a, options), fit(*serial, options));
      }
    }
}

TEST(DistributedFit, IsTheSameByEverySolver) {
  const Matrix tall = grouped(150, 20, 2), wide = grouped(30, 80, 3);
  for (const Matrix* s : {&tall, &wide})
    for (const Kind kind : {Kind::dense, Kind::sparse})
      for (const Solver solver : {Solver::gram, Solver::outer, Solver::krylov, Solver::slepc}) {
        SCOPED_TRACE(::testing::Message() << s->rows() << " rows, kind " << static_cast<int>(kind)
                                          << " solver " << static_cast<int>(solver));
        const auto a = spread(*s, {.scale = true}, kind);
        const auto serial = make_matrix(table_of(*s, kind), {.scale = true});
        expect_same(fit(*a, {.components = 4, .solver = solver}),
                    fit(*serial, {.components = 4, .solver = Solver::gram}));
      }
}

TEST(DistributedFit, FindsTargetsRefitsAndRefines) {
  const Matrix s = grouped(100, 18, 4);
  const auto a = spread(s, {}, Kind::dense);
  const auto serial = make_dense(s);
  for (const Options& options :
       {Options{.components = 3, .keep = 0.9}, Options{.components = 3, .nonzeros = 4, .refit = 3},
        Options{.components = 3, .restarts = 3, .refine = 2}, Options{.variance = 0.8},
        Options{.method = Method::gpower, .components = 3}})
    expect_same(fit(*a, options), fit(*serial, options));
}

TEST(DistributedFit, FollowsTheSamePath) {
  const Matrix s = grouped(100, 18, 5);
  const auto a = spread(s, {}, Kind::sparse);
  const PathOptions options{.truncations = {TruncationType::hard, TruncationType::count},
                            .components = {2, 3},
                            .points = 6};
  const Path distributed = path(*a, options), serial = path(*make_dense(s), options);
  ASSERT_EQ(distributed.points.size(), serial.points.size());
  EXPECT_EQ(distributed.knee, serial.knee);
  for (std::size_t k = 0; k < serial.points.size(); ++k) {
    EXPECT_EQ(distributed.points[k].criteria.nonzeros, serial.points[k].criteria.nonzeros);
    EXPECT_NEAR(distributed.points[k].criteria.cpev, serial.points[k].criteria.cpev, kSame);
  }
}

void expect_same(const Stability& distributed, const Stability& serial) {
  EXPECT_EQ(distributed.resamples, serial.resamples);
  EXPECT_LT((Matrix(distributed.frequencies) - Matrix(serial.frequencies)).norm(), kSame);
  EXPECT_LT((distributed.cosines - serial.cosines).norm(), kSame);
}

TEST(DistributedFit, BootstrapsTheSameResamples) {
  const Matrix s = grouped(60, 12, 6);
  for (const Kind kind : {Kind::dense, Kind::sparse}) {
    const auto a = spread(s, {.scale = true}, kind);
    const auto serial = make_matrix(table_of(s, kind), {.scale = true});
    const Options options{.components = 3, .nonzeros = 4};
    const BootstrapOptions resampled{.resamples = 4, .seed = 2};
    expect_same(bootstrap(*a, fit(*a, options), resampled),
                bootstrap(*serial, fit(*serial, options), resampled));
  }
}

void expect_same(const Choice& distributed, const Choice& serial) {
  EXPECT_EQ(distributed.components, serial.components);
  EXPECT_EQ(distributed.nonzeros, serial.nonzeros);
  EXPECT_EQ(distributed.to_read.components, serial.to_read.components);
  EXPECT_EQ(distributed.to_read.nonzeros, serial.to_read.nonzeros);
  EXPECT_EQ(distributed.scree.by_parallel, serial.scree.by_parallel);
  EXPECT_LT((distributed.scree.parallel - serial.scree.parallel).norm(), kSame);
  ASSERT_EQ(distributed.held_out.size(), serial.held_out.size());
  for (std::size_t k = 0; k < serial.held_out.size(); ++k) {
    EXPECT_EQ(distributed.held_out[k].nonzeros, serial.held_out[k].nonzeros);
    EXPECT_NEAR(distributed.held_out[k].error, serial.held_out[k].error, kSame);
  }
}

TEST(DistributedFit, ChoosesTheSame) {
  const Matrix s = grouped(80, 12, 7);
  for (const Kind kind : {Kind::dense, Kind::sparse})
    for (const Preparation& preparation :
         {Preparation{}, Preparation{.remove_row_mean = true, .scale = true}}) {
      const auto a = spread(s, preparation, kind);
      const auto serial = make_matrix(table_of(s, kind), preparation);
      const ChooseOptions options{
          .most = 5, .permutations = 5, .folds = 3, .repeats = 2, .solver = Solver::gram};
      expect_same(choose(*a, options), choose(*serial, options));
    }
}

TEST(DistributedFit, ComparesTheSame) {
  const Matrix s = grouped(60, 12, 8);
  const auto a = spread(s, {}, Kind::dense);
  const auto serial = make_dense(s);
  CompareOptions options{.contenders = all_contenders(), .nonzeros = 4};
  options.common.components = 2;
  const auto found = compare(*a, options), expected = compare(*serial, options);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k].result.criteria.cpev, expected[k].result.criteria.cpev, 1e-6)
        << name(found[k].contender.method);
}

TEST(DistributedFit, WhatNeedsSamplesInMemorySaysSo) {
  const auto a = spread(grouped(40, 8, 6), {}, Kind::file);
  const Result result = fit(*a, {.components = 2});
  EXPECT_THROW(bootstrap(*a, result, {.resamples = 2}), Error);
  EXPECT_THROW(choose(*a), Error);
}

}  // namespace
}  // namespace spcart
