#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "data/sparse/products.hpp"
#include "every_simd.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using namespace sparse;

using verify::prepared;
using verify::random_matrix;

/// A compressed table and the same table as a dense matrix.
template <class T, class I>
struct Table {
  Matrix dense;
  std::vector<T> values;
  std::vector<I> inner, outer{0};
  SparseView view;

  Table(Matrix m, bool by_row, bool sorted) : dense(std::move(m)) {
    const Index lines = by_row ? dense.rows() : dense.cols();
    const Index length = by_row ? dense.cols() : dense.rows();
    for (Index i = 0; i < lines; ++i) {
      for (Index k = 0; k < length; ++k) {
        const Index index = sorted ? k : length - 1 - k;
        const double value = by_row ? dense(i, index) : dense(index, i);
        if (value == 0) continue;
        inner.push_back(static_cast<I>(index));
        values.push_back(static_cast<T>(value));
      }
      outer.push_back(static_cast<I>(inner.size()));
    }
    view.major = by_row ? SparseView::Major::row : SparseView::Major::column;
    view.rows = dense.rows();
    view.cols = dense.cols();
    view.values = values.data();
    view.scalar = scalar_of<T>();
    view.inner = inner.data();
    view.outer = outer.data();
    view.wide = sizeof(I) == 8;
  }

  Lines<T, I> lines() const {
    return Lines<T, I>::compressed(values.data(), inner.data(), outer.data(),
                                   static_cast<Index>(outer.size()) - 1);
  }
};

/// Small counts at a few indices: exact in every stored type, with empty rows and columns, and
/// columns of very different weight.
Matrix few_counts(Index n, Index p, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Matrix m = Matrix::Zero(n, p);
  for (Index i = 0; i < n; ++i) {
    if (i % 7 == 3) continue;
    for (int entry = 0; entry < 6; ++entry) {
      const Index j = static_cast<Index>(random() % static_cast<std::uint64_t>(p));
      m(i, j * j / p) = static_cast<double>(1 + random() % 9);
    }
  }
  return m;
}

void expect_close(const Matrix& got, const Matrix& expected, const char* what) {
  ASSERT_EQ(got.rows(), expected.rows()) << what;
  ASSERT_EQ(got.cols(), expected.cols()) << what;
  EXPECT_LE((got - expected).norm(), 1e-12 * (1 + expected.norm())) << what;
}

void expect_twin(const DataMatrix& a, const Matrix& dense) {
  for (const Index columns : {1, 4, 7, 12, 16, 17, 40}) {  // every width of a panel, and several
    SCOPED_TRACE(columns);
    const Matrix x = random_matrix(dense.cols(), columns, 11);
    const Matrix y = random_matrix(dense.rows(), columns, 12);
    for (int call = 0; call < 2; ++call) {
      expect_close(a.times(x), dense * x, "times");
      expect_close(a.adjoint_times(y), dense.transpose() * y, "adjoint_times");
      expect_close(a.gram_times(x), dense.transpose() * (dense * x), "gram_times");
    }
  }
  const Matrix gram = a.gram(), outer_gram = a.outer_gram();
  expect_close(gram, dense.transpose() * dense, "gram");
  expect_close(outer_gram, dense * dense.transpose(), "outer_gram");
  EXPECT_EQ(gram, gram.transpose());
  EXPECT_EQ(outer_gram, outer_gram.transpose());
  expect_close(a.column_squared_norms(), dense.colwise().squaredNorm().transpose(), "norms");
}

template <class T, class I>
void expect_every_kind(const Matrix& m, const Preparation& preparation, const Matrix& dense) {
  for (const bool by_row : {true, false})
    for (const bool sorted : {true, false}) {
      SCOPED_TRACE(::testing::Message() << "by row " << by_row << ", sorted " << sorted);
      const Table<T, I> table(m, by_row, sorted);
      expect_twin(*make_sparse(table.view, preparation), dense);
    }
}

