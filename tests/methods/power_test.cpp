#include <gtest/gtest.h>

#include <algorithm>

#include "data/gram.hpp"
#include "methods/shrink.hpp"
#include "real_data.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using enum TruncationType;

/// A method with a truncation and a lambda that suits 15 variables.
struct Setting {
  Method method;
  TruncationType type;
  double lambda;
};

constexpr Setting kSettings[] = {
    {Method::rsvd, hard, 0.1},       {Method::rsvd, soft, 0.2},     {Method::rsvd_gp, hard, 0.25},
    {Method::rsvd_gp, soft, 0.2},    {Method::rsvd_gp, count, 9},   {Method::rsvd_gp, energy, 0.2},
    {Method::rsvd_gpb, hard, 0.25},  {Method::rsvd_gpb, soft, 0.2}, {Method::rsvd_gpb, count, 9},
    {Method::rsvd_gpb, energy, 0.2}, {Method::tpower, count, 9},    {Method::gpower, hard, 0.1},
    {Method::gpower, soft, 0.2},     {Method::gpowerb, hard, 0.02}, {Method::gpowerb, soft, 0.1},
    {Method::spc, soft, 2.2}};

Options options_of(const Setting& setting, Index components) {
  return {.method = setting.method,
          .components = components,
          .truncation = setting.type,
          .lambda = setting.lambda,
          .order = Order::none};
}

std::string label(const Setting& setting) {
  return std::string(name(setting.method)) + " " + std::string(name(setting.type));
}

bool is_block(Method method) { return method == Method::rsvd_gpb || method == Method::gpowerb; }

/// Whether theory says that the objective never rises: not if the threshold depends on |z|.
bool has_objective(const Setting& setting) {
  const bool relative = setting.method == Method::rsvd_gp || setting.method == Method::rsvd_gpb;
  return !relative || setting.type == count;
}

TEST(PaperTables, PowerMethodsOnSyntheticData) {
  const std::vector<Index> first_four{0, 1, 2, 3}, last_six{4, 5, 6, 7, 8, 9},
      first_four_last_two{0, 1, 2, 3, 8, 9};
  struct Row {
    TruncationType type;
    std::optional<double> lambda;
    std::vector<Index> second;
    double cpev;
  };
  const auto a = make_matrix(load_dataset("synthetic"));
  for (const Row& row :
       {Row{hard, {}, first_four, .9849}, Row{soft, {}, first_four, .9808},
        Row{count, 4, first_four_last_two, .9960}, Row{energy, .1, first_four, .9849}})
    for (const Start start : {Start::variance, Start::pca}) {
      SCOPED_TRACE(name(row.type));
      const Result result = fit(*a, {.method = Method::rsvd_gp,
                                     .components = 2,
                                     .truncation = row.type,
                                     .lambda = row.lambda,
                                     .start = start});
      EXPECT_EQ(verify::supports(result.loadings),
                (std::vector<std::vector<Index>>{last_six, row.second}));
      EXPECT_NEAR(result.criteria.cpev, row.cpev, 0.5e-4);
    }
}

TEST(PaperTables, PowerMethodsOnPitprops) {
  struct Row {
    Setting setting;
    double tolerance;
    std::vector<Index> pattern;
    double std, nonorthogonality, cpev;
  };
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const Row& row :
       {Row{{Method::rsvd_gp, hard, .27}, 1e-2, {6, 2, 4, 2, 1, 2}, .1411, .0209, .8117},
        Row{{Method::rsvd_gpb, hard, .3}, 1e-2, {5, 3, 4, 1, 3, 2}, .1088, .0222, .7744},
        Row{{Method::rsvd_gpb, count, 10}, 1e-2, {3, 3, 3, 3, 3, 3}, 0, .0525, .7610},
        Row{{Method::gpowerb, hard, .115}, 1e-2, {7, 2, 4, 1, 1, 2}, .1782, .0186, .8087},
        Row{{Method::gpower, hard, .1}, 1e-3, {7, 2, 6, 1, 1, 2}, .2030, .0259, .8111}}) {
    SCOPED_TRACE(label(row.setting));
    Options options = options_of(row.setting, 6);
    options.tolerance = row.tolerance;
    const Result result = fit(*a, options);
    const Criteria& c = result.criteria;
    EXPECT_EQ(c.nonzeros, row.pattern);
    EXPECT_NEAR(c.sparsity.std, row.std, 0.5e-4);
    EXPECT_NEAR(c.nonorthogonality, row.nonorthogonality, 0.5e-4);
    EXPECT_NEAR(c.cpev, row.cpev, 0.5e-4);
    EXPECT_EQ(result.status, Status::converged);
  }
}

