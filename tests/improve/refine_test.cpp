#include "spcart/refine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "improve/sparse_loadings.hpp"
#include "real_data.hpp"
#include "spcart/criteria.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/loadings.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr Counts kBoth[] = {Counts::each, Counts::total};

std::vector<Index> counts_in(const Loadings& x) {
  std::vector<Index> counts;
  for (Index i = 0; i < x.cols(); ++i) counts.push_back(x.col(i).nonZeros());
  return counts;
}

/// Components with equal entries on the given variables.
Loadings on(Index p, const std::vector<std::vector<Index>>& supports) {
  Loadings x(p, static_cast<Index>(supports.size()));
  for (Index i = 0; i < x.cols(); ++i)
    for (const Index j : supports[static_cast<std::size_t>(i)]) x.insert(j, i) = 1;
  return normalized(x);
}

/// Independent factors of variance 9, 4, ..., each spread evenly over its variables, and noise of
/// variance 1/4.
Matrix planted(Index n, Index p, const std::vector<std::vector<Index>>& supports) {
  const auto r = static_cast<Index>(supports.size());
  Matrix factors = verify::random_matrix(n, r, 11);
  for (Index i = 0; i < r; ++i) factors.col(i) *= static_cast<double>(r + 1 - i);
  return factors * on(p, supports).transpose() + verify::random_matrix(n, p, 12) / 2;
}

TEST(Refine, ExplainedVarianceNeverFallsAndNonzerosNeverGrow) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (const Counts counts : kBoth)
      for (const Index rounds : {1, 3, 12}) {
        const Matrix m = verify::decaying(50, 30, seed);
        const auto a = make_dense(m);
        const Loadings x = sparse_loadings(*a, 6, 5);
        const Loadings refined = refine(*a, x, counts, rounds);
        const Matrix dense = verify::prepared(m, {});
        EXPECT_GE(verify::figures(dense, Matrix(refined)).cpev,
                  verify::figures(dense, Matrix(x)).cpev - 1e-12);
        EXPECT_LE(refined.nonZeros(), x.nonZeros());
        for (Index i = 0; i < x.cols(); ++i) {
          EXPECT_NEAR(refined.col(i).norm(), 1, 1e-12);
          EXPECT_LE(refined.col(i).nonZeros(),
                    counts == Counts::each ? x.col(i).nonZeros() : x.nonZeros());
        }
      }
}

/// Neither relaxing alone, nor settling alone, nor settling by the size of entries gains as much.
TEST(Refine, GainsOverRefit) {
  constexpr std::uint64_t kProblems = 20;
  const auto gain = [](Counts counts) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      const auto a = make_dense(verify::decaying(50, 30, seed));
      const Result refitted = fit(
          *a, {.components = 6, .nonzeros = 5, .refit = 10, .effort = Effort{Effort::Level::none}});
      sum +=
          evaluate(*a, refine(*a, refitted.loadings, counts, 20), 1).cpev - refitted.criteria.cpev;
    }
    return sum / kProblems;
  };
  EXPECT_GE(gain(Counts::each), 0.0935);
  EXPECT_GE(gain(Counts::total), 0.101);
}

TEST(Refine, KindsOfDataAgree) {
  const Matrix m = verify::decaying(60, 15, 5);
  const Matrix dense = verify::prepared(m, {});
  const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> s = m.sparseView();
  const auto a = make_dense(m);
  const auto c = make_covariance(dense.transpose() * dense / 59);
  const auto sparse = make_sparse({.major = SparseView::Major::row,
                                   .rows = s.rows(),
                                   .cols = s.cols(),
                                   .values = s.valuePtr(),
                                   .inner = s.innerIndexPtr(),
                                   .outer = s.outerIndexPtr()});
  const Loadings x = sparse_loadings(*a, 4, 5);
  for (const Counts counts : kBoth) {
    const Matrix expected(refine(*a, x, counts, 10));
    EXPECT_LE((Matrix(refine(*sparse, x, counts, 10)) - expected).norm(), 1e-8);
    EXPECT_LE((Matrix(refine(*c, x, counts, 10)) - expected).norm(), 1e-8);
  }
}

TEST(Refine, WideDataAgreesWithItsCovariance) {
  const Matrix m = verify::decaying(25, 40, 7);  // n < p: through products with A
  const Matrix dense = verify::prepared(m, {});
  const auto a = make_dense(m);
  const auto c = make_covariance(dense.transpose() * dense);
  const Loadings x = sparse_loadings(*a, 4, 6);
  for (const Counts counts : kBoth)
    EXPECT_LE((Matrix(refine(*a, x, counts, 10)) - Matrix(refine(*c, x, counts, 10))).norm(), 1e-8);
}

