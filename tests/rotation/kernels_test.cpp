#include "rotation/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "every_simd.hpp"
#include "rotation/threshold.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

/// Every length around a register, and one of several panels.
constexpr std::int32_t kLengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 64, 1001};

std::vector<double> numbers(std::int32_t count) {
  const Matrix z = verify::random_matrix(count, 1, 7);
  return {z.data(), z.data() + count};
}

class EachKernel : public testing::TestWithParam<Simd> {};

INSTANTIATE_TEST_SUITE_P(Kernels, EachKernel, testing::ValuesIn(every_simd()),
                         [](const auto& param) { return name(param.param); });

TEST_P(EachKernel, KeepsWhatIsAboveTheThreshold) {
  for (const std::int32_t count : kLengths)
    for (const Threshold t : {Threshold{.least = 0.7}, Threshold{.least = 0.7, .shrink = 0.7},
                              Threshold{}, Threshold{.least = INFINITY}}) {
      const std::vector<double> z = numbers(count);
      std::vector<std::int32_t> rows(z.size() + kSpare), expected_rows;
      std::vector<double> values(rows.size()), expected;
      double zeroed = 1, expected_zeroed = 1;
      for (std::int32_t j = 0; j < count; ++j) {
        const double v = z[static_cast<std::size_t>(j)];
        if (!(std::abs(v) > t.least)) {
          expected_zeroed += v * v;
          continue;
        }
        expected_rows.push_back(100 + j);
        expected.push_back(v > 0 ? v - t.shrink : v + t.shrink);
      }
      const std::size_t kept =
          keep_entries(z.data(), 100, count, t, rows.data(), values.data(), &zeroed, GetParam());
      rows.resize(kept);
      values.resize(kept);
      EXPECT_EQ(rows, expected_rows);
      EXPECT_EQ(values, expected);
      EXPECT_NEAR(zeroed, expected_zeroed, 1e-12 * expected_zeroed);
    }
}

TEST_P(EachKernel, KeepsTiesFromTheirIndexOn) {
  const std::vector<double> z = {1, -1, 2, 1, 0.5, -1};
  std::vector<std::int32_t> rows(z.size() + kSpare);
  std::vector<double> values(rows.size());
  double zeroed = 0;
  const std::size_t kept = keep_entries(z.data(), 10, 6, {.least = 1, .ties_from = 13}, rows.data(),
                                        values.data(), &zeroed, GetParam());
  rows.resize(kept);
  values.resize(kept);
  EXPECT_EQ(rows, (std::vector<std::int32_t>{12, 13, 15}));
  EXPECT_EQ(values, (std::vector<double>{2, 1, -1}));
  EXPECT_EQ(zeroed, 2.25);
}

TEST_P(EachKernel, AddsColumns) {
  for (const Index r : {8, 16, 24, 56, 64, 128, 304}) {
    const Matrix v = verify::random_matrix(r, 40, 3), x = verify::random_matrix(9, 1, 4);
    const std::vector<std::int32_t> rows = {0, 1, 5, 6, 20, 21, 22, 38, 39};
    Vector b = Vector::Constant(r, 2), expected = b;
    for (std::size_t k = 0; k < rows.size(); ++k)
      expected += x(static_cast<Index>(k), 0) * v.col(rows[k]);
    add_columns(v.data(), r, rows.data(), x.data(), rows.size(), b.data(), GetParam());
    EXPECT_LE((b - expected).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST_P(EachKernel, ScalesAndComparesSparseVectors) {
  constexpr Index kLength = 400;
  constexpr double kScale = 0.75;
  // Every k-th index is left out of the one and of the other: none, some, nearly all.
  for (const std::int32_t of_x : {1000, 37, 3, 1})
    for (const std::int32_t of_y : {1000, 41, 2, 1}) {
      std::vector<std::int32_t> x_rows, y_rows;
      std::vector<double> x, y;
      Vector all_x = Vector::Zero(kLength), all_y = all_x;
      for (std::int32_t j = 0; j < kLength; ++j) {
        if (j % of_x != of_x - 1) {
          x_rows.push_back(j);
          x.push_back(all_x[j] = std::sin(j));
        }
        if (j % of_y != of_y - 1) {
          y_rows.push_back(j);
          y.push_back(all_y[j] = std::cos(j));
        }
      }
      all_x *= kScale;
      EXPECT_NEAR(scale_and_compare(x_rows, x.data(), kScale, y_rows, y.data(), GetParam()),
                  (all_x - all_y).squaredNorm(), 1e-12 * kLength);
      for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(x[k], all_x[x_rows[k]]);
    }
}

TEST_P(EachKernel, SplitsBySize) {
  for (const std::int32_t count : kLengths) {
    const std::vector<double> z = numbers(count);
    std::vector<double> between(z.size() + kSpare), expected;
    SizeSplit e;
    for (const double v : z) {
      e.energy_all += v * v;
      e.energy_below += std::abs(v) < 0.4 ? v * v : 0;
      e.below += std::abs(v) < 0.4 ? 1 : 0;
      if (std::abs(v) >= 0.4 && std::abs(v) < 0.8) expected.push_back(std::abs(v));
    }
    const auto s = split_by_size(z.data(), z.size(), 0.4, 0.8, between.data(), GetParam());
    between.resize(s.between);
    EXPECT_EQ(between, expected);
    EXPECT_EQ(s.below, e.below);
    EXPECT_NEAR(s.energy_below, e.energy_below, 1e-12 * (1 + e.energy_below));
    EXPECT_NEAR(s.energy_all, e.energy_all, 1e-12 * (1 + e.energy_all));
  }
}

TEST_P(EachKernel, Ascends) {
  std::vector<double> z = numbers(37);
  const std::vector<double> before = z;
  varimax_step(z.data(), z.size(), 0.25, GetParam());
  for (std::size_t j = 0; j < z.size(); ++j)
    EXPECT_NEAR(z[j], before[j] * before[j] * before[j] - 0.25 * before[j], 1e-14);
}

/// What a threshold leaves, dense.
std::vector<double> applied(const Threshold& t, const std::vector<double>& z) {
  std::vector<double> x(z.size(), 0);
  for (std::size_t j = 0; j < z.size(); ++j)
    if (std::abs(z[j]) > t.least ||
        (std::abs(z[j]) == t.least && static_cast<std::int32_t>(j) >= t.ties_from))
      x[j] = z[j];
  return x;
}

TEST(Selection, GuessesChangeNothing) {
  std::vector<double> work;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Matrix column = verify::random_matrix(300, 1, seed);
    std::vector<double> z(column.data(), column.data() + 300);
    if (seed % 2 == 1)  // with ties
      for (double& v : z) v = std::round(4 * v) / 4;
    for (const Truncation t :
         {Truncation{TruncationType::count, 0}, Truncation{TruncationType::count, 1},
          Truncation{TruncationType::count, 210}, Truncation{TruncationType::count, 299},
          Truncation{TruncationType::energy, 0}, Truncation{TruncationType::energy, 0.2},
          Truncation{TruncationType::energy, 0.999}}) {
      const auto expected = applied(select(z, t, work), z);
      for (const double guess : {1e-9, 0.1, 0.25, 0.5, 1.0, 1.25, 2.0, 100.0})
        EXPECT_EQ(applied(select(z, t, work, guess), z), expected) << guess;
    }
  }
}

}  // namespace
}  // namespace spcart
