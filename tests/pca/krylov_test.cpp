#include "pca/krylov.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

/// A'A is diagonal: any spectrum, and products that cost next to nothing.
class Diagonal final : public DataMatrix {
 public:
  explicit Diagonal(const Vector& squares)
      : DataMatrix(squares.size(), squares.size(), squares.size(),
                   10 * static_cast<double>(squares.size())) {
    set_statistics({.means = Vector::Zero(cols()), .scales = Vector::Ones(cols())}, squares, {});
  }

  mutable Index widest = 0;  ///< columns of the widest product

 private:
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    if (tick) tick(0);
    widest = std::max(widest, x.cols());
    y = column_squared_norms().asDiagonal() * x;
  }
  void do_times(ConstBlock, Block, const Tick&) const override { FAIL(); }
  void do_adjoint_times(ConstBlock, Block, const Tick&) const override { FAIL(); }
  void do_gram(Block, const Tick&) const override { FAIL(); }
  void do_outer_gram(Block, const Tick&) const override { FAIL(); }
};

/// Eigenvalues f(1), f(2), ... in random order.
template <class F>
Vector spectrum(Index p, F f) {
  Vector squares(p);
  for (Index j = 0; j < p; ++j) squares[(11 * j + 3) % p] = f(static_cast<double>(j + 1));
  return squares;
}

/// The contract: the largest eigenvalues, each as often as it occurs, to the stopping test.
Eigenpairs expect_leading(const Vector& squares, Index r, const EigenOptions& options = {}) {
  const Diagonal a(squares);
  const Eigenpairs k = krylov_eigenpairs(a, r, options, {});
  Vector sorted = squares;
  std::ranges::sort(sorted, std::greater());
  EXPECT_TRUE(k.converged);
  EXPECT_EQ(k.vectors.cols(), r);
  if (k.vectors.cols() != r) return k;
  EXPECT_LE((k.values - sorted.head(r)).cwiseAbs().maxCoeff(), options.tolerance * sorted[0]);
  EXPECT_LE((k.vectors.transpose() * k.vectors - Matrix::Identity(r, r)).norm(), 1e-12);
  const Matrix defect = squares.asDiagonal() * k.vectors - k.vectors * k.values.asDiagonal();
  EXPECT_LE(defect.colwise().norm().maxCoeff(), options.tolerance * sorted[0]);
  return k;
}

double power_law(double j) { return std::pow(j, -0.7); }

TEST(Krylov, FindsTheLeadingPairsOfEverySpectrum) {
  for (const Index r : {1, 2, 5, 20, 50}) {
    SCOPED_TRACE(r);
    expect_leading(spectrum(3001, power_law), r);
    expect_leading(spectrum(3001, [](double j) { return std::pow(0.95, j); }), r);
    expect_leading(spectrum(600, [](double j) { return 2 - j / 600; }), r);                // flat
    expect_leading(spectrum(3001, [](double j) { return j <= 20 ? 30 - j : 1 / j; }), r);  // a step
  }
}

TEST(Krylov, FindsEveryCopyOfARepeatedValue) {
  for (const double spread : {0.0, 1e-13, 1e-9, 1e-5}) {
    SCOPED_TRACE(spread);
    // Thirty of one size, thirty of half of it, and a tail: more copies than a block has columns.
    const Vector squares = spectrum(1009, [&](double j) {
      return j <= 30 ? 1 - spread * j / 30 : j <= 60 ? 0.5 + spread * j / 60 : 0.4 / (j - 59);
    });
    for (const Index r : {29, 30, 31, 45, 60, 70}) {
      SCOPED_TRACE(r);
      expect_leading(squares, r);
    }
  }
}

TEST(Krylov, FindsWeakRepeatedValuesBesideAStrongOne) {
  const Vector squares = spectrum(1009, [](double j) {
    return j <= 1 ? 1e7 : j <= 31 ? 1 : 0.5 / (j - 31);
  });
  const Eigenpairs k = expect_leading(squares, 40);
  EXPECT_LE((k.values.segment(1, 30).array() - 1).abs().maxCoeff(), 1e-6);
  EXPECT_NEAR(k.values[31], 0.5, 1e-6);
}

TEST(Krylov, FindsWeakValuesBesideStrongRepeatedOnes) {
  // More copies of the strong value than a block has columns, so that a search begins anew.
  constexpr double kOwn = 1e-4;  // what a residual may be beside its own value
  for (const double weak : {1e-3, 1e-5, 1e-8}) {
    SCOPED_TRACE(weak);
    const Vector squares = spectrum(1009, [&](double j) { return j <= 30 ? 1 : weak / (j - 30); });
    for (const Index r : {33, 40}) {
      const Eigenpairs k = expect_leading(squares, r);
      const Matrix defect = squares.asDiagonal() * k.vectors - k.vectors * k.values.asDiagonal();
      for (Index i = 0; i < r; ++i) {
        EXPECT_LE(defect.col(i).norm(), kOwn * k.values[i]) << i;
        EXPECT_NEAR(k.values[i], i < 30 ? 1 : weak / static_cast<double>(i - 29),
                    kOwn * k.values[i]);
      }
    }
  }
}

TEST(Krylov, SurvivesEqualValuesAndExhaustedSpaces) {
  expect_leading(Vector::Ones(120), 20);                                         // one value only
  expect_leading(Vector::Ones(20), 20);                                          // the whole space
  expect_leading(spectrum(50, [](double j) { return 1 / j; }), 49);              // nearly so
  expect_leading(spectrum(2003, [](double j) { return j <= 4 ? j : 0.0; }), 4);  // a small rank
  expect_leading(spectrum(7, power_law), 1);
}

