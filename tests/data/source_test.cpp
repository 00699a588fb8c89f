// Tables that are known by their rows in blocks, by their products or by their moments, against
// the same tables in memory.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <tuple>

#include "spcart/fit.hpp"
#include "spcart/prepare.hpp"
#include "temporary.hpp"
#include "twins.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::expect_twins;
using verify::decaying;
using verify::random_matrix;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using SparseRows = Eigen::SparseMatrix<T, Eigen::RowMajor>;

/// Whole numbers from 0 to 100, half of them 0.
Matrix counted(Index n, Index p) {
  return (random_matrix(n, p, 5).array() * 20).round().max(0.0).min(100.0);
}

/// Blocks of 1, 2, 3, ... rows, and an empty one before each.
template <class T>
RowSource dense_source(const Matrix& m) {
  const auto table = std::make_shared<const Rows<T>>(m.cast<T>());
  return {.rows = m.rows(), .cols = m.cols(), .scalar = scalar_of<T>(), .pass = [table] {
            return
                [table, first = Index{0}, calls = Index{0}]() mutable -> std::optional<RowBlock> {
                  if (++calls % 2 == 1)
                    return DenseView::row_major(table->data(), 0, table->cols());
                  const Index count = std::min(calls / 2, table->rows() - first);
                  if (count == 0) return {};
                  const T* row = table->data() + first * table->cols();
                  first += count;
                  return DenseView::row_major(row, count, table->cols());
                };
          }};
}

template <class T>
RowSource sparse_source(const Matrix& m, Index block_rows) {
  const auto table = std::make_shared<const SparseRows<T>>(m.sparseView().cast<T>());
  RowSource source{.rows = m.rows(), .cols = m.cols(), .scalar = scalar_of<T>(), .sparse = true};
  source.entries = static_cast<double>(table->nonZeros());
  source.pass = [table, block_rows] {
    auto part = std::make_shared<SparseRows<T>>();
    return [table, block_rows, part, first = Index{0}]() mutable -> std::optional<RowBlock> {
      const Index count = std::min(block_rows, table->rows() - first);
      if (count == 0) return {};
      *part = table->middleRows(first, count);
      first += count;
      return view_of(*part);
    };
  };
  return source;
}

