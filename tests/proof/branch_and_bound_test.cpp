#include "proof/branch_and_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "enumeration.hpp"
#include "real_data.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

using enumeration::best_block;
using enumeration::largest;
using enumeration::random_symmetric;

void expect_consistent(const Matrix& s, Index k, const SparseMaximum& found) {
  ASSERT_EQ(static_cast<Index>(found.support.size()), k);
  EXPECT_TRUE(std::ranges::is_sorted(found.support));
  EXPECT_NEAR(found.values.norm(), 1, 1e-12);
  const Matrix block = s(found.support, found.support);
  EXPECT_NEAR(found.values.dot(block * found.values), found.value, 1e-12 * s.norm());
  EXPECT_GE(found.bound, found.value);
}

TEST(BranchAndBound, EqualsBruteForce) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Index p = 1 + static_cast<Index>(seed % 12);
    const Index k =
        1 + static_cast<Index>((seed / 12) % static_cast<std::uint64_t>(std::min<Index>(p, 5)));
    const Matrix s = random_symmetric(p, seed);
    const double best = best_block(s, k), room = 2e-9 * s.cwiseAbs().maxCoeff();
    for (const bool heuristics : {true, false}) {
      const SparseMaximum found = sparse_maximum(s, k, {.heuristics = heuristics});
      EXPECT_TRUE(found.proved) << seed;
      EXPECT_NEAR(found.value, best, room) << "seed " << seed << ", p " << p << ", k " << k;
      EXPECT_GE(found.bound, best - 1e-12 * s.norm()) << seed;
      expect_consistent(s, k, found);
    }
  }
}

TEST(BranchAndBound, FindsTheSameForAnyNumberOfThreads) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Matrix s = random_symmetric(40, seed);  // large enough for threads
    std::vector<SparseMaximum> found;
    for (const Index count : {1, 2, 3}) {
      const ThreadScope scope(count);
      found.push_back(sparse_maximum(s, 6, {.max_nodes = 5000}));
    }
    for (const SparseMaximum& other : found) {
      EXPECT_EQ(other.support, found.front().support);
      EXPECT_EQ(other.value, found.front().value);
      EXPECT_EQ(other.bound, found.front().bound);
      EXPECT_EQ(other.nodes, found.front().nodes);
      EXPECT_GT(other.nodes, 100);
    }
  }
}

TEST(BranchAndBound, AllVariablesOrOneAreQuick) {
  const Matrix s = random_symmetric(60, 1);
  const SparseMaximum all = sparse_maximum(s, 60);
  EXPECT_NEAR(all.value, largest(s, 1), 1e-10 * s.norm());
  const SparseMaximum one = sparse_maximum(s, 1);
  EXPECT_EQ(one.value, s.diagonal().maxCoeff());
  EXPECT_TRUE(all.proved && one.proved);
}

TEST(BranchAndBound, EqualAndDuplicatedVariablesAreQuick) {
  const Index p = 40, k = 6;
  const SparseMaximum equal = sparse_maximum(Matrix::Identity(p, p), k);
  EXPECT_TRUE(equal.proved);
  EXPECT_NEAR(equal.value, 1, 1e-12);
  const Matrix even = 0.7 * Matrix::Identity(p, p) + 0.3 * Matrix::Ones(p, p);
  const SparseMaximum correlated = sparse_maximum(even, k);
  EXPECT_TRUE(correlated.proved);
  EXPECT_NEAR(correlated.value, 1 + 5 * 0.3, 1e-12);
  const Matrix a = verify::random_matrix(30, p / 4, 3);
  const Matrix twice = a.replicate(1, 4);
  const SparseMaximum copied = sparse_maximum(twice.transpose() * twice, k, {.max_nodes = 200000});
  EXPECT_TRUE(copied.proved);
}

TEST(BranchAndBound, TimeAndNodesEndItWithABound) {
  const Matrix a = verify::random_matrix(80, 60, 5);
  const Matrix s = a.transpose() * a;
  const SparseMaximum found = sparse_maximum(s, 12, {.max_nodes = 100});
  EXPECT_FALSE(found.proved);
  EXPECT_GT(found.bound, found.value);
  EXPECT_LE(found.bound, largest(s, 1) * (1 + 1e-9));
  expect_consistent(s, 12, found);
}