TEST(PaperTables, TruncatedPowerOnPitpropsIsAtLeastAsGood) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const Method method : {Method::rsvd_gp, Method::tpower}) {
    const Result result = fit(*a, options_of({method, count, 10}, 6));
    EXPECT_EQ(result.loadings.nonZeros(), 18);
    EXPECT_LE(result.criteria.nonorthogonality, .0455);
    EXPECT_GE(result.criteria.cpev, .7819);
    EXPECT_NEAR(result.criteria.nonorthogonality, .0212, 0.5e-4);
    EXPECT_NEAR(result.criteria.cpev, .8015, 0.5e-4);
  }
}

using PowerOnRealData = testing::RealData;

TEST_F(PowerOnRealData, ImagePatches) {
  const auto a = patches();
  const Result one_by_one = fit(*a, options_of({Method::rsvd_gp, count, 143}, 70));
  EXPECT_NEAR(one_by_one.criteria.cpev, .9033, 1e-3);
  EXPECT_NEAR(one_by_one.criteria.nonorthogonality, .0277, 1e-3);
  const Result block = fit(*a, options_of({Method::rsvd_gpb, count, 143}, 70));
  EXPECT_NEAR(block.criteria.cpev, .9121, 1e-3);
  EXPECT_NEAR(block.criteria.nonorthogonality, .1173, 1e-3);
}

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

SparseView view_of_sparse(const Sparse& s) {
  return {.rows = s.rows(),
          .cols = s.cols(),
          .values = s.valuePtr(),
          .inner = s.innerIndexPtr(),
          .outer = s.outerIndexPtr()};
}

TEST(PowerMethods, EveryKindOfDataGivesTheSameLoadings) {
  Matrix m = verify::decaying(60, 15, 3);
  m = (m.array().abs() > 0.02 * m.cwiseAbs().maxCoeff()).select(m, 0.0);
  const Matrix centred = verify::prepared(m, {});
  const Sparse s = m.sparseView();
  const auto dense = make_dense(m), sparse = make_sparse(view_of_sparse(s)),
             covariance = make_covariance(centred.transpose() * centred / 59);
  for (const Setting& setting : kSettings)
    for (const bool post_fit : {false, true}) {
      SCOPED_TRACE(label(setting));
      Options options = options_of(setting, 4);
      if (post_fit && (setting.method == Method::gpower || setting.method == Method::gpowerb))
        options.post_fit = true;
      const Result a = fit(*dense, options);
      EXPECT_GT(a.loadings.nonZeros(), 3);
      EXPECT_LT(a.loadings.nonZeros(), 4 * 15);
      for (const auto* other : {sparse.get(), covariance.get()}) {
        const Result b = fit(*other, options);
        EXPECT_LE((Matrix(a.loadings) - Matrix(b.loadings)).norm(), 1e-7);
        EXPECT_EQ(a.iterations(), b.iterations());
      }
    }
}