class SourceOfEveryPreparation : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  static Preparation preparation() {
    Preparation p;
    std::tie(p.remove_row_mean, p.center, p.scale) = GetParam();
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(All, SourceOfEveryPreparation,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST_P(SourceOfEveryPreparation, RowsInBlocksAreTheTable) {
  for (const auto& [n, p] : {std::pair{61, 9}, {7, 80}, {1, 3}, {300, 40}}) {
    const Matrix m = counted(n, p);
    const auto twin = make_dense(m, preparation());
    for (const std::uint64_t memory : {1 << 10, 1 << 26}) {
      const auto check = [&](RowSource source) {
        source.memory = memory;
        expect_twins(*make_rows(source, preparation()), *twin);
      };
      check(dense_source<double>(m));
      check(dense_source<float>(m));
      check(dense_source<std::int32_t>(m));
      check(dense_source<std::uint8_t>(m));
    }
  }
}

TEST_P(SourceOfEveryPreparation, SparseRowsInBlocksAreTheTable) {
  for (const auto& [n, p] : {std::pair{61, 9}, {7, 80}, {300, 40}}) {
    const Matrix m = counted(n, p);
    const SparseRows<double> stored = m.sparseView();
    const auto twin = make_sparse(view_of(stored), preparation());
    for (const std::uint64_t memory : {1 << 10, 1 << 26})
      for (const Index block_rows : {1, 10, 1000}) {
        RowSource source = sparse_source<double>(m, block_rows);
        source.memory = memory;
        expect_twins(*make_rows(source, preparation()), *twin);
        source = sparse_source<float>(m, block_rows);
        source.memory = memory;
        expect_twins(*make_rows(source, preparation()), *twin);
      }
  }
}

TEST_P(SourceOfEveryPreparation, ProductsAreTheTable) {
  for (const auto& [n, p] : {std::pair{61, 9}, {7, 80}, {130, 100}}) {
    const Matrix m = decaying(n, p, 7).array() + 3;
    const LinearOperator s{
        .rows = n,
        .cols = p,
        .times = [&](ConstBlock x, Block y) { y.noalias() = m * x; },
        .adjoint_times = [&](ConstBlock y, Block x) { x.noalias() = m.transpose() * y; }};
    expect_twins(*make_operator(s, preparation()), *make_dense(m, preparation()));
  }
}

TEST_P(SourceOfEveryPreparation, MomentsOfPartsHaveTheGramMatrixOfAll) {
  for (const auto& [n, p] : {std::pair{61, 9}, {12, 30}}) {
    Matrix m = decaying(n, p, 7).array() + 1e3;
    m.col(2).setConstant(5);
    const auto twin = make_dense(m, preparation());
    SampleMoments moments;
    for (Index first = 0, count = 1; first < n; first += count, count += 3) {
      count = std::min(count, n - first);
      moments.add(moments_of(make_table(m.middleRows(first, count))));
    }
    ASSERT_EQ(moments.samples, n);
    const auto a = make_moments(moments, preparation());
    ASSERT_EQ(a->samples(), n);
    const Matrix expected = twin->gram();
    EXPECT_LE((a->gram() - expected).norm(), 1e-11 * expected.norm());
    EXPECT_LE((a->means() - twin->means()).norm(), 1e-12 * (1 + twin->means().norm()));
    EXPECT_LE((a->scales() - twin->scales()).norm(), 1e-9 * twin->scales().norm());
    EXPECT_EQ(a->constant_columns(), twin->constant_columns());
  }
}

TEST(Moments, AreThoseOfASourceOrATable) {
  const Matrix m = counted(200, 12);
  const SampleMoments all = moments_of(make_table(m));
  const Vector means = m.colwise().mean();
  const Matrix centred = m.rowwise() - means.transpose();
  EXPECT_LE((all.means - means).norm(), 1e-12);
  EXPECT_LE((all.scatter - centred.transpose() * centred).norm(), 1e-9);
  for (const RowSource& source : {dense_source<float>(m), sparse_source<double>(m, 7)}) {
    const SampleMoments same = moments_of(source);
    EXPECT_EQ(same.samples, 200);
    EXPECT_LE((same.scatter - all.scatter).norm(), 1e-12 * all.scatter.norm());
  }
  SampleMoments none;
  none.add(all);
  none.add({.samples = 0, .means = Vector::Zero(3), .scatter = Matrix::Zero(3, 3)});
  EXPECT_EQ(none.scatter, all.scatter);
}

TEST(Moments, OfOtherShapesAreRejected) {
  const SampleMoments three = moments_of(make_table(counted(9, 3)));
  SampleMoments four = moments_of(make_table(counted(9, 4)));
  EXPECT_EQ(error_of([&] { four.add(three); }),
            "moments: those of 4 and of 3 variables cannot be added");
  SampleMoments broken = three;
  broken.scatter.resize(2, 3);
  EXPECT_NE(error_of([&] { make_moments(broken); }).find("do not fit together"), std::string::npos);
  broken.scatter = Matrix::Constant(3, 3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(error_of([&] { make_moments(broken); }), "moments: not all of them are finite");
  EXPECT_EQ(error_of([] { make_moments({}); }), "moments: they have no samples");
  Table covariance = make_table(Matrix::Identity(3, 3));
  covariance.covariance = true;
  EXPECT_NE(error_of([&] { moments_of(covariance); }).find("a covariance has none"),
            std::string::npos);
}

TEST(Sources, HaveTheSameFitAsTheTable) {
  const Matrix m = decaying(400, 60, 3);
  const Options options{.components = 4, .nonzeros = 6};
  const PrepareOptions plan{.components = 4};
  const Matrix expected = Matrix(fit(*prepare(make_table(m), plan), options).loadings);
  const auto check = [&](const std::unique_ptr<DataMatrix>& a, const std::string& storage) {
    const Result result = fit(*a, options);
    EXPECT_EQ(result.storage, storage);
    EXPECT_EQ(result.samples, 400);
    EXPECT_LE((Matrix(result.loadings) - expected).cwiseAbs().maxCoeff(), 1e-9) << storage;
  };
  check(prepare(dense_source<double>(m), plan), "source");
  check(prepare(sparse_source<double>(m, 50), plan), "source");
  check(prepare(moments_of(make_table(m)), plan), "moments");
  check(prepare(LinearOperator{.rows = 400,
                               .cols = 60,
                               .times = [&](ConstBlock x, Block y) { y.noalias() = m * x; },
                               .adjoint_times = [&](ConstBlock y,
                                                    Block x) { x.noalias() = m.transpose() * y; }},
                plan),
        "operator");
}

TEST(Sources, AreReadInAsFewPassesAsAFile) {
  const Matrix m = decaying(500, 40, 3);
  RowSource source = dense_source<double>(m);
  std::atomic<int> passes = 0;
  source.pass = [&passes, pass = source.pass] {
    ++passes;
    return pass();
  };
  const auto a = prepare(source, {.components = 3});
  fit(*a, {.components = 3, .nonzeros = 5});
  EXPECT_EQ(passes, 1);
}

TEST(Sources, AreRejectedIfAPassDiffers) {
  const Matrix m = counted(100, 8);
  for (const bool sparse : {false, true}) {
    RowSource source = sparse ? sparse_source<double>(m, 9) : dense_source<double>(m);
    Matrix changed = m;
    changed(57, 3) += 1;
    const RowSource other =
        sparse ? sparse_source<double>(changed, 9) : dense_source<double>(changed);
    std::atomic<int> passes = 0;
    source.pass = [&passes, first = source.pass, later = other.pass] {
      return passes++ == 0 ? first() : later();
    };
    const auto a = make_rows(source);
    EXPECT_NE(error_of([&] {
                a->gram_times(Matrix::Ones(8, 2));
              }).find("does not give the same numbers in every pass"),
              std::string::npos);
  }
}

TEST(Sources, MayDivideTheSameRowsInOtherWays) {
  const Matrix m = counted(100, 8);
  RowSource source = sparse_source<double>(m, 9);
  std::atomic<int> passes = 0;
  source.pass = [&passes, one = source.pass, two = sparse_source<double>(m, 33).pass] {
    return passes++ % 2 == 0 ? one() : two();
  };
  const SparseRows<double> stored = m.sparseView();
  expect_twins(*make_rows(source), *make_sparse(view_of(stored)));
}

TEST(Sources, WithTooFewOrTooManySamplesAreRejected) {
  const Matrix m = counted(20, 4);
  RowSource source = dense_source<double>(m);
  source.rows = 21;
  EXPECT_EQ(error_of([&] { make_rows(source); }), "the source of samples ends after 20 of 21");
  source.rows = 19;
  EXPECT_EQ(error_of([&] { make_rows(source); }), "the source has more than its 19 samples");
  source.rows = 15;  // the end of a block
  EXPECT_EQ(error_of([&] { make_rows(source); }), "the source has more than its 15 samples");
}

TEST(Sources, WithOddBlocksAreRejected) {
  const Matrix m = counted(20, 4);
  RowSource source = dense_source<double>(m);
  source.cols = 5;
  EXPECT_EQ(error_of([&] { make_rows(source); }),
            "the source of samples has a block of 4 float64 numbers per row, instead of 5 float64");
  source.cols = 4;
  source.scalar = Scalar::float32;
  EXPECT_EQ(error_of([&] { make_rows(source); }),
            "the source of samples has a block of 4 float64 numbers per row, instead of 4 float32");
  source = dense_source<double>(m);
  source.sparse = true;
  EXPECT_NE(error_of([&] { make_rows(source); }).find("both dense and sparse"), std::string::npos);
  source.pass = nullptr;
  EXPECT_NE(error_of([&] { make_rows(source); }).find("needs a function"), std::string::npos);

  const auto one_block = [](const SparseView& view) {
    return RowSource{.rows = 2, .cols = 3, .sparse = true, .pass = [view] {
                       return [view, given = false]() mutable -> std::optional<RowBlock> {
                         if (std::exchange(given, true)) return {};
                         return view;
                       };
                     }};
  };
  const std::vector<double> values{1, 2, 3};
  const std::vector<std::int32_t> rising{0, 2, 1}, repeated{1, 1, 0}, outside{0, 3, 1};
  const std::vector<std::int32_t> rows{0, 2, 3}, falling{0, 4, 3};
  SparseView view{
      .rows = 2, .cols = 3, .values = values.data(), .inner = rising.data(), .outer = rows.data()};
  EXPECT_NO_THROW(make_rows(one_block(view)));
  for (const auto& inner : {repeated, outside}) {
    view.inner = inner.data();
    EXPECT_EQ(error_of([&] { make_rows(one_block(view)); }),
              "the source of samples has a row whose columns do not rise from 0 to 2: row 1");
  }
  view.inner = rising.data();
  view.outer = falling.data();
  EXPECT_NE(error_of([&] { make_rows(one_block(view)); }).find("offsets do not rise"),
            std::string::npos);
  view.outer = rows.data();
  view.major = SparseView::Major::column;
  EXPECT_NE(error_of([&] { make_rows(one_block(view)); }).find("compressed by columns"),
            std::string::npos);
}

TEST(Sources, WithNumbersThatAreNotFiniteAreRejected) {
  Matrix m = counted(20, 4);
  m(13, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { make_rows(dense_source<double>(m)); }),
            "row 14, column 3: NaN is not a finite number");
  EXPECT_EQ(error_of([&] { make_rows(sparse_source<double>(m, 6)); }),
            "row 14, column 3: NaN is not a finite number");
  for (const bool wide : {false, true}) {
    const Matrix s = wide ? Matrix(m.transpose()) : m;
    const LinearOperator op{
        .rows = s.rows(),
        .cols = s.cols(),
        .times = [&](ConstBlock x, Block y) { y = (s.array() * 1).matrix() * x; },
        .adjoint_times = [&](ConstBlock y, Block x) { x = s.transpose() * y; }};
    EXPECT_NE(error_of([&] { make_operator(op); }).find("NaN is not a finite number"),
              std::string::npos);
  }
}

TEST(Sources, PassOnWhatTheirFunctionsThrow) {
  RowSource source = dense_source<double>(counted(20, 4));
  source.pass = []() -> RowSource::NextBlock {
    return []() -> std::optional<RowBlock> { throw Error("the tape is torn"); };
  };
  EXPECT_EQ(error_of([&] { make_rows(source); }), "the tape is torn");
}

TEST(Certificates, AllowForTheRoundingOfOperators) {
  const Matrix m = decaying(50, 8, 7).array() + 1e4;
  const LinearOperator s{
      .rows = 50,
      .cols = 8,
      .times = [&](ConstBlock x, Block y) { y.noalias() = m * x; },
      .adjoint_times = [&](ConstBlock y, Block x) { x.noalias() = m.transpose() * y; }};
  EXPECT_TRUE(make_operator(s)->subtracts_products());
  EXPECT_FALSE(make_dense(m)->subtracts_products());
}

}  // namespace
}  // namespace spcart