TEST(BranchAndBound, TimeEndsItAtOnce) {
  const Matrix a = verify::random_matrix(80, 60, 5);
  const Matrix s = a.transpose() * a;
  for (const bool heuristics : {true, false}) {
    const SparseMaximum found = sparse_maximum(s, 12, {.heuristics = heuristics, .seconds = 0});
    EXPECT_FALSE(found.proved);
    EXPECT_GE(found.bound, good_support(s, 12).value);
    expect_consistent(s, 12, found);
  }
}

/// The eigenvector of a large support comes from Lanczos steps, of an indefinite matrix too.
TEST(BranchAndBound, LargeSupportsHaveTheirLeadingEigenvector) {
  const Matrix a = verify::random_matrix(40, 700, 5);
  const Matrix moments = a.transpose() * a;
  for (const Matrix& s : {moments, Matrix(moments - 100 * Matrix::Identity(700, 700))}) {
    const SparseMaximum found = good_support_with(s, 600, 3);
    ASSERT_EQ(found.support.size(), 600U);
    EXPECT_NEAR(found.value, enumeration::largest_eigenvalue(s, found.support),
                1e-10 * found.value);
  }
}

TEST(BranchAndBound, OfAPartHoldsForAllOfTheMatrix) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Index p = 9, part = 5, k = 1 + static_cast<Index>(seed % 4);
    Matrix a = verify::random_matrix(7, p, seed);
    a.rightCols(p - part) *= seed % 2 == 0 ? 0.1 : 0.5;
    const Matrix s = a.transpose() * a;
    const double outside = s.rightCols(p - part).cwiseAbs().maxCoeff();
    const SparseMaximum found = sparse_maximum_of_part(s.topLeftCorner(part, part), k, outside);
    const double best = best_block(s, k);
    EXPECT_GE(found.bound, best * (1 - 1e-12)) << seed;
    if (found.proved) {
      EXPECT_NEAR(found.value, best, 1e-8 * best) << seed;
    }
  }
}

TEST(BranchAndBound, CanBeCancelled) {
  const Matrix a = verify::random_matrix(80, 60, 5);
  const auto stop = [](const BranchProgress& progress) {
    EXPECT_GE(progress.bound, progress.value);
    if (progress.nodes > 500) throw Cancelled();
  };
  EXPECT_THROW(sparse_maximum(a.transpose() * a, 12, {.tick = stop}), Cancelled);
}

class BranchAndBoundOnRealData : public testing::RealData {};

struct Optimum {
  const char* name;
  double five, ten;
};

TEST_F(BranchAndBoundOnRealData, ProvesTheOptimaOfTheLiterature) {
  for (const Optimum& known : {Optimum{"wine_13", 3.439779, 4.594293},
                               {"miniboone_50", 4.999999, 9.999995},
                               {"communities_101", 4.860548, 8.823616},
                               {"arrhythmia_274", 4.233204, 7.539385},
                               {"ionosphere_34", 3.754006, 6.138309},
                               {"lung_54", 3.335571, 4.812312},
                               {"voice_310", 4.998087, 9.966994},
                               {"gait_320", 4.890344, 9.079657},
                               {"gastro_466", 4.999536, 9.996731}}) {
    const auto path = path_of("covariances") / (std::string(known.name) + ".npy");
    const Matrix s = make_matrix(read_table(path, {.covariance = true}))->gram();
    for (const auto& [k, value] : {std::pair{5, known.five}, {10, known.ten}}) {
      const SparseMaximum found = sparse_maximum(s, k);
      EXPECT_TRUE(found.proved) << known.name << ", " << k;
      EXPECT_NEAR(found.value, value, 1e-6) << known.name << ", " << k;
    }
  }
}

TEST(BranchAndBound, ProvesTheOptimaOfPitprops) {
  const Matrix s = make_matrix(load_dataset("@pitprops"))->gram();
  const double known[] = {1,     1.954, 2.475, 2.937, 3.406, 3.771, 3.996,
                          4.069, 4.139, 4.173, 4.208, 4.218, 4.219};
  for (Index k = 1; k <= 13; ++k) {
    const SparseMaximum found = sparse_maximum(s, k);
    EXPECT_TRUE(found.proved);
    EXPECT_NEAR(found.value, known[k - 1], 6e-4) << k;
  }
}

}  // namespace
}  // namespace spcart