TEST(PowerMethods, ResultKeepsItsPromises) {
  const Matrix m = verify::decaying(60, 15, 5);
  const auto a = make_dense(m);
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(label(setting));
    const Result result = fit(*a, options_of(setting, 4));
    const Matrix x(result.loadings);
    EXPECT_LE((x.colwise().norm().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_NEAR(result.criteria.cpev, verify::figures(verify::prepared(m, {}), x).cpev, 1e-10);
    EXPECT_EQ(Matrix(fit(*a, options_of(setting, 4)).loadings), x);
    if (setting.type != count) continue;
    for (const Index nonzeros : result.criteria.nonzeros) EXPECT_EQ(nonzeros, 6);
  }
}

TEST(PowerMethods, ScalingTheDataChangesNothing) {
  const Matrix m = verify::decaying(60, 15, 6);
  for (const Setting& setting : kSettings) {
    const Result a = fit(*make_dense(m), options_of(setting, 4)),
                 b = fit(*make_dense(Matrix(1e5 * m)), options_of(setting, 4));
    EXPECT_LE((Matrix(a.loadings) - Matrix(b.loadings)).norm(), 1e-9) << label(setting);
  }
}

TEST(PowerMethods, WithoutTruncationPcaComesBack) {
  const auto a = make_dense(verify::decaying(60, 15, 1));
  const Basis b = principal_basis(*a, 4);
  for (Setting setting : kSettings) {
    SCOPED_TRACE(label(setting));
    setting.lambda = setting.method == Method::spc ? std::sqrt(15.0) : 0;
    Options options = options_of(setting, 4);
    options.tolerance = 1e-9;
    options.max_iterations = 100000;
    const Result result = fit(*a, options);
    EXPECT_LE(verify::subspace_distance(b.vectors, Matrix(result.loadings)), 1e-6);
    EXPECT_NEAR(result.criteria.share_of_pca(), 1, 1e-9);
  }
}

TEST(PowerMethods, TheObjectiveNeverRises) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto a = make_dense(verify::decaying(60, 15, seed));
    for (const Setting& setting : kSettings) {
      if (!has_objective(setting)) continue;
      SCOPED_TRACE(label(setting));
      Options options = options_of(setting, is_block(setting.method) ? 4 : 1);
      options.tolerance = 1e-6;
      const Result result = fit(*a, options);
      ASSERT_GT(result.iterations(), 2);
      for (std::size_t t = 1; t < result.history.size(); ++t)
        EXPECT_LE(result.history[t].objective, result.history[t - 1].objective + 1e-12);
    }
  }
}

/// What |A - y x'|^2, less |A|^2, is lowered by, from the plain formulas: y = A x / |A x|.
double gain(const Matrix& a, const Vector& x, const Setting& setting) {
  const double largest = a.colwise().norm().maxCoeff(), fitted = (a * x).norm();
  if (setting.method == Method::spc || setting.type == count) return fitted * fitted;
  if (setting.type == hard)
    return fitted * fitted -
           setting.lambda * largest * largest * static_cast<double>((x.array() != 0).count());
  const double shrunk = fitted - setting.lambda * largest * x.lpNorm<1>();
  return shrunk * shrunk;
}

TEST(PowerMethods, TheObjectiveIsWhatItsFormulaSays) {
  const Matrix m = verify::decaying(60, 15, 4), a = verify::prepared(m, {});
  for (const Setting& setting : kSettings) {
    if (!has_objective(setting) || is_block(setting.method)) continue;
    Options options = options_of(setting, 1);
    options.tolerance = 1e-10;
    options.max_iterations = 10000;
    const Result result = fit(*make_dense(m), options);
    EXPECT_NEAR(result.history.back().objective,
                1 - gain(a, Matrix(result.loadings), setting) / a.squaredNorm(), 1e-9)
        << label(setting);
  }
}