TEST(Krylov, VariablesThatDoNotVaryStayOut) {
  Vector squares = spectrum(501, power_law);
  for (Index j = 0; j < 501; j += 3) squares[j] = 0;
  const Eigenpairs k = expect_leading(squares, 12);
  for (Index j = 0; j < 501; j += 3) EXPECT_EQ(k.vectors.row(j).norm(), 0);
}

TEST(Krylov, FewerVaryThanAreWanted) {
  Vector squares = Vector::Zero(40);
  squares.head(3) << 3, 2, 1;
  const Eigenpairs k = krylov_eigenpairs(Diagonal(squares), 5, {}, {});
  EXPECT_TRUE(k.converged);
  ASSERT_EQ(k.values.size(), 3);
  EXPECT_LE((k.values - squares.head(3)).norm(), 1e-12);
}

TEST(Krylov, ResidualsAreThoseOfAnotherProduct) {
  const Vector squares = spectrum(3001, power_law);
  for (const Index max_passes : {3, 6, 500}) {  // far from convergence, nearer, and there
    const Eigenpairs k = krylov_eigenpairs(Diagonal(squares), 10, {.max_passes = max_passes}, {});
    EXPECT_EQ(k.converged, max_passes == 500);
    const Matrix defect = squares.asDiagonal() * k.vectors - k.vectors * k.values.asDiagonal();
    EXPECT_LE((defect.colwise().norm().transpose() - k.residuals).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(Krylov, ResidualsHoldAfterRestarts) {
  const Vector squares = spectrum(1301, [](double j) { return 2 - j / 1301; });
  const Eigenpairs k = krylov_eigenpairs(Diagonal(squares), 5, {}, {});
  EXPECT_TRUE(k.converged);
  EXPECT_GT(k.columns, 5 * 7 * 5);  // several times as many as the basis may hold
  const Matrix defect = squares.asDiagonal() * k.vectors - k.vectors * k.values.asDiagonal();
  EXPECT_LE((defect.colwise().norm().transpose() - k.residuals).cwiseAbs().maxCoeff(), 1e-13);
}

/// The cost that the choice of a solver assumes.
TEST(Krylov, MultipliesFewColumns) {
  const Vector squares = spectrum(6007, power_law);
  for (const auto& [r, most] : {std::pair{5, 90}, {20, 170}, {50, 300}}) {
    const Diagonal a(squares);
    const Eigenpairs k = krylov_eigenpairs(a, r, {}, {});
    EXPECT_LE(k.columns, most);
    EXPECT_EQ(a.widest, krylov_block(a, r));
    EXPECT_LE(k.columns, k.passes * a.widest);
  }
}

TEST(Krylov, TheSeedDecidesAllBits) {
  const Vector squares = spectrum(901, power_law);
  const Eigenpairs first = expect_leading(squares, 8, {.seed = 5});
  const Eigenpairs same = expect_leading(squares, 8, {.seed = 5});
  const Eigenpairs other = expect_leading(squares, 8, {.seed = 6});
  EXPECT_EQ(first.vectors, same.vectors);
  EXPECT_EQ(first.values, same.values);
  EXPECT_NE(first.vectors, other.vectors);
}

TEST(Krylov, ALooserToleranceNeedsFewerPasses) {
  const Vector squares = spectrum(3001, power_law);
  const Eigenpairs tight = expect_leading(squares, 20);
  const Eigenpairs loose = expect_leading(squares, 20, {.tolerance = 1e-3});
  EXPECT_LT(loose.passes, tight.passes);
}

TEST(Krylov, GivesUpWithAllVectorsItWasAskedFor) {
  const Vector squares = spectrum(3001, power_law);
  for (const Index max_passes : {1, 2, 3}) {
    const Eigenpairs k = krylov_eigenpairs(Diagonal(squares), 30, {.max_passes = max_passes}, {});
    EXPECT_FALSE(k.converged);
    EXPECT_EQ(k.passes, max_passes);
    EXPECT_EQ(k.vectors.cols(), 30);
  }
}

TEST(Krylov, TicksReportProgressAndCanStopIt) {
  const Diagonal a(spectrum(3001, power_law));
  double last = 0;
  krylov_eigenpairs(a, 20, {}, [&](double done) {
    EXPECT_TRUE(done >= 0 && done <= 1);
    last = done;
  });
  EXPECT_GT(last, 0.5);
  int ticks = 0;
  const Tick stop = [&](double) {
    if (++ticks == 5) throw Cancelled();
  };
  EXPECT_THROW(krylov_eigenpairs(a, 20, {}, stop), Cancelled);
  EXPECT_EQ(ticks, 5);
}

/// A'A may be near the end of the range of numbers; its square is beyond it.
TEST(Krylov, UnitsOfTheDataDoNotMatter) {
  const Vector squares = spectrum(300, [](double j) { return std::pow(j, -1.5); });
  const Eigenpairs expected = expect_leading(squares, 5);
  for (const double unit : {0x1p-850, 0x1p980}) {
    const Diagonal a(unit * squares);
    const Eigenpairs k = krylov_eigenpairs(a, 5, {}, {});
    EXPECT_TRUE(k.converged);
    EXPECT_EQ(k.passes, expected.passes);
    EXPECT_LT((k.vectors - expected.vectors).norm(), 1e-9);
    EXPECT_LT((k.values / unit - expected.values).norm(), 1e-12);
    EXPECT_LT((k.residuals / unit - expected.residuals).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace spcart