TEST(Refine, WhatCannotBeBetterStaysAsItIs) {
  Vector variances(12);
  for (Index j = 0; j < 12; ++j) variances[j] = static_cast<double>(12 - j);
  const auto a = make_covariance(variances.asDiagonal());
  const Loadings x = on(12, {{0}, {1}, {2}, {3}});
  for (const Counts counts : kBoth) EXPECT_EQ(Matrix(refine(*a, x, counts, 10)), Matrix(x));

  const auto b = make_dense(verify::decaying(40, 10, 3));
  const Matrix v = principal_basis(*b, 3).vectors;
  const Loadings full = v.sparseView(1, 0);
  for (const Counts counts : kBoth)
    EXPECT_EQ(Matrix(refine(*b, full, counts, 10)), Matrix(normalized(full)));
}

TEST(Refine, RecoversAPlantedSupportThatTheStartMissesInPart) {
  const std::vector<std::vector<Index>> truth = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
  const std::vector<std::vector<Index>> start = {{0, 1, 14, 15}, {4, 16, 6, 17}, {8, 9, 18, 19}};
  const auto a = make_dense(planted(200, 20, truth));
  for (const Counts counts : kBoth)
    EXPECT_EQ(verify::supports(refine(*a, on(20, start), counts, 10)), truth);
}

TEST(Refine, TotalMovesNonzerosToTheComponentsThatNeedThem) {
  const std::vector<std::vector<Index>> truth = {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}, {10, 11}};
  const std::vector<std::vector<Index>> start = {{0, 1, 2, 3}, {8, 9, 14, 15}, {10, 11, 16, 17}};
  const auto a = make_dense(planted(200, 20, truth));
  EXPECT_EQ(verify::supports(refine(*a, on(20, start), Counts::total, 10)), truth);
  EXPECT_EQ(counts_in(refine(*a, on(20, start), Counts::each, 10)), std::vector<Index>(3, 4));
}

/// One component of k variables explains most if the largest eigenvalue of its k x k part of the
/// covariance is largest.
TEST(Refine, OneComponentIsTheBestOfAllSubsets) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Matrix c = a->gram();
  const Index p = c.rows();
  double best = 0;
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j < i; ++j)
      for (Index k = 0; k < j; ++k) {
        const std::vector<Index> subset = {i, j, k};
        best = std::max(best, verify::singular_values(c(subset, subset))[0]);
      }
  const Loadings refined = refine(*a, on(p, {{0, 4, 8}}), Counts::each, 20);
  EXPECT_EQ(refined.nonZeros(), 3);
  EXPECT_NEAR(evaluate(*a, refined, 1).cpev, best / c.trace(), 1e-6);
}

TEST(Refine, EmptyRepeatedAndVoidComponentsAreHarmless) {
  Matrix m = verify::decaying(40, 10, 3);
  m.col(5).setZero();
  const auto a = make_dense(m);
  Matrix x = Matrix::Zero(10, 5);
  x.col(0).head(3).setConstant(1);
  x.col(1) = x.col(0);  // repeats the first
  x.col(3).tail(2).setConstant(1);
  x(5, 4) = 1;  // a constant variable
  const Loadings start = x.sparseView();
  for (const Counts counts : kBoth) {
    const Loadings refined = refine(*a, start, counts, 10);
    EXPECT_TRUE(Matrix(refined).allFinite());
    EXPECT_EQ(refined.col(2).nonZeros(), 0);
    EXPECT_LE(refined.nonZeros(), start.nonZeros());
    EXPECT_GE(evaluate(*a, refined, 1).cpev, evaluate(*a, start, 1).cpev - 1e-12);
  }
  const auto nothing = make_dense(Matrix::Zero(20, 10), {.center = false});
  EXPECT_EQ(Matrix(refine(*nothing, start, Counts::total, 3)), Matrix(normalized(start)));
}

TEST(Refine, NoRoundsGiveTheLoadingsBackWithUnitLength) {
  const auto a = make_dense(verify::decaying(40, 10, 3));
  Loadings x(10, 1);
  x.insert(4, 0) = 3;
  EXPECT_EQ(refine(*a, x, Counts::each, 0).coeff(4, 0), 1);
  EXPECT_EQ(refine(*a, Loadings(10, 2), Counts::total, 5).nonZeros(), 0);
  EXPECT_THROW(refine(*a, x, Counts::each, -1), Error);
  EXPECT_THROW(refine(*a, Loadings(9, 1), Counts::each, 1), Error);
}