TEST(PowerMethods, ConvergedLoadingsAreFixedPoints) {
  const Matrix m = verify::decaying(60, 15, 2), a = verify::prepared(m, {});
  for (const auto type : {hard, soft, count, energy}) {
    const Setting setting{Method::rsvd_gp, type, default_lambda(type, 15)};
    Options options = options_of(setting, 3);
    options.tolerance = 1e-12;
    options.max_iterations = 10000;
    const Result result = fit(*make_dense(m), options);
    Matrix c = a.transpose() * a;
    for (Index i = 0; i < 3; ++i) {
      const Vector x = Matrix(result.loadings).col(i);
      Vector z = (c * x).normalized(), next(15);
      Truncator({type, setting.lambda}, 15)({z.data(), 15}, {next.data(), 15});
      EXPECT_LE((next.normalized() - x).norm(), 1e-9) << name(type);
      const Matrix projection = Matrix::Identity(15, 15) - x * x.transpose();
      c = projection * c * projection;
    }
  }
}

TEST(PowerMethods, VarianceThatIsUsedUpLeavesZerosAndAWarning) {
  const Matrix m = verify::random_matrix(30, 2, 1) * verify::random_matrix(2, 10, 2);
  for (Setting setting : kSettings) {
    SCOPED_TRACE(label(setting));
    // Nothing is truncated, so that two components explain all of it.
    setting.lambda = setting.method == Method::spc ? std::sqrt(10.0) : 0;
    Options options = options_of(setting, 4);
    options.tolerance = 1e-10;
    options.max_iterations = 100000;
    const Result result = fit(*make_dense(m), options);
    EXPECT_TRUE(Matrix(result.loadings).allFinite());
    EXPECT_EQ(Matrix(result.loadings).rightCols(2).norm(), 0);
    EXPECT_NEAR(result.criteria.cpev, 1, 1e-9);
    EXPECT_EQ(std::ranges::count(result.warnings,
                                 "2 of 4 components explain all variance: the others are zero"),
              1);
  }
}

TEST(PowerMethods, OnlyAFewOfManyVariablesVary) {
  Matrix m = Matrix::Constant(30, 10, 3);
  m.col(4) = verify::random_matrix(30, 1, 1);
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(label(setting));
    const Result result = fit(*make_dense(m), options_of(setting, 3));
    EXPECT_TRUE(Matrix(result.loadings).allFinite());
    EXPECT_EQ(verify::supports(result.loadings).front(), std::vector<Index>{4});
    EXPECT_EQ(Matrix(result.loadings).rightCols(2).norm(), 0);
  }
}

TEST(PowerMethods, FewSamplesNeedNoMatrixOfAllVariables) {
  const Spiked spiked = make_spiked({.n = 40, .p = 2000, .r = 3, .k = 20});
  const auto a = make_matrix(spiked.table);
  EXPECT_EQ(Gram(*a).matrix(), nullptr);
  auto truth = verify::supports(spiked.truth);
  std::ranges::sort(truth);
  for (const Start start : {Start::variance, Start::pca, Start::warm}) {
    const Result result = fit(*a, {.method = Method::tpower,
                                   .components = 3,
                                   .nonzeros = 20,
                                   .start = start,
                                   .effort = Effort{Effort::Level::none}});
    EXPECT_EQ(result.loadings.nonZeros(), 60);
    EXPECT_GT(result.criteria.share_of_pca(), 0.5);
  }
  for (Setting setting : kSettings) {
    setting.lambda = setting.type == count           ? 1980
                     : setting.type == energy        ? 0.5
                     : setting.method == Method::spc ? 6
                                                     : 0.1;
    const Result result = fit(*a, options_of(setting, 3));
    EXPECT_TRUE(Matrix(result.loadings).allFinite()) << label(setting);
    EXPECT_GT(result.loadings.nonZeros(), 0) << label(setting);
  }
}

TEST(PowerMethods, CancellingReachesTheCaller) {
  const auto a = make_dense(verify::decaying(60, 15, 7));
  for (const Setting& setting : kSettings) {
    int calls = 0;
    const auto stop_in_the_method = [&](const Progress& progress) {
      EXPECT_GE(progress.fraction, 0);
      EXPECT_LE(progress.fraction, 1);
      return progress.stage != "rotate" || ++calls < 4;
    };
    EXPECT_THROW(fit(*a, options_of(setting, 4), stop_in_the_method), Cancelled) << label(setting);
  }
}

