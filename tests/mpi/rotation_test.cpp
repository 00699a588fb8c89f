#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "count_bytes.hpp"
#include "data/execution.hpp"
#include "spcart/error.hpp"
#include "spread.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr std::array kTypes = {TruncationType::hard, TruncationType::soft, TruncationType::count,
                               TruncationType::energy};

/// A matrix of p variables on the ranks, used only to reach them: it spreads every basis.
std::unique_ptr<DataMatrix> company(Index p) {
  auto a = testing::spread(verify::random_matrix(6, p, 1), {}, testing::Kind::dense);
  dynamic_cast<mpi::DistributedMatrix&>(*a).set_large_basis(0);
  return a;
}

std::vector<RotationResult> spread_rotation(ConstBlock v, std::span<const RotateOptions> settings,
                                            const Tick& tick = {}) {
  const auto a = company(v.rows());
  return a->execution().rotate(v, settings, tick);
}

RotateOptions options_of(TruncationType type, Index p) {
  const double lambda = type == TruncationType::count    ? std::floor(0.8 * static_cast<double>(p))
                        : type == TruncationType::energy ? 0.2
                                                         : 1 / std::sqrt(static_cast<double>(p));
  return {.truncation = {type, lambda}};
}

void expect_same(const RotationResult& spread, const RotationResult& serial) {
  EXPECT_EQ(verify::supports(spread.loadings), verify::supports(serial.loadings));
  EXPECT_LT((Matrix(spread.loadings) - Matrix(serial.loadings)).norm(), 1e-10);
  EXPECT_LT((spread.rotation - serial.rotation).norm(), 1e-10);
  EXPECT_LT((spread.truncated_from - serial.truncated_from).norm(), 1e-10);
  EXPECT_EQ(spread.status, serial.status);
  ASSERT_EQ(spread.history.size(), serial.history.size());
  for (std::size_t k = 0; k < serial.history.size(); ++k) {
    EXPECT_NEAR(spread.history[k].objective, serial.history[k].objective, 1e-10);
    EXPECT_NEAR(spread.history[k].truncated_energy, serial.history[k].truncated_energy, 1e-10);
    EXPECT_NEAR(spread.history[k].sparsity, serial.history[k].sparsity, 1e-14);
    EXPECT_NEAR(spread.history[k].change, serial.history[k].change, 1e-10);
  }
}

TEST(SpreadRotation, IsTheSerialOneForEveryTruncationAndStart) {
  for (const Index p : {7, 60, 501})
    for (const TruncationType type : kTypes)
      for (const Start start : {Start::identity, Start::varimax, Start::random}) {
        SCOPED_TRACE(::testing::Message()
                     << p << " variables, truncation " << static_cast<int>(type) << ", start "
                     << static_cast<int>(start));
        const Matrix v = verify::random_orthonormal(p, 5, 3);
        RotateOptions options = options_of(type, p);
        options.start = start;
        options.tolerance = 1e-4;
        expect_same(spread_rotation(v, std::span(&options, 1)).front(),
                    rotate_and_truncate(v, options));
      }
}

TEST(SpreadRotation, RotatesSeveralSettingsAtOnce) {
  const Matrix v = verify::random_orthonormal(90, 4, 5);
  std::vector<RotateOptions> settings;
  for (const TruncationType type : kTypes) settings.push_back(options_of(type, v.rows()));
  settings.push_back(settings.front());
  settings.back().from = random_rotation(4, 9);
  const std::vector<RotationResult> spread = spread_rotation(v, settings);
  const std::vector<RotationResult> serial = rotate_and_truncate_all(v, settings);
  ASSERT_EQ(spread.size(), serial.size());
  for (std::size_t k = 0; k < serial.size(); ++k) expect_same(spread[k], serial[k]);
}

