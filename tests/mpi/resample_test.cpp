#include "data/resample.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "spcart/error.hpp"
#include "spread.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::Kind;
using testing::Split;
using testing::spread;
using testing::table_of;

constexpr std::array kResampledKinds = {Kind::dense, Kind::by_column, Kind::single, Kind::sparse,
                                        Kind::sparse_by_column};
constexpr std::array kResampledSplits = {Split::even, Split::uneven, Split::root_empty,
                                         Split::in_parts};

/// Half of the numbers are zero, one variable is all zero and one is never zero.
Matrix table(Index rows, Index cols) {
  Matrix s = verify::random_matrix(rows, cols, 1);
  s = (s.array() > 0).select(s, 0.0);
  s.col(2).setZero();
  s.col(3) = verify::random_matrix(rows, 1, 2).array() + 20;
  return s.cast<float>().cast<double>();
}

void expect_same(const DataMatrix& found, const DataMatrix& expected) {
  constexpr double kRounding = 1e-12;
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_EQ(found.entries(), expected.entries());
  EXPECT_EQ(found.constant_columns(), expected.constant_columns());
  const double size = std::max(expected.squared_norm(), 1e-300);
  EXPECT_LT((found.means() - expected.means()).norm(), kRounding * 20);
  EXPECT_LT((found.scales() - expected.scales()).norm(), kRounding * 20);
  EXPECT_LT((found.gram() - expected.gram()).norm(), kRounding * size);
  const Matrix x = verify::random_matrix(found.cols(), 2, 3);
  EXPECT_LT((found.times(x) - expected.times(x)).norm(), kRounding * size);
  EXPECT_LT((found.gram_times(x) - expected.gram_times(x)).norm(), kRounding * size);
}

template <class Check>
void for_all_spreads(const Matrix& s, Check check) {
  const std::array kPreparations = {Preparation{}, Preparation{.center = false},
                                    Preparation{.scale = true},
                                    Preparation{.remove_row_mean = true, .scale = true}};
  for (const Kind kind : kResampledKinds)
    for (const Split split : kResampledSplits)
      for (const Preparation& preparation : kPreparations) {
        SCOPED_TRACE(::testing::Message()
                     << "kind " << static_cast<int>(kind) << " split " << static_cast<int>(split)
                     << " row means " << preparation.remove_row_mean);
        const auto serial = make_matrix(table_of(s, kind), preparation);
        check(*spread(s, preparation, kind, split), *serial);
      }
}

TEST(ResampleOnRanks, SelectsTheRowsThatOneMachineSelects) {
  const std::vector<Index> rows = {28, 3, 3, 0, 17, 16, 9, 28, 28, 11, 30};
  for_all_spreads(table(31, 9), [&](const DataMatrix& a, const DataMatrix& serial) {
    for (const FormGram gram : {FormGram::no, FormGram::yes})
      expect_same(*select_rows(a, rows, measured_anew(a.preparation()), {}, gram),
                  *select_rows(serial, rows, measured_anew(serial.preparation()), {}, gram));
    // Those of a fold are prepared by the means and scales of the others; and all may be of one
    // rank.
    const std::vector<Index> few = {1, 2};
    expect_same(*select_rows(a, few, serial.preparation()),
                *select_rows(serial, few, serial.preparation()));
  });
}

TEST(ResampleOnRanks, PermutesAsOneMachineDoes) {
  for_all_spreads(table(31, 9), [&](const DataMatrix& a, const DataMatrix& serial) {
    for (const std::uint64_t seed : {0, 7})
      expect_same(*permute_columns(a, seed), *permute_columns(serial, seed));
  });
}

TEST(ResampleOnRanks, PermutesASelectionAsOneMachineDoes) {
  const std::vector<Index> rows = {0, 3, 3, 9, 11, 16, 17, 28, 28, 30}, few = {1, 2};
  for_all_spreads(table(31, 9), [&](const DataMatrix& a, const DataMatrix& serial) {
    for (const std::vector<Index>& some : {rows, few}) {
      const auto spread = select_rows(a, some, measured_anew(a.preparation()));
      const auto selected = select_rows(serial, some, measured_anew(serial.preparation()));
      ASSERT_EQ(spread->stored_samples() != nullptr, selected->stored_samples() != nullptr);
      if (selected->stored_samples()) {
        expect_same(*permute_columns(*spread, 4), *permute_columns(*selected, 4));
        expect_same(*select_rows(*spread, {0, 1}, measured_anew(a.preparation())),
                    *select_rows(*selected, {0, 1}, measured_anew(serial.preparation())));
      } else {
        EXPECT_THROW(permute_columns(*spread, 4), Error);
      }
    }
  });
}

TEST(ResampleOnRanks, PermutesTheValuesOfEachVariableIndependently) {
  // The sum of squares of each variable stays, and those of sums of two variables do not.
  const Matrix s = table(200, 9);
  const auto a = spread(s, {}, Kind::dense);
  const auto permuted = permute_columns(*a, 3);
  const Matrix before = a->gram(), after = permuted->gram();
  EXPECT_LT((before.diagonal() - after.diagonal()).norm(), 1e-9 * before.norm());
  EXPECT_GT((before - after).norm(), 1e-3 * before.norm());
}

TEST(ResampleOnRanks, SeveralMatricesAreServedInAnyOrder) {
  const Matrix s = table(31, 9);
  auto a = spread(s, {}, Kind::dense);
  const auto serial = make_dense(s);
  const std::vector<Index> odd = {1, 3, 5, 7, 9, 11}, last = {26, 27, 28, 29, 30};
  auto first = select_rows(*a, odd, {}), second = select_rows(*a, last, {});
  const auto third = permute_columns(*a, 5);
  expect_same(*second, *select_rows(*serial, last, {}));
  expect_same(*a, *serial);
  expect_same(*first, *select_rows(*serial, odd, {}));
  first.reset();
  expect_same(*third, *permute_columns(*serial, 5));
  expect_same(*permute_columns(*third, 6), *permute_columns(*permute_columns(*serial, 5), 6));
  a.reset();  // what was made from it remains
  expect_same(*second, *select_rows(*serial, last, {}));
  second.reset();
  expect_same(*third, *permute_columns(*serial, 5));
}

TEST(ResampleOnRanks, RejectsWhatOneMachineRejects) {
  const Matrix s = table(31, 9);
  const auto a = spread(s, {}, Kind::sparse);
  EXPECT_THROW(select_rows(*a, {}, {}), Error);
  EXPECT_THROW(select_rows(*a, {0, 31}, {}), Error);
  Preparation wrong;
  wrong.means = Vector::Zero(3);
  EXPECT_THROW(select_rows(*a, {0, 1}, wrong), Error);
  expect_same(*a, *make_matrix(table_of(s, Kind::sparse)));  // the ranks still serve
}

TEST(ResampleOnRanks, NeedsRowsInMemory) {
  const auto a = spread(table(31, 9), {}, Kind::file);
  EXPECT_THROW(select_rows(*a, {0, 1}, {}), Error);
  EXPECT_THROW(permute_columns(*a, 1), Error);
}

TEST(ResampleOnRanks, CanBeCancelledAndLeavesTheRanksServing) {
  const Matrix s = table(31, 9);
  const auto a = spread(s, {}, Kind::dense);
  const Tick stop = [](double) { throw Cancelled(); };
  EXPECT_THROW(select_rows(*a, {0, 1, 2}, {}, stop), Cancelled);
  EXPECT_THROW(permute_columns(*a, 1, stop), Cancelled);
  expect_same(*a, *make_dense(s));
}

}  // namespace
}  // namespace spcart
