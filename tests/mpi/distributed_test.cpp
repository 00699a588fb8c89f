#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "spcart/error.hpp"
#include "spread.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::Kind;
using testing::Split;
using testing::spread;

constexpr std::array kKinds = {Kind::dense,  Kind::by_column,        Kind::single,
                               Kind::sparse, Kind::sparse_by_column, Kind::file};
constexpr std::array kSplits = {Split::even, Split::uneven, Split::root_empty, Split::in_parts};

/// Half of the numbers are zero, means differ, and the rows of each rank have their own
/// distribution.
Matrix table(Index rows, Index cols, std::uint64_t seed) {
  Matrix s = verify::random_matrix(rows, cols, seed);
  s = (s.array() > 0).select(s, 0.0);
  for (Index i = 0; i < rows; ++i)
    s.row(i) *= 1 + static_cast<double>(3 * i) / static_cast<double>(rows);
  for (Index j = 0; j < cols; ++j) s.col(j) *= 1 + static_cast<double>(j % 3);
  return s.cast<float>().cast<double>();
}

std::vector<Preparation> preparations(Index cols) {
  const Vector means = verify::random_matrix(cols, 1, 5);
  const Vector scales = verify::random_matrix(cols, 1, 6).cwiseAbs().array() + 0.5;
  return {{.center = false},
          {},
          {.scale = true},
          {.remove_row_mean = true},
          {.remove_row_mean = true, .scale = true},
          {.center = false, .scale = true},
          {.scale = true, .means = means, .scales = scales}};
}

/// The prepared table in full, also by means and scales that are given.
Matrix twin(const Matrix& s, const Preparation& preparation) {
  if (!preparation.means) return verify::prepared(s, preparation);
  const Matrix centred = s.rowwise() - preparation.means->transpose();
  return centred * preparation.scales->cwiseInverse().asDiagonal();
}

double distance(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return (a - b).norm() / std::max(b.norm(), 1e-300);
}

void expect_products(const DataMatrix& a, const Matrix& dense) {
  constexpr double kRounding = 1e-12;
  ASSERT_EQ(a.rows(), dense.rows());
  ASSERT_EQ(a.cols(), dense.cols());
  EXPECT_EQ(a.samples(), dense.rows());
  const Matrix x = verify::random_matrix(a.cols(), 3, 1), y = verify::random_matrix(a.rows(), 2, 2);
  EXPECT_LT(distance(a.column_squared_norms(), dense.colwise().squaredNorm().transpose()),
            kRounding);
  for (int call = 0; call < 2; ++call) {  // also on repeated calls
    EXPECT_LT(distance(a.times(x), dense * x), kRounding);
    EXPECT_LT(distance(a.adjoint_times(y), dense.transpose() * y), kRounding);
    EXPECT_LT(distance(a.gram_times(x), dense.transpose() * (dense * x)), kRounding);
    EXPECT_LT(distance(a.gram(), dense.transpose() * dense), kRounding);
    EXPECT_LT(distance(a.outer_gram(), dense * dense.transpose()), kRounding);
  }
}

TEST(Distributed, EveryProductMatchesTheDenseTwin) {
  const Matrix s = table(31, 9, 1);
  for (const Kind kind : kKinds)
    for (const Preparation& preparation : preparations(s.cols())) {
      SCOPED_TRACE(::testing::Message()
                   << "kind " << static_cast<int>(kind) << " row means "
                   << preparation.remove_row_mean << " center " << preparation.center << " scale "
                   << preparation.scale << " given " << preparation.means.has_value());
      expect_products(*spread(s, preparation, kind), twin(s, preparation));
    }
}

TEST(Distributed, RowsMayBeSpreadInAnyWay) {
  for (const Split split : kSplits)
    for (const Index rows : {1, 2, 5, 40}) {  // also fewer than ranks
      SCOPED_TRACE(::testing::Message() << "split " << static_cast<int>(split) << " of " << rows);
      const Matrix s = table(rows, 7, 2);
      const Preparation preparation{.center = rows > 1, .scale = rows > 2};
      expect_products(*spread(s, preparation, Kind::dense, split),
                      verify::prepared(s, preparation));
      expect_products(*spread(s, preparation, Kind::sparse, split),
                      verify::prepared(s, preparation));
    }
}