TEST(SpreadRotation, OfEqualsTheFirstOnesGoOnAnyRank) {
  constexpr Index kSize = 16;  // a Hadamard matrix: all entries have the same size
  Matrix v(kSize, 3);
  for (Index i = 0; i < kSize; ++i)
    for (Index j = 0; j < v.cols(); ++j)
      v(i, j) =
          (__builtin_popcountll(static_cast<unsigned long long>(i & (j + 1))) % 2 == 0 ? 0.25
                                                                                       : -0.25);
  for (const Truncation& truncation :
       {Truncation{TruncationType::count, 0}, Truncation{TruncationType::count, 5},
        Truncation{TruncationType::count, 15}, Truncation{TruncationType::energy, 0.3},
        Truncation{TruncationType::energy, 0.5}, Truncation{TruncationType::energy, 0.01}}) {
    SCOPED_TRACE(truncation.lambda);
    const RotateOptions options{
        .truncation = truncation, .start = Start::identity, .max_iterations = 1};
    expect_same(spread_rotation(v, std::span(&options, 1)).front(),
                rotate_and_truncate(v, options));
  }
}

TEST(SpreadRotation, AnEmptiedLoadingStaysEmpty) {
  const Matrix v = verify::random_orthonormal(40, 3, 8);
  for (const TruncationType type : {TruncationType::hard, TruncationType::soft}) {
    const RotateOptions options{.truncation = {type, 0.45}, .start = Start::identity};
    expect_same(spread_rotation(v, std::span(&options, 1)).front(),
                rotate_and_truncate(v, options));
  }
}

TEST(SpreadRotation, ChecksAndCancelsAtTheRoot) {
  const Matrix v = verify::random_orthonormal(40, 3, 8);
  RotateOptions options = options_of(TruncationType::hard, 40);
  const auto a = company(40);
  const Execution& ranks = a->execution();
  EXPECT_THROW(ranks.rotate(v, std::span(&options, 1), [](double) { throw Cancelled(); }),
               Cancelled);
  EXPECT_THROW(ranks.rotate(2 * v, std::span(&options, 1), {}), Error);
  options.tolerance = -1;
  EXPECT_THROW(ranks.rotate(v, std::span(&options, 1), {}), Error);
  options.tolerance = 1e-2;
  expect_same(ranks.rotate(v, std::span(&options, 1), {}).front(), rotate_and_truncate(v, options));
}

/// Bytes that the root exchanges from one iteration's beginning to the next, on average.
double bytes_of_iteration(Index p, Index r, TruncationType type) {
  const Matrix v = verify::random_orthonormal(p, r, 2);
  RotateOptions options = options_of(type, p);
  options.start = Start::identity;
  options.tolerance = 0;
  options.max_iterations = 12;
  std::vector<std::int64_t> marks;
  spread_rotation(v, std::span(&options, 1),
                  [&](double) { marks.push_back(testing::bytes_moved()); });
  EXPECT_EQ(marks.size(), 12U);
  return static_cast<double>(marks.back() - marks.front()) / static_cast<double>(marks.size() - 1);
}

TEST(SpreadRotation, AnIterationExchangesAboutTheSquareOfTheComponents) {
  if (testing::ranks().size() == 1) GTEST_SKIP() << "there is nobody to talk to";
  for (const TruncationType type : kTypes) {
    const bool selects = type == TruncationType::count || type == TruncationType::energy;
    for (const Index r : {4, 16, 64}) {
      const double few = bytes_of_iteration(200, r, type), many = bytes_of_iteration(3000, r, type);
      const auto square = static_cast<double>(r * r), own = static_cast<double>(r);
      // X'V to the root and its sum back, R back, and what goes with them; for each halving of an
      // interval of sizes, of which there are at most 63, r numbers to the root and back.
      const double most = 8 * (3 * square + 10 * own + 10) + (selects ? 8 * 2 * 70 * own : 0);
      EXPECT_LT(few, most) << "r = " << r;
      EXPECT_LT(many, most) << "r = " << r;
      if (selects) continue;
      EXPECT_EQ(few, many) << "r = " << r;  // it does not depend on p
    }
  }
}

}  // namespace
}  // namespace spcart
