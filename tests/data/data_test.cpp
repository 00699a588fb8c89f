#include "spcart/data.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "spcart/error.hpp"
#include "spcart/not_finite.hpp"
#include "spcart/pca.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using verify::prepared;
using verify::random_matrix;

void expect_near(const Matrix& got, const Matrix& expected, const char* what) {
  ASSERT_EQ(got.rows(), expected.rows()) << what;
  ASSERT_EQ(got.cols(), expected.cols()) << what;
  EXPECT_LE((got - expected).norm(), 1e-11 * (1 + expected.norm())) << what;
}

/// All products against those of the realised matrix, with one and several columns, called twice so
/// that stale state shows.
void expect_products_of(const DataMatrix& a, const Matrix& dense) {
  for (const Index columns : {1, 5}) {
    const Matrix x = random_matrix(dense.cols(), columns, 11);
    const Matrix y = random_matrix(dense.rows(), columns, 12);
    for (int call = 0; call < 2; ++call) {
      expect_near(a.times(x), dense * x, "times");
      expect_near(a.adjoint_times(y), dense.transpose() * y, "adjoint_times");
      expect_near(a.gram_times(x), dense.transpose() * (dense * x), "gram_times");
    }
  }
  expect_near(a.gram(), dense.transpose() * dense, "gram");
  expect_near(a.outer_gram(), dense * dense.transpose(), "outer_gram");
  expect_near(a.column_squared_norms(), dense.colwise().squaredNorm().transpose(), "norms");
  EXPECT_NEAR(a.squared_norm(), dense.squaredNorm(), 1e-11 * dense.squaredNorm());
}

/// Counts with many zeros: exact in every stored type.
Matrix counts(Index n, Index p) {
  Matrix m = (random_matrix(n, p, 5).array() * 2).round().abs();
  return m.array() * (random_matrix(n, p, 6).array() > 0).cast<double>();
}

struct Compressed {
  std::vector<std::int32_t> inner, outer{0};
  std::vector<std::int64_t> wide_inner, wide_outer;
  std::vector<float> values;
  std::vector<double> double_values;

  Compressed(const Matrix& m, bool by_row) {
    const Index lines = by_row ? m.rows() : m.cols(), length = by_row ? m.cols() : m.rows();
    for (Index i = 0; i < lines; ++i) {
      for (Index j = length - 1; j >= 0; --j) {  // unsorted on purpose
        const double value = by_row ? m(i, j) : m(j, i);
        if (value == 0) continue;
        inner.push_back(static_cast<std::int32_t>(j));
        values.push_back(static_cast<float>(value));
        double_values.push_back(value);
      }
      outer.push_back(static_cast<std::int32_t>(inner.size()));
    }
    wide_inner.assign(inner.begin(), inner.end());
    wide_outer.assign(outer.begin(), outer.end());
  }

  SparseView view(const Matrix& m, bool by_row, bool wide) const {
    SparseView v;
    v.major = by_row ? SparseView::Major::row : SparseView::Major::column;
    v.rows = m.rows();
    v.cols = m.cols();
    v.values = wide ? static_cast<const void*>(double_values.data()) : values.data();
    v.scalar = wide ? Scalar::float64 : Scalar::float32;
    v.inner = wide ? static_cast<const void*>(wide_inner.data()) : inner.data();
    v.outer = wide ? static_cast<const void*>(wide_outer.data()) : outer.data();
    v.wide = wide;
    return v;
  }
};