TEST(Distributed, MeansAndScalesAreThoseOfAllRows) {
  const Matrix s = table(50, 6, 3);
  for (const Kind kind : kKinds) {
    const auto serial = make_matrix(testing::table_of(s, kind), {.scale = true});
    const auto a = spread(s, {.scale = true}, kind, Split::uneven);
    EXPECT_LT(distance(a->means(), serial->means()), 1e-14);
    EXPECT_LT(distance(a->scales(), serial->scales()), 1e-14);
    EXPECT_EQ(a->entries(), serial->entries());
  }
}

TEST(Distributed, LargeMeansDoNoHarm) {
  Matrix s = verify::random_matrix(60, 5, 4);
  const Matrix centred = s.rowwise() - s.colwise().mean();
  s.array() += 1e6;
  const auto a = spread(s, {}, Kind::dense);
  // The numbers themselves are rounded at 1e-10.
  EXPECT_LT(distance(a->gram(), centred.transpose() * centred), 1e-9);
  EXPECT_LT(distance(a->gram_times(Matrix::Identity(5, 5)), centred.transpose() * centred), 1e-9);
}

TEST(Distributed, VariablesThatDoNotVaryAreFoundOverAllRanks) {
  Matrix s = table(40, 5, 5);
  s.col(1).setConstant(0.1);  // constant on all ranks
  s.col(3).head(20).setConstant(7);
  s.col(3).tail(20).setConstant(8);  // constant within each of two ranks
  for (const Kind kind : kKinds) {
    EXPECT_EQ(spread(s, {}, kind)->column_squared_norms()[1], 0);
    const auto a = spread(s, {.scale = true}, kind);
    EXPECT_EQ(a->constant_columns(), std::vector<Index>{1});
    EXPECT_EQ(a->scales()[1], 0);
    EXPECT_EQ(a->column_squared_norms()[1], 0);
    EXPECT_NEAR(a->column_squared_norms()[3], 39, 1e-9);
  }
}

TEST(Distributed, WhatRowMeansLeaveOfAVariableMayBeRounding) {
  Matrix s = verify::random_matrix(40, 4, 6);
  for (Index i = 0; i < s.rows(); ++i) {  // the last variable is always the mean
    s.row(i).array() += 1000.0 + static_cast<double>(i);
    s(i, 3) = s.row(i).head(3).mean();
  }
  const Preparation preparation{.remove_row_mean = true, .scale = true};
  const auto serial = make_dense(s, preparation);
  ASSERT_EQ(serial->constant_columns(), std::vector<Index>{3});
  EXPECT_EQ(spread(s, preparation, Kind::dense)->constant_columns(), std::vector<Index>{3});
}

TEST(Distributed, SinglePrecisionIsAsNearAsItIsElsewhere) {
  const Matrix s = table(200, 30, 7);
  const Preparation preparation{.precision = Precision::single};
  const Matrix dense = verify::prepared(s, {});
  const auto a = spread(s, preparation, Kind::dense);
  EXPECT_LT(distance(a->gram(), dense.transpose() * dense), 1e-5);
  EXPECT_LT(distance(a->gram_times(Matrix::Identity(30, 2)),
                     dense.transpose() * (dense * Matrix::Identity(30, 2))),
            1e-5);
}

TEST(Distributed, AnErrorOnAnyRankIsTheRoots) {
  for (const Index row : {0, 20, 39}) {
    Matrix s = table(40, 5, 8);
    s(row, 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_HAS(testing::error_of([&] { spread(s, {}, Kind::dense); }), "is not a finite number");
  }
  // All ranks are still there.
  expect_products(*spread(table(40, 5, 8), {}, Kind::dense), verify::prepared(table(40, 5, 8), {}));
}

TEST(Distributed, PreparationIsCheckedAtTheRoot) {
  const Matrix s = table(10, 4, 9);
  EXPECT_HAS(testing::error_of([&] { spread(s, {.means = Vector::Zero(3)}, Kind::dense); }),
             "means: 3 values for 4 variables");
}

TEST(Distributed, AProductCanBeCancelled) {
  const Matrix s = table(40, 6, 10);
  const auto a = spread(s, {}, Kind::dense);
  const Matrix x = Matrix::Identity(6, 2);
  EXPECT_THROW(a->gram_times(x, [](double) { throw Cancelled(); }), Cancelled);
  expect_products(*a, verify::prepared(s, {}));
}

}  // namespace
}  // namespace spcart
