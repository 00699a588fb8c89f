// Means, squares and Gram matrices are computed in one pass: here against those of two passes in
// long double, on data on which one pass may fail.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "data/stored/lines.hpp"
#include "data/stored/stored.hpp"
#include "every_simd.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using verify::random_matrix;
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// A table that is read in panels of the smallest size, and checks the contract of a pass.
class Chopped final : public StoredMatrix {
 public:
  Chopped(const Matrix& m, const Preparation& preparation, FormGram gram = FormGram::no)
      : StoredMatrix(m.rows(), m.cols(), static_cast<double>(m.size())), m_(m) {
    measure(preparation, {}, gram);
  }

 private:
  class PanelPass final : public Pass {
   public:
    PanelPass(const Matrix& m, Along along, Index step)
        : m_(m), by_row_(along == Along::rows), step_(step) {}
    void advance(Index first, Index count) override {
      const Index lines = by_row_ ? m_.rows() : m_.cols();
      EXPECT_EQ(first, ready_);
      EXPECT_EQ(count, std::min(step_, lines - first));
      first_ = first;
      ready_ = first + count;
    }
    void load(Index row, Index col, Block tile) const override {
      const Index first = by_row_ ? row : col, count = by_row_ ? tile.cols() : tile.rows();
      EXPECT_GE(first, first_);
      EXPECT_LE(first + count, ready_);
      tile = m_.block(row, col, tile.cols(), tile.rows()).transpose();
    }

   private:
    const Matrix& m_;
    bool by_row_;
    Index step_, first_ = 0, ready_ = 0;
  };

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    EXPECT_EQ(step, std::min<Index>(16, along == Along::rows ? rows() : cols()));
    return std::make_unique<PanelPass>(m_, along, step);
  }
  Index panel_bytes() const override { return 1; }

  Matrix m_;
};

/// The prepared table, by two passes in long double.
LongMatrix exactly_prepared(const Matrix& m, const Preparation& preparation) {
  LongMatrix s = m.cast<long double>();
  if (preparation.remove_row_mean) s.colwise() -= s.rowwise().mean().eval();
  const auto n = static_cast<long double>(s.rows());
  for (auto column : s.colwise()) {
    const long double mean = column.mean();
    const long double squares = (column.array() - mean).square().sum();
    if (preparation.center) column.array() -= mean;
    if (preparation.scale) column *= squares > 0 ? 1 / std::sqrt(squares / (n - 1)) : 0;
  }
  return s;
}

/// Norms and Gram matrix, relative to the length of the columns.
void expect_moments(const DataMatrix& a, const Matrix& m, const Preparation& preparation,
                    const char* what) {
  const LongMatrix s = exactly_prepared(m, preparation);
  const LongMatrix products = s.transpose() * s;
  const Matrix gram = a.gram();
  for (Index j = 0; j < m.cols(); ++j) {
    const auto length = [&](Index k) { return static_cast<double>(std::sqrt(products(k, k))); };
    // Removing a row mean from large numbers leaves their rounding error.
    const double size = m.cwiseAbs().maxCoeff() / (preparation.scale ? a.scales()[j] : 1);
    const double spread = length(j) / std::sqrt(static_cast<double>(m.rows()));
    const double rounding = preparation.remove_row_mean ? 1e-15 * size / spread : 0;
    const double tolerance = 1e-13 + rounding;
    EXPECT_NEAR(std::sqrt(a.column_squared_norms()[j]), length(j), tolerance * length(j))
        << what << ", variable " << j;
    for (Index k = 0; k < m.cols(); ++k)
      EXPECT_NEAR(gram(j, k), static_cast<double>(products(j, k)),
                  20 * tolerance * length(j) * length(k))
          << what << ", variables " << j << " and " << k;
  }
  EXPECT_TRUE(gram == gram.transpose()) << what;
}

std::vector<std::pair<const char*, Matrix>> hard_cases() {
  const Index n = 700, p = 5;
  const Matrix noise = random_matrix(n, p, 1);
  const Vector rising = Vector::LinSpaced(n, -1, 1);
  std::vector<std::pair<const char*, Matrix>> cases = {{"plain", noise}};
  cases.emplace_back("sorted", rising * Eigen::RowVectorXd{{1, 2, 4, 8, 16}});
  cases.emplace_back("drift", 1e4 * rising * Vector::Ones(p).transpose() + noise);
  cases.emplace_back("mean of 1e6", noise.array() + 1e6);
  cases.emplace_back("mean of 1e9", noise.array() + 1e9);
  Matrix m = noise;
  m.topRows(20) *= 1e5;
  cases.emplace_back("first samples untypical", m);
  m = noise;
  m.row(0) *= 1e7;
  cases.emplace_back("first sample untypical", m);
  m = noise;
  m.bottomRows(3) *= 1e7;
  cases.emplace_back("last samples untypical", m);
  m = noise;
  m.bottomRows(n / 2).array() += 1e8;
  cases.emplace_back("jump", m);
  return cases;
}

