#include "data/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

const std::vector<Index> kRows = {7, 0, 3, 3, 19, 7, 7, 12, 1, 18};

Matrix rows_of(const Matrix& s, std::vector<Index> rows) {
  std::ranges::sort(rows);
  return s(rows, Eigen::all);
}

std::vector<Preparation> preparations() {
  return {{}, {.center = false}, {.scale = true}, {.remove_row_mean = true, .scale = true}};
}

void expect_same(const DataMatrix& a, const Matrix& expected) {
  const Matrix x = verify::random_matrix(a.cols(), 3, 5), y = verify::random_matrix(a.rows(), 3, 6);
  const double size = expected.norm();
  for (int call = 0; call < 2; ++call) {
    EXPECT_LT((a.times(x) - expected * x).norm(), 1e-12 * size * x.norm());
    EXPECT_LT((a.adjoint_times(y) - expected.transpose() * y).norm(), 1e-12 * size * y.norm());
    EXPECT_LT((a.gram() - expected.transpose() * expected).norm(), 1e-12 * size * size);
    EXPECT_LT((a.outer_gram() - expected * expected.transpose()).norm(), 1e-12 * size * size);
  }
  EXPECT_NEAR(a.squared_norm(), expected.squaredNorm(), 1e-12 * size * size);
}

using ByRow = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(Resample, DenseRowsAreATableOfTheirOwn) {
  const Matrix s = verify::decaying(20, 12, 1).array() + 3;
  const ByRow by_row = s;
  for (const Preparation& preparation : preparations()) {
    const Matrix expected = verify::prepared(rows_of(s, kRows), preparation);
    expect_same(*select_rows(*make_dense(view_of(s), preparation), kRows, preparation), expected);
    expect_same(*select_rows(*make_dense(view_of(by_row), preparation), kRows, preparation),
                expected);
  }
}

template <int Major>
void expect_sparse_rows(const Matrix& s) {
  Eigen::SparseMatrix<double, Major> stored = s.sparseView();
  stored.makeCompressed();
  const SparseView view{
      .major = Major == Eigen::RowMajor ? SparseView::Major::row : SparseView::Major::column,
      .rows = s.rows(),
      .cols = s.cols(),
      .values = stored.valuePtr(),
      .inner = stored.innerIndexPtr(),
      .outer = stored.outerIndexPtr()};
  for (const Preparation& preparation : preparations())
    expect_same(*select_rows(*make_sparse(view, preparation), kRows, preparation),
                verify::prepared(rows_of(s, kRows), preparation));

  const auto permuted = permute_columns(*make_sparse(view, {.center = false}), 4);
  const Matrix found = permuted->times(Matrix::Identity(s.cols(), s.cols()));
  for (Index j = 0; j < s.cols(); ++j) {
    Vector before = s.col(j), after = found.col(j);
    std::ranges::sort(before);
    std::ranges::sort(after);
    EXPECT_LT((before - after).norm(), 1e-12);
  }
  EXPECT_GT((found - s).norm(), 0.5 * s.norm());
}

TEST(Resample, SparseRowsAreATableOfTheirOwn) {
  Matrix s = verify::random_matrix(20, 12, 2);
  s = (s.array().abs() > 1).select(s, 0.0).eval();
  expect_sparse_rows<Eigen::RowMajor>(s);
  expect_sparse_rows<Eigen::ColMajor>(s);
}

/// New samples are treated as the old were.
TEST(Resample, GivenMeansAndScalesAreKept) {
  const Matrix s = verify::decaying(20, 12, 1);
  const auto a = make_dense(view_of(s), {.scale = true});
  const auto part = select_rows(*a, {4, 5}, a->preparation());
  const Matrix all = a->times(Matrix::Identity(12, 12));
  EXPECT_LT((part->times(Matrix::Identity(12, 12)) - all.middleRows(4, 2)).norm(), 1e-12);
}

TEST(Resample, PermutingKeepsEveryVariableAndBreaksThemApart) {
  const Index n = 2000;
  Matrix s(n, 3);
  s.col(0) = verify::random_matrix(n, 1, 1);
  s.col(1) = 2 * s.col(0).array() + 100;
  s.col(2) = -s.col(0);
  const auto a = make_dense(view_of(s));
  const auto permuted = permute_columns(*a, 9);
  EXPECT_LT((permuted->column_squared_norms() - a->column_squared_norms()).norm(),
            1e-9 * a->squared_norm());
  const Matrix gram = permuted->gram();
  EXPECT_LT(std::abs(gram(0, 1)), 0.1 * std::sqrt(gram(0, 0) * gram(1, 1)));
  EXPECT_LT(std::abs(gram(0, 2)), 0.1 * std::sqrt(gram(0, 0) * gram(2, 2)));
  EXPECT_EQ(permute_columns(*a, 9)->gram(), gram);
  EXPECT_NE(permute_columns(*a, 10)->gram(), gram);
}

/// Deviations from the row means are permuted, otherwise the means would count as variance.
TEST(Resample, RowMeansAreRemovedBeforePermuting) {
  Matrix s = verify::decaying(50, 8, 1);
  s.colwise() += 100 * verify::random_matrix(50, 1, 2).col(0);
  const auto a = make_dense(view_of(s), {.remove_row_mean = true});
  const auto permuted = permute_columns(*a, 1);
  EXPECT_NEAR(permuted->squared_norm(), a->squared_norm(), 1e-9 * a->squared_norm());
}

TEST(Resample, RejectsWhatCannotBe) {
  const Matrix s = verify::decaying(20, 12, 1);
  const auto a = make_dense(view_of(s));
  EXPECT_THROW(select_rows(*a, {}, {}), Error);
  EXPECT_THROW(select_rows(*a, {0, 20}, {}), Error);
  EXPECT_THROW(select_rows(*a, {-1, 3}, {}), Error);
  const auto c = make_covariance(a->gram());
  EXPECT_THROW(select_rows(*c, {0}, {}), Error);
  EXPECT_THROW(permute_columns(*c, 0), Error);
}

}  // namespace
}  // namespace spcart