class EveryPreparation : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  Preparation preparation() const {
    Preparation p;
    std::tie(p.remove_row_mean, p.center, p.scale) = GetParam();
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(Data, EveryPreparation,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST_P(EveryPreparation, DenseOfEveryTypeAndOrderMatchesItsTwin) {
  const Matrix m = counts(37, 11);
  const Matrix dense = prepared(m, preparation());
  const auto expect_type = [&]<class T>(T) {
    const Eigen::MatrixX<T> columns = m.cast<T>();
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = m.cast<T>();
    expect_products_of(*make_dense(view_of(columns), preparation()), dense);
    expect_products_of(*make_dense(view_of(rows), preparation()), dense);
    const DenseView by_hand = DenseView::row_major(rows.data(), 37, 11);
    expect_products_of(*make_dense(by_hand, preparation()), dense);
  };
  expect_type(std::uint8_t{});
  expect_type(std::int32_t{});
  expect_type(float{});
  expect_type(double{});
}

TEST_P(EveryPreparation, SparseByRowAndColumnMatchesItsTwin) {
  for (const auto& [n, p] : {std::pair{37, 11}, {9, 50}, {300, 4}}) {
    const Matrix m = counts(n, p);
    const Matrix dense = prepared(m, preparation());
    for (const bool by_row : {true, false})
      for (const bool wide : {true, false}) {
        const Compressed c(m, by_row);
        expect_products_of(*make_sparse(c.view(m, by_row, wide), preparation()), dense);
      }
  }
}

TEST_P(EveryPreparation, ThreadsShareLargeSparseTables) {
  const Matrix m = counts(1500, 400);
  const Matrix dense = prepared(m, preparation());
  for (const bool by_row : {true, false})
    for (const Index count : {1, 2, 3}) {
      const ThreadScope scope(count);
      const Compressed c(m, by_row);
      expect_products_of(*make_sparse(c.view(m, by_row, false), preparation()), dense);
    }
}

TEST_P(EveryPreparation, PanelsCoverLargeTables) {
  const Matrix m = random_matrix(700, 900, 3);  // more than one panel either way
  expect_products_of(*make_dense(m, preparation()), prepared(m, preparation()));
}

TEST_P(EveryPreparation, CovarianceMatchesTheDataItIsOf) {
  const Matrix m = random_matrix(40, 7, 8) * random_matrix(7, 7, 9);
  Preparation inner = preparation();
  inner.center = true;
  const Matrix dense = prepared(m, inner);
  const Matrix centred = prepared(m, {});
  const auto a = make_covariance(centred.transpose() * centred / 39, preparation());
  const Matrix x = random_matrix(7, 3, 1);
  const double divisor = 39;
  expect_near(a->gram_times(x), dense.transpose() * (dense * x) / divisor, "gram_times");
  expect_near(a->gram(), dense.transpose() * dense / divisor, "gram");
  expect_near(a->adjoint_times(a->times(x)), a->gram_times(x), "root");
  EXPECT_NEAR(a->squared_norm(), dense.squaredNorm() / divisor, 1e-10);
  EXPECT_FALSE(a->samples().has_value());
}

TEST(Data, StridedViewsAreReadInPlace) {
  const Matrix whole = random_matrix(20, 12, 4);
  const auto part = whole.block(3, 2, 10, 6);
  expect_products_of(*make_dense(view_of(part)), prepared(part, {}));
  DenseView every_second = DenseView::column_major(whole.data(), 10, 6);
  every_second.row_stride = 2;
  every_second.col_stride = 40;
  const Matrix picked = whole(Eigen::seqN(0, 10, 2), Eigen::seqN(0, 6, 2));
  expect_products_of(*make_dense(every_second), prepared(picked, {}));
}

TEST(Data, LargeMeansDoNotDestroyTheResult) {
  const Matrix shifted = verify::decaying(400, 12, 7);
  Matrix m = shifted;
  m.array() += 1e6;
  const Compressed c(m, true);
  const auto reference = principal_basis(*make_dense(shifted), 4);
  const auto expect_same = [&](const DataMatrix& a, Solver solver) {
    const auto basis = principal_basis(a, 4, {.solver = solver});
    EXPECT_LE((basis.vectors - reference.vectors).cwiseAbs().maxCoeff(), 1e-6);
  };
  for (const Solver solver : {Solver::gram, Solver::outer, Solver::krylov}) {
    expect_same(*make_dense(m), solver);
    expect_same(*make_sparse(c.view(m, true, true)), solver);
  }
  const auto scaled = make_sparse(c.view(m, true, true), {.scale = true});
  EXPECT_NEAR(scaled->squared_norm(), 12 * 399, 1e-6);
}

TEST(Data, ConstantColumnsAreFoundWhileScaling) {
  Matrix m = random_matrix(30, 4, 2);
  m.col(2).setConstant(0.1);
  const auto a = make_dense(m, {.scale = true});
  ASSERT_EQ(a->constant_columns(), std::vector<Index>{2});
  EXPECT_EQ(a->column_squared_norms()[2], 0);
  EXPECT_TRUE(a->gram().allFinite());
  EXPECT_EQ(a->gram().col(2).norm(), 0);
  EXPECT_TRUE(make_dense(m)->constant_columns().empty());
}

TEST(Data, GivenMeansAndScalesTreatNewDataAsTheOld) {
  const Matrix old = random_matrix(30, 5, 2), fresh = random_matrix(3, 5, 9);
  const auto a = make_dense(old, {.scale = true});
  const auto b = make_dense(fresh, a->preparation());
  const Matrix expected = (fresh.rowwise() - a->means().transpose()).array().rowwise() /
                          a->scales().transpose().array();
  expect_near(b->times(Matrix::Identity(5, 5)), expected, "prepared");
  expect_near(b->column_squared_norms(), expected.colwise().squaredNorm().transpose(), "norms");
}

TEST(Data, RoundingIsNotTakenForVariance) {
  Matrix m(3, 3);  // samples that are constant: nothing is left without their means
  m << 0.1, 0.1, 0.1, 2.3, 2.3, 2.3, 3.7, 3.7, 3.7;
  EXPECT_EQ(make_dense(m, {.remove_row_mean = true})->squared_norm(), 0);
  const Compressed c(m, true);
  EXPECT_EQ(make_sparse(c.view(m, true, true), {.remove_row_mean = true})->squared_norm(), 0);
}

TEST(Data, GivenMeansAndScalesAreChecked) {
  const Matrix m = random_matrix(5, 3, 1);
  const Matrix c = m.transpose() * m;
  const std::vector<Preparation> wrong = {
      {.scale = true, .scales = Vector::Ones(2)},
      {.scale = true, .scales = -Vector::Ones(3)},
      {.scale = true, .scales = Vector::Constant(3, std::nan(""))},
      {.means = Vector::Zero(4)}};
  for (const Preparation& preparation : wrong) {
    EXPECT_THROW(make_dense(m, preparation), Error);
    EXPECT_THROW(make_covariance(c, preparation), Error);
  }
}

TEST(Data, DeflationCorrectsProducts) {
  const Matrix m = random_matrix(25, 8, 1);
  const Matrix x = random_matrix(8, 3, 2).colwise().normalized();
  Matrix dense = prepared(m, {});
  for (Index i = 0; i < 3; ++i) dense -= (dense * x.col(i)) * x.col(i).transpose();
  const auto a = make_dense(m);
  expect_products_of(*deflate(*a, x), dense);
  expect_products_of(*deflate(*a, x.leftCols(0)), prepared(m, {}));
  const auto once = deflate(*a, x.leftCols(1));
  const auto twice = deflate(*once, x.rightCols(2));
  expect_products_of(*twice, dense);
}

TEST(Data, BadInputIsNamed) {
  Matrix m = random_matrix(5, 3, 1);
  m(2, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto message_of = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message_of([&] { make_dense(m); }), "row 3, column 2: NaN is not a finite number");
  EXPECT_EQ(message_of([&] { make_dense(Matrix(0, 3)); }),
            "the table is 0 x 3: it needs at least one row and one column");
  EXPECT_EQ(message_of([&] { make_dense(Matrix::Constant(3, 2, 1e200)); }), "no error");
  EXPECT_NE(message_of([&] { make_dense(random_matrix(3, 2, 1) * 1e200); }).find("overflow"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { make_dense(random_matrix(3, 2, 1))->times(Vector::Ones(3)); }),
            "times: the block has 3 rows, but the matrix needs 2");
  EXPECT_NE(message_of([&] { make_covariance(random_matrix(3, 2, 1)); }).find("not square"),
            std::string::npos);
  EXPECT_NE(message_of([&] { make_covariance(random_matrix(3, 3, 1)); }).find("not symmetric"),
            std::string::npos);
  Matrix indefinite(2, 2);
  indefinite << 1, 2, 2, 1;
  EXPECT_NE(message_of([&] { make_covariance(indefinite); }).find("not positive semidefinite"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              deflate(*make_dense(random_matrix(3, 2, 1)), Vector::Ones(2));
            }).find("length"),
            std::string::npos);
}

TEST(Data, BrokenSparseStructureIsRejected) {
  const Matrix m = counts(6, 4);
  const auto expect_rejected = [&](auto&& damage) {
    Compressed c(m, true);
    damage(c);
    EXPECT_THROW(make_sparse(c.view(m, true, false)), Error);
  };
  expect_rejected([](Compressed& c) { c.inner[0] = 4; });
  expect_rejected([](Compressed& c) { c.inner[0] = -1; });
  expect_rejected([](Compressed& c) { c.outer[1] = c.outer[2] + 1; });
  expect_rejected([](Compressed& c) { c.outer[0] = 1; });
  expect_rejected([](Compressed& c) { c.values[0] = std::numeric_limits<float>::infinity(); });
  Compressed twice(Matrix::Ones(1, 2), true);
  twice.inner[1] = twice.inner[0];
  EXPECT_THROW(make_sparse(twice.view(Matrix::Ones(1, 2), true, false)), Error);
}

TEST(Data, RoundingOfAStoredCovarianceIsForgiven) {
  const Matrix x = random_matrix(20, 30, 1);  // rank 20 of 30
  const Matrix c = x.transpose() * x;
  Matrix single = c.cast<float>().cast<double>();
  single.triangularView<Eigen::StrictlyLower>() *=
      1 + 6e-8;  // as if each half was rounded by itself
  EXPECT_NO_THROW(make_covariance(single));
  EXPECT_NO_THROW(make_covariance(Matrix::Zero(3, 3)));
}

TEST(Data, TicksCanStopAPass) {
  const auto a = make_dense(random_matrix(5000, 200, 1));
  int ticks = 0;
  const Tick stop = [&](double) {
    if (++ticks == 2) throw Cancelled();
  };
  EXPECT_THROW(a->gram(stop), Cancelled);
  EXPECT_EQ(ticks, 2);
}

TEST(Data, ANumberThatIsNotFiniteIsKnownByItsPlace) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Matrix m = random_matrix(9, 4, 1);
    m(7, 2) = value;
    try {
      make_dense(m);
      FAIL();
    } catch (const NotFinite& error) {
      EXPECT_EQ(error.row(), 7);
      EXPECT_EQ(error.col(), 2);
      EXPECT_EQ(std::isnan(error.number()), std::isnan(value));
      EXPECT_EQ(std::string(error.what()), fmt::format("row 8, column 3: {} is not a finite number",
                                                       std::isnan(value) ? "NaN" : "-inf"));
    }
  }
}

}  // namespace
}  // namespace spcart
