#include "proof/large_maximum.hpp"

#include <gtest/gtest.h>

#include "enumeration.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

using enumeration::best_block;

LargeMatrix large(const Matrix& s) {
  return LargeMatrix::semidefinite(
      s.diagonal(), [&](const Indices& some) -> Matrix { return s(Eigen::all, some); },
      [&](const Indices& some) -> Matrix { return s(some, some); });
}

/// Second moments of variables whose variances differ.
Matrix moments(Index p, double decay, std::uint64_t seed) {
  Matrix a = verify::random_matrix(p / 2 + 3, p, seed);
  for (Index j = 0; j < p; ++j) a.col(j) *= std::pow(decay, static_cast<double>(j));
  return a.transpose() * a;
}

TEST(LargeMaximum, EqualsBruteForce) {
  Index ruled_out = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Index p = 11, k = 1 + static_cast<Index>(seed % 4),
                few = 1 + static_cast<Index>(seed % 7);
    const Matrix s = moments(p, seed % 3 == 0 ? 1.0 : 0.8, seed);
    const LargeMaximum found = sparse_maximum_of_large(large(s), k, {}, few);
    const double best = best_block(s, k);
    EXPECT_TRUE(found.best.proved) << seed;
    EXPECT_NEAR(found.best.value, best, 1e-8 * best) << seed;
    EXPECT_GE(found.best.bound, best * (1 - 1e-12)) << seed;
    ruled_out += p - found.candidates;
  }
  EXPECT_GT(ruled_out, 300);
}

/// Hotelling's deflation leaves a matrix that is not semidefinite on the support.
TEST(LargeMaximum, EqualsBruteForceAfterDeflation) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Index p = 10, k = 1 + static_cast<Index>(seed % 4);
    const Matrix before = moments(p, 0.85, seed);
    const SparseMaximum first = sparse_maximum(before, k);
    Vector x = Vector::Zero(p);
    for (std::size_t i = 0; i < first.support.size(); ++i)
      x[first.support[i]] = first.values[static_cast<Index>(i)];
    const Matrix s = before - first.value * x * x.transpose();
    LargeMatrix deflated = large(s);
    deflated.size = large(before).size;
    deflated.irregular = first.support;
    const LargeMaximum found = sparse_maximum_of_large(deflated, k, {}, 3);
    const double best = best_block(s, k);
    EXPECT_TRUE(found.best.proved) << seed;
    EXPECT_NEAR(found.best.value, best, 1e-8 * before.norm()) << seed;
  }
}

TEST(LargeMaximum, TimeEndsItWithABoundOfAllVariables) {
  const Matrix s = moments(40, 1, 3);
  const LargeMaximum found = sparse_maximum_of_large(large(s), 5, {.seconds = 1e-9}, 8);
  EXPECT_FALSE(found.best.proved);
  EXPECT_EQ(found.best.support.size(), 5U);
  EXPECT_GE(found.best.bound, sparse_maximum(s, 5).value);
}

TEST(LargeMaximum, CanBeCancelled) {
  const Matrix s = moments(40, 1, 3);
  const auto stop = [](const BranchProgress&) { throw Cancelled(); };
  EXPECT_THROW(sparse_maximum_of_large(large(s), 5, {.tick = stop}, 8), Cancelled);
}

}  // namespace
}  // namespace spcart