TEST(BlockPower, WeakComponentsBesideStrongOnesAreFound) {
  Matrix m = 0.01 * verify::random_matrix(100, 8, 1);
  const Matrix factors = verify::random_orthonormal(100, 2, 2) * 10;
  for (Index j = 0; j < 4; ++j) {
    m.col(j) += 1e5 * factors.col(0);
    m.col(j + 4) += factors.col(1);
  }
  for (const auto type : {hard, count}) {
    const Result result = fit(*make_dense(m), {.method = Method::rsvd_gpb,
                                               .components = 2,
                                               .truncation = type,
                                               .lambda = type == hard ? 0.3 : 4});
    EXPECT_EQ(verify::supports(result.loadings),
              (std::vector<std::vector<Index>>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  }
}

TEST(Tpower, IsRsvdGpWithACount) {
  const auto a = make_dense(verify::decaying(60, 15, 8));
  for (const Start start : {Start::variance, Start::pca}) {
    Options options = options_of({Method::tpower, count, 9}, 4);
    options.start = start;
    const Matrix tpower(fit(*a, options).loadings);
    options.method = Method::rsvd_gp;
    EXPECT_EQ(tpower, Matrix(fit(*a, options).loadings));
  }
}

TEST(Tpower, TheWarmStartPassesThroughMoreVariables) {
  const auto a = make_matrix(make_spiked({.n = 300, .p = 100, .r = 2, .k = 5}).table);
  Options options{.method = Method::tpower,
                  .components = 2,
                  .nonzeros = 5,
                  .start = Start::warm,
                  .effort = Effort{Effort::Level::none},
                  .order = Order::none};
  const Result warm = fit(*a, options);
  std::vector<double> seen;
  for (const Iteration& iteration : warm.history)
    if (seen.empty() || seen.back() != iteration.sparsity) seen.push_back(iteration.sparsity);
  const std::vector<double> once{.6, .8, .9, .95};
  ASSERT_EQ(seen.size(), 8U);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(seen[k], once[k % 4], 1e-12);
  options.start = Start::variance;
  EXPECT_EQ(verify::supports(warm.loadings), verify::supports(fit(*a, options).loadings));
}

TEST(Gpower, PostFitTakesTheBestValuesOnTheSupport) {
  const Matrix m = verify::decaying(60, 15, 9), a = verify::prepared(m, {});
  const auto data = make_dense(m);
  Options options = options_of({Method::gpower, soft, 0.3}, 1);
  const Matrix before(fit(*data, options).loadings);
  options.post_fit = true;
  const Result result = fit(*data, options);
  const auto support = verify::supports(result.loadings).front();
  EXPECT_EQ(support, verify::supports(before.sparseView()).front());
  ASSERT_GT(support.size(), 1U);
  ASSERT_LT(support.size(), 15U);
  const Matrix there = a(Eigen::all, support);
  const double best = verify::singular_values(there)[0];
  EXPECT_NEAR((a * Matrix(result.loadings)).norm(), best, 1e-9 * best);
  EXPECT_LT((a * before).norm(), best * (1 - 1e-6));
}

TEST(Gpower, BlockPostFitKeepsTheSupportsAndRaisesTheFit) {
  const Matrix m = verify::decaying(60, 15, 9), a = verify::prepared(m, {});
  const auto trace_norm = [&](const Matrix& x) { return verify::singular_values(a * x).sum(); };
  Options options = options_of({Method::gpowerb, soft, 0.15}, 4);
  const Result before = fit(*make_dense(m), options);
  options.post_fit = true;
  const Result after = fit(*make_dense(m), options);
  EXPECT_EQ(verify::supports(after.loadings), verify::supports(before.loadings));
  EXPECT_GT(trace_norm(Matrix(after.loadings)), trace_norm(Matrix(before.loadings)));
}

TEST(Gpower, LambdaBelowOneAlwaysLeavesSomething) {
  const auto a = make_matrix(load_dataset("random:n=50,p=40,seed=1"));
  for (const Method method : {Method::gpower, Method::rsvd})
    for (const auto type : {hard, soft}) {
      const Result result = fit(*a, options_of({method, type, 0.99}, 4));
      for (const Index nonzeros : result.criteria.nonzeros) EXPECT_GE(nonzeros, 1);
    }
}

TEST(Spc, KeepsItsBound) {
  const auto a = make_dense(verify::decaying(60, 15, 3)),
             tied = make_matrix(load_dataset("synthetic"));
  for (const double bound : {1.0, 1.2, 1.5, 2.0, 3.0})
    for (const auto* data : {a.get(), tied.get()}) {
      Options options = options_of({Method::spc, soft, bound}, 3);
      const Matrix x(fit(*data, options).loadings);
      for (Index i = 0; i < 3; ++i) {
        EXPECT_LE(x.col(i).lpNorm<1>(), bound * (1 + 1e-10));
        EXPECT_NEAR(x.col(i).norm(), 1, 1e-12);
      }
    }
}

TEST(L1Bound, IsTheBestWithinTheBound) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const double bound : {1.0, 1.01, 1.7, 2.0, 3.9}) {
      const Vector z = verify::random_matrix(16, 1, seed);
      Vector x;
      const double gained = l1_bound(bound)(0, z, x);
      EXPECT_NEAR(x.norm(), 1, 1e-12);
      EXPECT_LE(x.lpNorm<1>(), bound * (1 + 1e-12));
      EXPECT_NEAR(gained, z.dot(x) * z.dot(x), 1e-12 * gained);
      // Weak duality: z'x <= t bound + |S_t(z)| for every t, with equality at the best one.
      double least = z.norm();
      for (double t = 0; t <= z.cwiseAbs().maxCoeff(); t += 1e-4)
        least = std::min(least, t * bound + (z.array().abs() - t).max(0.0).matrix().norm());
      EXPECT_LE(z.dot(x), least + 1e-12);
      EXPECT_GE(z.dot(x), least - 1e-3);
    }
}