TEST(Refine, ReportsProgressAndCanBeStopped) {
  struct Stop {};
  for (const Index p : {20, 60}) {  // with A'A and without
    const auto a = make_dense(verify::decaying(50, p, 2));
    const Loadings x = sparse_loadings(*a, 4, 5);
    double last = 0;
    refine(*a, x, Counts::each, 6, [&](double fraction) {
      EXPECT_GE(fraction, last);
      EXPECT_LE(fraction, 1);
      last = fraction;
    });
    EXPECT_GE(last, 0.5);
    int calls = 0;
    const Tick stop = [&](double) {
      if (++calls == 5) throw Stop();
    };
    EXPECT_THROW(refine(*a, x, Counts::each, 50, stop), Stop);
  }
}

TEST(Refine, IsTheSameAgainAndForAnyNumberOfThreads) {
  const auto a = make_dense(verify::decaying(300, 250, 9));
  const Loadings x = sparse_loadings(*a, 40, 60);
  for (const Counts counts : kBoth) {
    const Matrix expected(refine(*a, x, counts, 4));
    EXPECT_EQ(Matrix(refine(*a, x, counts, 4)), expected);
    for (const Index count : {1, 3}) {
      const ThreadScope scope(count);
      EXPECT_LE((Matrix(refine(*a, x, counts, 4)) - expected).norm(), 1e-9);
    }
  }
}

TEST(Refine, FitKeepsCountsByTruncationType) {
  EXPECT_EQ(counts_of(TruncationType::count), Counts::each);
  EXPECT_EQ(counts_of(TruncationType::hard), Counts::total);
  EXPECT_EQ(counts_of(TruncationType::soft), Counts::total);
  EXPECT_EQ(counts_of(TruncationType::energy), Counts::total);
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const TruncationType type : {TruncationType::hard, TruncationType::soft,
                                    TruncationType::count, TruncationType::energy}) {
    const Result plain = fit(*a, {.components = 6, .truncation = type});
    const Result refined = fit(*a, {.components = 6, .truncation = type, .refine = 10});
    EXPECT_GE(refined.criteria.cpev, plain.criteria.cpev);
    EXPECT_LE(refined.loadings.nonZeros(), plain.loadings.nonZeros());
  }
}

/// Results of other programs, measured independently: at the same sparsity or higher ours must
/// explain more and overlap less.
using RefineOnRealData = testing::RealData;

struct Peer {
  const char* name;
  double sparsity, cpev, nonorthogonality;
  double zeros, hard, soft;  ///< lambda of each truncation that is at least as sparse
};

TEST_F(RefineOnRealData, PatchesLieAboveEveryPeer) {
  const auto a = patches();
  const Basis basis = principal_basis(*a, 70);
  const Peer peers[] = {{"SparsePCA", .957, .9186, .0144, 162, .125, .115},
                        {"SparsePCA, smaller alpha", .908, .9276, .0200, 154, .074, .064},
                        {"MiniBatchSparsePCA, lars", .901, .9223, .0245, 153, .072, .060},
                        {"PMA", .858, .9131, .0155, 146, .053, .047},
                        {"MiniBatchSparsePCA, cd", .852, .9251, .0304, 144, .051, .046}};
  const auto expect_above = [&](const Peer& peer, TruncationType type, double lambda,
                                double margin) {
    SCOPED_TRACE(::testing::Message() << peer.name << ", " << name(type));
    const Criteria c =
        fit(*a, basis, {.components = 70, .truncation = type, .lambda = lambda, .refine = 20})
            .criteria;
    EXPECT_GE(c.sparsity.mean, peer.sparsity);
    EXPECT_GE(c.cpev, peer.cpev + margin);
    EXPECT_LE(c.nonorthogonality, peer.nonorthogonality);
  };
  for (const Peer& peer : peers) {
    expect_above(peer, TruncationType::count, peer.zeros, 0.0005);
    expect_above(peer, TruncationType::hard, peer.hard, 0.001);
    expect_above(peer, TruncationType::soft, peer.soft, 0.001);
  }
}

TEST_F(RefineOnRealData, GenesLieAboveEveryPeer) {
  const auto a = make_matrix(read("leukemia_72x7129.npy"));
  const auto cpev = [&](Index nonzeros) {
    return fit(*a, {.components = 6,
                    .nonzeros = nonzeros,
                    .refine = 10,
                    .effort = Effort{Effort::Level::none}})
        .criteria.cpev;
  };
  EXPECT_GE(cpev(712), .5047 + .0005);
  EXPECT_GE(cpev(213), .4649 + .003);
}

}  // namespace
}  // namespace spcart
