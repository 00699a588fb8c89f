#include "spcart/truncation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

std::vector<double> truncated(const Truncation& truncation, const std::vector<double>& z) {
  std::vector<double> x(z.size());
  Truncator(truncation, static_cast<Index>(z.size()))(z, x);
  return x;
}

/// Count and energy by a stable sort, as they are defined.
std::vector<double> by_sorting(const Truncation& truncation, std::vector<double> z) {
  std::vector<std::size_t> order(z.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(z[i]); });
  double total = 0, spent = 0;
  for (const double v : z) total += v * v;
  std::size_t zeros = static_cast<std::size_t>(truncation.lambda);
  if (truncation.type == TruncationType::energy) {
    zeros = 0;
    for (const std::size_t i : order) {
      spent += z[i] * z[i];
      if (spent > truncation.lambda * total) break;
      ++zeros;
    }
  }
  for (std::size_t k = 0; k < zeros; ++k) z[order[k]] = 0;
  return z;
}

TEST(Truncation, HardKeepsWhatIsAboveLambda) {
  EXPECT_EQ(truncated({TruncationType::hard, 0.5}, {0.5, -0.5, 0.51, -0.6, 0}),
            (std::vector<double>{0, 0, 0.51, -0.6, 0}));
}

TEST(Truncation, SoftShrinks) {
  EXPECT_EQ(truncated({TruncationType::soft, 0.25}, {0.5, -0.75, 0.25, -0.1, 0}),
            (std::vector<double>{0.25, -0.5, 0, 0, 0}));
}

TEST(Truncation, CountZeroesTheSmallestAndOfEqualsTheFirst) {
  EXPECT_EQ(truncated({TruncationType::count, 2}, {1, -1, 1, 2}),
            (std::vector<double>{0, 0, 1, 2}));
  EXPECT_EQ(truncated({TruncationType::count, 3}, {-2, 1, 3, 0}),
            (std::vector<double>{0, 0, 3, 0}));
}

TEST(Truncation, EnergyTakesAsManyAsFit) {
  // Squares 1, 4, 4, 16 of 25: the first two hold 0.2.
  EXPECT_EQ(truncated({TruncationType::energy, 0.2}, {1, 2, -2, 4}),
            (std::vector<double>{0, 0, -2, 4}));
  EXPECT_EQ(truncated({TruncationType::energy, 0.19}, {1, 2, -2, 4}),
            (std::vector<double>{0, 2, -2, 4}));
  EXPECT_EQ(truncated({TruncationType::energy, 0.999}, {1, 2, -2, 4}),
            (std::vector<double>{0, 0, 0, 4}));
}

TEST(Truncation, OfEqualEntriesEnergyTakesLambdaTimesP) {
  for (int zeros = 0; zeros < 10; ++zeros) {
    const auto x = truncated({TruncationType::energy, zeros / 10.0}, std::vector<double>(10, 0.3));
    EXPECT_EQ(std::ranges::count(x, 0.0), zeros);
  }
}

TEST(Truncation, SelectionEqualsSorting) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Index p = 1 + random.below(60);
    std::vector<double> z(static_cast<std::size_t>(p));
    const bool ties = trial % 3 == 0;
    for (double& v : z) v = ties ? std::round(2 * random.normal()) : random.normal();
    const Truncation count{TruncationType::count, static_cast<double>(random.below(p))};
    EXPECT_EQ(truncated(count, z), by_sorting(count, z));
    const Truncation energy{TruncationType::energy, random.uniform() * 0.99};
    EXPECT_EQ(truncated(energy, z), by_sorting(energy, z));
  }
}

TEST(Truncation, NothingIsTruncatedAtZero) {
  const std::vector<double> z{0.3, -0.1, 0.7};
  for (const auto type :
       {TruncationType::hard, TruncationType::soft, TruncationType::count, TruncationType::energy})
    EXPECT_EQ(truncated({type, 0}, z), z);
}

TEST(Truncation, ZeroVectorsStayZero) {
  const std::vector<double> zero(5, 0.0);
  for (const auto type :
       {TruncationType::hard, TruncationType::soft, TruncationType::count, TruncationType::energy})
    EXPECT_EQ(truncated({type, 0}, zero), zero);
  EXPECT_EQ(truncated({TruncationType::energy, 0.5}, zero), zero);
}

TEST(Truncation, WorksInPlace) {
  std::vector<double> z{3, -1, 2, 0.5};
  Truncator({TruncationType::count, 2}, 4)(z, z);
  EXPECT_EQ(z, (std::vector<double>{3, 0, 2, 0}));
}

TEST(Truncation, Defaults) {
  EXPECT_EQ(default_lambda(TruncationType::hard, 16), 0.25);
  EXPECT_EQ(default_lambda(TruncationType::soft, 16), 0.25);
  EXPECT_EQ(default_lambda(TruncationType::count, 13), 11);
  EXPECT_EQ(default_lambda(TruncationType::energy, 13), 0.15);
}

TEST(Truncation, LambdaOutOfRangeIsRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto type : {TruncationType::hard, TruncationType::soft, TruncationType::energy})
    for (const double lambda : {-0.1, 1.0, 2.0, nan})
      EXPECT_THROW(check({type, lambda}, 5), Error) << name(type) << " " << lambda;
  for (const double lambda : {-1.0, 5.0, 2.5, nan})
    EXPECT_THROW(check({TruncationType::count, lambda}, 5), Error) << lambda;
  EXPECT_NO_THROW(check({TruncationType::count, 4}, 5));
}

}  // namespace
}  // namespace spcart