TEST(L1Bound, NearlyEqualEntriesKeepTheBound) {
  for (const double gap : {1e-4, 1e-6, 1e-8, 1e-10, 1e-13}) {
    Vector x;
    const Vector z = Vector::LinSpaced(8, 1 + 7 * gap, 1);
    l1_bound(1.7)(0, z, x);
    EXPECT_NEAR(x.lpNorm<1>(), 1.7, 1e-6) << gap;
    EXPECT_NEAR(x.norm(), 1, 1e-12);
  }
}

TEST(L1Bound, EqualEntriesGiveTheFirstOnes) {
  Vector z(6), x;
  z << 1, -2, 2, 2, -2, 0.5;
  const auto support = [&] {
    std::vector<Index> found;
    for (Index j = 0; j < 6; ++j)
      if (x[j] != 0) found.push_back(j);
    return found;
  };
  for (const double bound : {1.0, std::sqrt(2.0), 1.2, 1.9, 2.0, 2.1}) {
    const double gained = l1_bound(bound)(0, z, x);
    EXPECT_NEAR(x.norm(), 1, 1e-12);
    EXPECT_NEAR(x.lpNorm<1>(), bound, 1e-12);
    EXPECT_NEAR(std::sqrt(gained), 2 * bound, bound > 2 ? 0.2 : 1e-9);
    const auto most = static_cast<std::size_t>(std::ceil(bound * bound - 1e-9));
    EXPECT_EQ(support().size(), most) << bound;
    EXPECT_EQ(support()[0], bound > 2 ? 0 : 1);
  }
  l1_bound(2)(0, Vector::Zero(6), x);
  EXPECT_EQ(x, Vector::Zero(6));
}

}  // namespace
}  // namespace spcart