class OnePass : public ::testing::TestWithParam<std::tuple<bool, bool, bool, int>> {};
INSTANTIATE_TEST_SUITE_P(DataMoments, OnePass,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(), ::testing::Bool(),
                                            ::testing::Values(1, 3)));

TEST_P(OnePass, FindsTheMomentsOfHardData) {
  const auto [remove_row_mean, center, scale, thread_count] = GetParam();
  const ThreadScope scope(thread_count);
  const Preparation preparation{
      .remove_row_mean = remove_row_mean, .center = center, .scale = scale};
  for (const FormGram gram : {FormGram::no, FormGram::yes}) {
    for (const auto& [what, m] : hard_cases()) {
      expect_moments(*make_dense(view_of(m), preparation, {}, gram), m, preparation, what);
      expect_moments(Chopped(m, preparation, gram), m, preparation, what);
    }
  }
}

TEST(DataMoments, ConstantVariablesAreFoundExactly) {
  Matrix m = random_matrix(300, 4, 2);
  m.col(1).setConstant(0.1);
  m.col(3).setConstant(1e9 + 0.3);
  for (const FormGram gram : {FormGram::no, FormGram::yes}) {
    for (const bool scale : {false, true}) {
      const Preparation preparation{.scale = scale};
      const auto expect_constant = [&](const DataMatrix& a) {
        EXPECT_EQ(a.means()[1], 0.1);
        EXPECT_EQ(a.means()[3], 1e9 + 0.3);
        EXPECT_EQ(a.column_squared_norms()[1], 0);
        EXPECT_EQ(a.column_squared_norms()[3], 0);
        EXPECT_EQ(a.gram().col(1).norm(), 0);
        EXPECT_EQ(a.gram().row(3).norm(), 0);
        EXPECT_EQ(a.constant_columns(), scale ? std::vector<Index>({1, 3}) : std::vector<Index>());
      };
      expect_constant(*make_dense(view_of(m), preparation, {}, gram));
      expect_constant(Chopped(m, preparation, gram));
    }
  }
}

TEST(DataMoments, AVariableMayBeginToVaryLate) {
  Matrix m = Matrix::Constant(200, 2, 1e6);
  m(199, 1) += 1;
  const Chopped a(m, {}, FormGram::yes);
  EXPECT_EQ(a.column_squared_norms()[0], 0);
  EXPECT_NEAR(a.column_squared_norms()[1], 1 - 1.0 / 200, 1e-14);
  EXPECT_NEAR(a.means()[1], 1e6 + 1.0 / 200, 1e-9);
}

TEST(DataMoments, ValuesThatAreNotFiniteAreNamedAtAnyIndex) {
  for (const Index row : {0, 3, 16, 99})
    for (const FormGram gram : {FormGram::no, FormGram::yes}) {
      Matrix m = random_matrix(100, 3, 1);
      m(row, 1) = -std::numeric_limits<double>::infinity();
      for (const bool remove_row_mean : {false, true}) {
        const Preparation preparation{.remove_row_mean = remove_row_mean};
        try {
          Chopped a(m, preparation, gram);
          FAIL() << "row " << row;
        } catch (const Error& error) {
          EXPECT_EQ(std::string(error.what()),
                    "row " + std::to_string(row + 1) + ", column 2: -inf is not a finite number");
        }
      }
    }
}

TEST(DataMoments, TheGramMatrixThatWasFormedServesAllItCan) {
  for (const auto& [n, p] : {std::pair{900, 40}, {40, 40}, {30, 40}}) {
    const Matrix m = random_matrix(n, p, 3).array() + 2;
    const Matrix x = random_matrix(p, 3, 4);
    const Matrix fresh = random_matrix(n + 5, p, 5);
    for (const bool center : {false, true}) {
      const Preparation preparation{.center = center, .scale = true};
      const auto a = make_dense(view_of(m), preparation, {}, FormGram::yes);
      const auto b = make_dense(m, preparation);
      EXPECT_TRUE(a->column_squared_norms() == b->column_squared_norms());
      EXPECT_LE((a->gram() - b->gram()).norm(), 1e-13 * b->gram().norm());
      EXPECT_LE((a->gram_times(x) - b->gram_times(x)).norm(), 1e-12 * b->gram_times(x).norm());

      const auto c = make_dense(view_of(fresh), a->preparation(), {}, FormGram::yes);
      const auto d = make_dense(fresh, b->preparation());
      EXPECT_LE((c->gram() - d->gram()).norm(), 1e-12 * d->gram().norm());
    }
  }
}