class SparsePreparation : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  Preparation preparation() const {
    Preparation p;
    std::tie(p.remove_row_mean, p.center, p.scale) = GetParam();
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(DataSparse, SparsePreparation,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST_P(SparsePreparation, EveryTypeMatchesItsTwin) {
  const Matrix m = few_counts(60, 90, 1), dense = prepared(m, preparation());
  expect_every_kind<std::uint8_t, std::int32_t>(m, preparation(), dense);
  expect_every_kind<std::int32_t, std::int64_t>(m, preparation(), dense);
  expect_every_kind<float, std::int64_t>(m, preparation(), dense);
  expect_every_kind<double, std::int32_t>(m, preparation(), dense);
}

TEST_P(SparsePreparation, ThreadsShareTheWork) {
  const Matrix m = few_counts(1500, 120, 2), dense = prepared(m, preparation());
  for (const Index count : {1, 2, 5}) {
    const ThreadScope scope(count);
    expect_every_kind<double, std::int32_t>(m, preparation(), dense);
  }
}

TEST(DataSparse, GivenMeansMatchTheirTwin) {
  const Matrix m = few_counts(80, 50, 4);
  const Vector means = random_matrix(50, 1, 3).col(0);
  expect_every_kind<double, std::int32_t>(m, {.means = means}, m.rowwise() - means.transpose());
}

TEST(DataSparse, SameThreadsSameBits) {
  const Table<double, std::int32_t> table(few_counts(5000, 300, 5), true, true);
  const auto a = make_sparse(table.view);
  const Matrix x = random_matrix(300, 9, 1);
  for (const Index count : {1, 2, 3}) {
    const ThreadScope scope(count);
    EXPECT_EQ(a->gram_times(x), a->gram_times(x));
    EXPECT_EQ(a->adjoint_times(a->times(x)), a->adjoint_times(a->times(x)));
    EXPECT_EQ(a->gram(), a->gram());
    const auto again = make_sparse(table.view);
    EXPECT_EQ(again->means(), make_sparse(table.view)->means());
  }
}

/// A variable of large mean that has no zeros must not spoil A'A, however sparse the others are.
TEST(DataSparse, LargeMeansAreTakenOffFirst) {
  Matrix m = few_counts(400, 60, 6);
  m.col(7) = random_matrix(400, 1, 2).array() + 1e6;
  const Matrix dense = prepared(m, {});
  for (const bool by_row : {true, false}) {
    const Table<double, std::int32_t> table(m, by_row, true);
    const auto a = make_sparse(table.view);
    EXPECT_LE((a->gram() - dense.transpose() * dense).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LE((a->outer_gram() - dense * dense.transpose()).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(DataSparse, AnEmptyTableIsZero) {
  const Table<double, std::int32_t> table(Matrix::Zero(5, 9), true, true);
  const auto a = make_sparse(table.view);
  EXPECT_EQ(a->squared_norm(), 0);
  EXPECT_EQ(a->gram_times(Matrix::Ones(9, 2)), Matrix::Zero(9, 2));
  EXPECT_EQ(a->gram(), Matrix::Zero(9, 9));
}

TEST(DataSparse, TheFirstFaultIsNamed) {
  const auto message = [](const SparseView& view) {
    try {
      make_sparse(view);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Matrix m = few_counts(6000, 40, 7);
  Table<float, std::int32_t> table(m, true, true);
  const auto middle = static_cast<std::size_t>(table.outer[3000]);
  table.values[middle] = std::numeric_limits<float>::quiet_NaN();
  table.values[table.values.size() - 1] = std::numeric_limits<float>::infinity();
  const ThreadScope scope(3);
  EXPECT_NE(message(table.view).find("row 3001"), std::string::npos);
  table.inner[middle] = 40;
  table.inner.back() = -1;
  EXPECT_NE(message(table.view).find("index 40 in line 3000"), std::string::npos);
}

TEST(DataSparse, TicksCanStopAPass) {
  const Table<double, std::int32_t> table(few_counts(50, 30, 7), true, true);
  const auto a = make_sparse(table.view);
  const Tick stop = [](double done) {
    if (done > 0) throw Cancelled();
  };
  EXPECT_THROW(a->gram_times(Matrix::Ones(30, 40), stop), Cancelled);
  EXPECT_THROW(a->times(Matrix::Ones(30, 40), stop), Cancelled);
  EXPECT_THROW(a->adjoint_times(Matrix::Ones(50, 40), stop), Cancelled);
}

TEST(SparseKernels, EveryProcessorKindComputesTheSame) {
  const Table<float, std::int32_t> table(few_counts(200, 70, 8), true, true);
  const Lines<float, std::int32_t> lines = table.lines();
  for (const Index width : {4, 8, 12, 16}) {
    const Panel x = random_matrix(70, width, 1), y = random_matrix(200, width, 2);
    const Vector m = random_matrix(200, 1, 3).col(0);
    const Eigen::RowVectorXd shift = random_matrix(1, width, 4), slope = random_matrix(1, width, 5);
    const Panel t = (table.dense * x).rowwise() - shift - m * slope;
    for (const Simd simd : every_simd()) {
      Panel gathered = Panel::Zero(200, width), scattered = Panel::Zero(70, width),
            both = scattered;
      Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(width), weighted = total;
      run_kernel(Gather<float, std::int32_t>{lines, x.data(), gathered.data()}, width, simd);
      run_kernel(Scatter<float, std::int32_t>{lines, y.data(), scattered.data()}, width, simd);
      run_kernel(
          GatherScatter<float, std::int32_t>{lines, x.data(), shift.data(), slope.data(), m.data(),
                                             both.data(), total.data(), weighted.data()},
          width, simd);
      expect_close(gathered, table.dense * x, "gather");
      expect_close(scattered, table.dense.transpose() * y, "scatter");
      expect_close(both, table.dense.transpose() * t, "gather and scatter");
      expect_close(total, t.colwise().sum(), "total");
      expect_close(weighted, m.transpose() * t, "weighted");
    }
  }
}

/// Rows may come block by block, as from a file.
TEST(SparseKernels, GramProductTakesRowsInBlocks) {
  const Table<double, std::int32_t> table(few_counts(500, 40, 9), true, true);
  const Panel x = random_matrix(40, 8, 1);
  const Vector means = table.dense.colwise().mean(), m = random_matrix(500, 1, 2).col(0);
  const Matrix a = (table.dense.rowwise() - means.transpose()).colwise() - m;
  for (const Index step : {1, 7, 500}) {
    GramProduct product(x, means, 3);
    for (Index first = 0; first < 500; first += step)
      product.add_rows(table.lines().range(first, std::min<Index>(first + step, 500)), &m[first]);
    Matrix y(40, 8);
    product.finish(y);
    expect_close(y, a.transpose() * (a * x), "product");
  }
}

TEST(SparseKernels, CutsBalanceEntriesAndCoverAllLines) {
  const Table<double, std::int32_t> table(few_counts(997, 60, 3), false, true);  // uneven columns
  for (const Index parts : {1, 2, 3, 8, 200}) {
    const std::vector<Index> cuts = balanced_cuts(table.lines(), parts);
    ASSERT_EQ(static_cast<Index>(cuts.size()), parts + 1);
    EXPECT_EQ(cuts.front(), 0);
    EXPECT_EQ(cuts.back(), 60);
    EXPECT_TRUE(std::ranges::is_sorted(cuts));
  }
  const std::vector<Index> halves = balanced_cuts(table.lines(), 2);
  const Index whole = table.lines().entries(), half = table.lines().range(0, halves[1]).entries();
  const Index widest = std::ranges::max(table.dense.colwise().count());
  EXPECT_LE(std::abs(2 * half - whole), 2 * widest + 60);
}

template <class Sparse>
void expect_view_of(const Matrix& dense) {
  Sparse sparse = dense.sparseView().template cast<typename Sparse::Scalar>();
  sparse.makeCompressed();
  const Vector x = random_matrix(dense.cols(), 1, 2);
  const auto a = make_sparse(view_of(sparse)), twin = make_dense(dense);
  EXPECT_LT((a->times(x) - twin->times(x)).norm(), 1e-5 * twin->times(x).norm());
  sparse.uncompress();
  EXPECT_THROW(view_of(sparse), Error);
}

TEST(Sparse, EigenMatricesAreViewedInEitherOrder) {
  const Matrix dense = (random_matrix(30, 12, 1).array() > 0.5).cast<double>();
  expect_view_of<Eigen::SparseMatrix<double>>(dense);
  expect_view_of<Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>>(dense);
  expect_view_of<Eigen::SparseMatrix<float, Eigen::RowMajor>>(dense);
}

}  // namespace
}  // namespace spcart
