#include "selection/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "verify.hpp"

namespace spcart {
namespace {

double sum_of(const Matrix& weights, const std::vector<Index>& columns) {
  double sum = 0;
  for (Index i = 0; i < weights.rows(); ++i)
    sum += weights(i, columns[static_cast<std::size_t>(i)]);
  return sum;
}

/// The largest sum over all permutations.
double best_sum(const Matrix& weights) {
  std::vector<Index> columns(static_cast<std::size_t>(weights.rows()));
  std::iota(columns.begin(), columns.end(), Index{0});
  double best = sum_of(weights, columns);
  while (std::ranges::next_permutation(columns).found)
    best = std::max(best, sum_of(weights, columns));
  return best;
}

void expect_permutation(std::vector<Index> columns) {
  std::ranges::sort(columns);
  for (std::size_t i = 0; i < columns.size(); ++i) EXPECT_EQ(columns[i], static_cast<Index>(i));
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  for (const Index r : {1, 2, 3, 5, 7})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Matrix weights = verify::random_matrix(r, r, seed);
      const std::vector<Index> columns = best_assignment(weights);
      expect_permutation(columns);
      EXPECT_NEAR(sum_of(weights, columns), best_sum(weights), 1e-12) << r << ' ' << seed;
    }
}

/// Many equal sums: whole numbers, zeros, a matrix of one value.
TEST(Assignment, CopesWithTies) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix weights = verify::random_matrix(6, 6, seed).array().round();
    EXPECT_NEAR(sum_of(weights, best_assignment(weights)), best_sum(weights), 1e-12);
  }
  expect_permutation(best_assignment(Matrix::Zero(5, 5)));
  expect_permutation(best_assignment(Matrix::Ones(5, 5)));
}

/// Taking the largest weight first is not best.
TEST(Assignment, IsNotGreedy) {
  const Matrix weights{{1.0, 0.9}, {0.9, 0.0}};
  EXPECT_EQ(best_assignment(weights), (std::vector<Index>{1, 0}));
}

TEST(Assignment, FindsAPermutationOfManyComponents) {
  const Index r = 200;
  const Matrix v = verify::random_orthonormal(300, r, 3);
  Matrix shuffled(300, r);
  for (Index i = 0; i < r; ++i) shuffled.col((i * 77 + 5) % r) = (i % 2 == 0 ? 1 : -1) * v.col(i);
  const Matrix cosines = (v.transpose() * shuffled).cwiseAbs();
  const std::vector<Index> columns = best_assignment(cosines);
  for (Index i = 0; i < r; ++i) EXPECT_EQ(columns[static_cast<std::size_t>(i)], (i * 77 + 5) % r);
}

}  // namespace
}  // namespace spcart