/// Products with large and small means are computed differently, in place and by panels: both keep
/// all digits.
TEST_P(OnePass, ProductsKeepTheirDigitsForAnyMeans) {
  const auto [remove_row_mean, center, scale, thread_count] = GetParam();
  const ThreadScope scope(thread_count);
  const Preparation preparation{
      .remove_row_mean = remove_row_mean, .center = center, .scale = scale};
  const Matrix noise = random_matrix(900, 6, 1);
  const Matrix x = random_matrix(6, 3, 2), y = random_matrix(900, 3, 3);
  for (const double mean : {0.0, 1.0, 10.0, 100.0, 1e6}) {
    const Matrix m = noise.array() + mean;
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = m;
    const LongMatrix s = exactly_prepared(m, preparation);
    const auto long_x = x.cast<long double>().eval(), long_y = y.cast<long double>().eval();
    const auto expect_product = [&](const Matrix& got, const LongMatrix& expected, bool rounded) {
      const double rounding = rounded ? 1e-15 * mean : 0;
      EXPECT_LE((got.cast<long double>() - expected).norm(), (1e-14 + rounding) * expected.norm())
          << mean;
    };
    for (const DenseView& view : {view_of(m), view_of(by_row)}) {
      const auto a = make_dense(view, preparation);
      for (int call = 0; call < 2; ++call) {
        // The rounding of means stays in every entry, but orthogonal to A; that of row means does
        // not.
        expect_product(a->times(x), s * long_x, center || remove_row_mean);
        expect_product(a->adjoint_times(y), s.transpose() * long_y, center || remove_row_mean);
        expect_product(a->gram_times(x), s.transpose() * (s * long_x), remove_row_mean);
      }
    }
  }
}

TEST(DataMoments, SameThreadsSameBits) {
  const Matrix m = random_matrix(3000, 50, 6);
  for (const Index count : {1, 2, 3}) {
    const ThreadScope scope(count);
    const auto a = make_dense(view_of(m), {}, {}, FormGram::yes);
    const auto b = make_dense(view_of(m), {}, {}, FormGram::yes);
    EXPECT_TRUE(a->gram() == b->gram());
    EXPECT_TRUE(a->means() == b->means());
    EXPECT_TRUE(a->column_squared_norms() == b->column_squared_norms());
  }
}

TEST(DataMoments, TicksCanStopTheMeasuring) {
  const Matrix m = random_matrix(5000, 400, 1);
  int ticks = 0;
  const Tick stop = [&](double) {
    if (++ticks == 2) throw Cancelled();
  };
  EXPECT_THROW(make_dense(view_of(m), {}, stop, FormGram::yes), Cancelled);
  EXPECT_EQ(ticks, 2);
}

TEST(DataMoments, EveryProcessorKindComputesTheSame) {
  for (const Index count : {1, 3, 8, 29, 64}) {
    const Index lines = 5, stride = count + 3;
    const Matrix strip = random_matrix(stride, lines, 7);
    const Matrix given = random_matrix(count, 4, 8);
    const Vector shifts = random_matrix(lines, 1, 9);
    for (const Simd simd : every_simd()) {
      Matrix rest = strip, sums = given.leftCols(2), expected = sums;
      const auto means = given.col(2), scales = given.col(3);
      measure_strip(rest.data(), stride, count, {shifts.data(), 5}, means.data(),
                    sums.col(0).data(), sums.col(1).data(), simd);
      for (Index i = 0; i < lines; ++i) {
        const Vector entries = strip.col(i).head(count);
        const Vector left = entries.array() - shifts[i] - means.array();
        expected.col(0) += left;
        expected.col(1) += left.cwiseAbs2();
        EXPECT_EQ(rest.col(i).head(count), left) << name(simd);
        EXPECT_EQ(rest.col(i).tail(3), strip.col(i).tail(3)) << name(simd);

        Vector prepared(count);
        Eigen::VectorXf single(count);
        const Line line{entries.data()};
        prepare_line(line, count, shifts[i], means.data(), scales.data(), prepared.data(), simd);
        prepare_line(line, count, shifts[i], means.data(), scales.data(), single.data(), simd);
        EXPECT_EQ(prepared, left.cwiseProduct(scales)) << name(simd);
        EXPECT_EQ(single, prepared.cast<float>()) << name(simd);
      }
      EXPECT_LE((sums - expected).cwiseAbs().maxCoeff(), 1e-14 * expected.norm()) << name(simd);
    }
  }
}

/// Whole numbers, which every type can hold.
template <class T>
void expect_prepared(Simd simd, Index count) {
  const Vector numbers = (100 * random_matrix(count, 1, 7).array().abs()).min(255).floor();
  const Eigen::VectorX<T> stored = numbers.cast<T>();
  const Vector means = random_matrix(count, 1, 8), scales = random_matrix(count, 1, 9);
  const Line line{stored.data(), scalar_of<T>()};
  const Vector expected = (numbers.array() - 0.5 - means.array()) * scales.array();
  Vector prepared(count);
  Eigen::VectorXf single(count);
  prepare_line(line, count, 0.5, means.data(), scales.data(), prepared.data(), simd);
  prepare_line(line, count, 0.5, means.data(), scales.data(), single.data(), simd);
  EXPECT_EQ(prepared, expected) << name(simd);
  EXPECT_EQ(single, expected.cast<float>()) << name(simd);
}

TEST(DataMoments, EveryProcessorKindPreparesEveryType) {
  for (const Simd simd : every_simd())
    for (const Index count : {1, 3, 8, 29, 64}) {
      expect_prepared<std::uint8_t>(simd, count);
      expect_prepared<std::int32_t>(simd, count);
      expect_prepared<float>(simd, count);
      expect_prepared<double>(simd, count);
    }
}

}  // namespace
}  // namespace spcart
