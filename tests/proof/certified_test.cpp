#include "proof/certified.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "enumeration.hpp"

namespace spcart {
namespace {

using enumeration::largest;
using enumeration::random_symmetric;

TEST(Certified, NoEigenvalueAboveIsProvedJustAboveAndNeverBelow) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Matrix m = random_symmetric(2 + static_cast<Index>(seed % 30), seed);
    const double top = largest(m, 1), size = m.norm();
    Matrix copy = m;
    EXPECT_TRUE(none_above(top + 1e-11 * size, copy)) << seed;
    copy = m;
    EXPECT_FALSE(none_above(top - 1e-13 * size, copy)) << seed;
    copy = m;
    EXPECT_FALSE(none_above(top, copy)) << "nothing is left for rounding, seed " << seed;
  }
}

TEST(Certified, SumOfLargestEigenvaluesIsAboveAndNear) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Matrix m = random_symmetric(1 + static_cast<Index>(seed % 30), seed);
    for (Index r = 1; r <= m.rows(); r += 3) {
      const double exact = largest(m, r), size = m.norm();
      const double bound = sum_of_largest_eigenvalues(m, r);
      EXPECT_GE(bound, exact - 1e-14 * size) << "seed " << seed << ", r " << r;
      EXPECT_LE(bound, exact + 1e-9 * size) << "seed " << seed << ", r " << r;
    }
  }
}

TEST(Certified, EqualEigenvaluesAreNoTrouble) {
  EXPECT_EQ(sum_of_largest_eigenvalues(Matrix::Zero(5, 5), 2), 0);
  EXPECT_NEAR(sum_of_largest_eigenvalues(Matrix::Identity(6, 6), 3), 3, 1e-12);
  EXPECT_NEAR(sum_of_largest_eigenvalues(-Matrix::Identity(6, 6), 3), -3, 1e-12);
  EXPECT_GE(sum_of_largest_eigenvalues(Matrix::Ones(6, 6), 1), 6);
  EXPECT_NEAR(sum_of_largest_eigenvalues(Matrix::Ones(6, 6), 4), 6, 1e-12);
  for (const double scale : {1e-150, 1e150}) {
    const double bound = sum_of_largest_eigenvalues(scale * Matrix::Ones(4, 4), 1);
    EXPECT_GE(bound, 4 * scale);
    EXPECT_LE(bound, (4 + 1e-12) * scale);
  }
}

TEST(Certified, SumOfLargestTakesPositiveNumbersOnly) {
  std::vector<double> numbers = {3, -1, 5, 0.5};
  EXPECT_EQ(sum_of_largest(numbers, 2), 8);
  EXPECT_EQ(sum_of_largest(numbers, 4), 8.5);
  EXPECT_EQ(sum_of_largest(numbers, 9), 8.5);
  EXPECT_EQ(sum_of_largest(numbers, 0), 0);
}

}  // namespace
}  // namespace spcart
