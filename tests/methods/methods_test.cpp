#include "spcart/methods.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rejection.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/names.hpp"
#include "temporary.hpp"
#include "verify.hpp"
#include "watched.hpp"

/// What every method must do.
namespace spcart {
namespace {

using testing::Rejection;
using testing::rejection_of;

/// Every method with every truncation that it has.
std::vector<Options> every_method(const Options& common) {
  std::vector<Options> all;
  for (const MethodRecord& record : method_records()) {
    Options options = common;
    options.method = record.method;
    if (record.truncations.empty()) all.push_back(options);
    for (const TruncationType type : record.truncations) {
      options.truncation = type;
      all.push_back(options);
    }
  }
  return all;
}

std::string title(const Options& options) {
  return fmt::format("{} {}", name(options.method),
                     options.truncation ? name(*options.truncation) : "");
}

TEST(Methods, RecordsSayWhatIsThere) {
  EXPECT_EQ(method_records().front().method, Method::spcart);
  for (const MethodRecord& record : method_records()) {
    EXPECT_EQ(parse<Method>(name(record.method)), record.method);
    EXPECT_EQ(&record_of(record.method), &record);
    EXPECT_FALSE(record.title.empty());
    for (const TruncationType type : record.truncations) {
      const LambdaRange range = lambda_range(record, type, 50);
      EXPECT_LT(range.least, range.most);
      EXPECT_GE(range.default_value, range.least);
      EXPECT_LE(range.default_value, range.most);
    }
  }
}

TEST(Methods, KeepTheirPromises) {
  const Matrix m = verify::decaying(60, 20, 11);
  const Matrix prepared = verify::prepared(m, {});
  const auto a = make_dense(m);
  for (const Options& options : every_method({.components = 4})) {
    SCOPED_TRACE(title(options));
    const Result result = fit(*a, options);
    const Matrix x(result.loadings);
    ASSERT_TRUE(x.allFinite());
    const verify::Figures f = verify::figures(prepared, x);
    EXPECT_NEAR(result.criteria.cpev, f.cpev, 1e-9);
    EXPECT_LE(result.criteria.cpev, result.criteria.cpev_pca + 1e-12);
    EXPECT_GT(result.criteria.cpev, 0.1);
    for (Index i = 0; i < x.cols(); ++i)
      EXPECT_TRUE(std::abs(x.col(i).norm() - 1) < 1e-12 || x.col(i).isZero(0));
    for (const Bound& bound : result.bounds)
      EXPECT_FALSE(is_violated(bound)) << bound.name << ": " << bound.least << ", " << bound.most;
    EXPECT_EQ(result.loadings.nonZeros() < x.size(), options.method != Method::pca);
  }
}

TEST(Methods, AgreeOnEveryKindOfData) {
  Matrix m = verify::decaying(50, 16, 12);
  m = (m.array().abs() < 0.3 * m.cwiseAbs().mean()).select(0, m);
  const Eigen::SparseMatrix<double, Eigen::RowMajor> s = m.sparseView();
  const auto dense = make_dense(m);
  const auto sparse = make_sparse({.major = SparseView::Major::row,
                                   .rows = s.rows(),
                                   .cols = s.cols(),
                                   .values = s.valuePtr(),
                                   .scalar = Scalar::float64,
                                   .inner = s.innerIndexPtr(),
                                   .outer = s.outerIndexPtr()});
  const auto covariance = make_covariance(dense->gram() / 49);
  for (const Options& options : every_method({.components = 3})) {
    SCOPED_TRACE(title(options));
    const Matrix x(fit(*dense, options).loadings);
    EXPECT_LE((Matrix(fit(*sparse, options).loadings) - x).norm(), 1e-6);
    EXPECT_LE((Matrix(fit(*covariance, options).loadings) - x).norm(), 1e-6);
  }
}

TEST(Methods, FollowTheUnitsOfTheData) {
  const Matrix m = verify::decaying(50, 16, 13);
  for (const Options& options : every_method({.components = 3})) {
    SCOPED_TRACE(title(options));
    const Matrix x(fit(*make_dense(m), options).loadings);
    for (const double unit : {1e-100, 1e-5, 1e100})
      EXPECT_LE((Matrix(fit(*make_dense(unit * m), options).loadings) - x).norm(), 1e-6) << unit;
  }
}

TEST(Methods, FormNoGramMatrixOfManyVariables) {
  const auto a = make_dense(verify::decaying(20, 150, 14));
  for (Options options : every_method({.components = 3, .refit = 1})) {
    SCOPED_TRACE(title(options));
    if (record_of(options.method).proves) continue;  // it needs S of what it cannot rule out
    options.refine = options.method == Method::pca ? 0 : 2;
    const testing::Watched wide(*a);
    fit(wide, options);
    if (options.truncation == TruncationType::count) options.nonzeros = 5;
    if (options.method == Method::spca) options.ridge = 1;
    fit(wide, options);
    EXPECT_EQ(wide.grams, 0);
    EXPECT_LT(wide.widest, 75) << "the Gram matrix, by its columns";
  }
}

TEST(Methods, PassOverManySamplesOnce) {
  const auto a = make_dense(verify::decaying(200, 15, 25));
  for (Options options : every_method({.components = 3, .refit = 2})) {
    SCOPED_TRACE(title(options));
    options.refine = options.method == Method::pca ? 0 : 2;
    const testing::Watched tall(*a);
    fit(tall, options);
    EXPECT_EQ(tall.grams, 1);
    EXPECT_EQ(tall.gram_products, 0);
  }
}

TEST(Methods, EndCleanlyWhenVarianceRunsOut) {
  const Matrix rank_two = verify::random_matrix(30, 2, 15) * verify::random_matrix(2, 12, 16);
  const auto a = make_dense(rank_two);
  for (const Options& options : every_method({.components = 5})) {
    SCOPED_TRACE(title(options));
    const Result result = fit(*a, options);
    EXPECT_TRUE(Matrix(result.loadings).allFinite());
    EXPECT_FALSE(result.warnings.empty());
  }
}

TEST(Methods, SurviveAnyLambda) {
  const auto a = make_dense(verify::decaying(30, 12, 17));
  for (Options options : every_method({.components = 3, .refit = 1})) {
    if (options.method == Method::pca) continue;
    const LambdaRange range = lambda_range(record_of(options.method), *options.truncation, 12);
    const double top = options.truncation == TruncationType::count ? 11 : 0.999;
    for (const double part : {0.0, 0.01, 0.5, 0.9, 1.0}) {
      options.lambda = range.least + part * (top - range.least);
      if (range.most > 1 && options.truncation != TruncationType::count)
        options.lambda = range.least + part * (range.most - range.least);
      if (options.truncation == TruncationType::count) options.lambda = std::floor(*options.lambda);
      SCOPED_TRACE(fmt::format("{} {}", title(options), *options.lambda));
      const Result result = fit(*a, options);
      EXPECT_TRUE(Matrix(result.loadings).allFinite());
      EXPECT_LE(result.criteria.cpev, result.criteria.cpev_pca + 1e-12);
    }
  }
}

TEST(Methods, RefiningNearlyDependentLoadingsLosesNothing) {
  Matrix m = verify::random_matrix(40, 20, 24);
  for (Index j = 0; j < 20; ++j) m.col(j) *= std::pow(10.0, -static_cast<double>(j) / 4);
  const auto a = make_dense(m);
  for (Options options : every_method({.components = 20})) {
    if (options.method == Method::pca || options.method == Method::alspca) continue;
    if (options.truncation == TruncationType::count) options.nonzeros = 6;
    options.effort = Effort{Effort::Level::none};
    SCOPED_TRACE(title(options));
    const Result plain = fit(*a, options);
    options.refine = 5;
    const Result refined = fit(*a, options);
    EXPECT_GE(refined.criteria.cpev, plain.criteria.cpev - 1e-12);
    EXPECT_LE(refined.criteria.cpev, 1 + 1e-12);
    EXPECT_LE(refined.loadings.nonZeros(), plain.loadings.nonZeros());
    for (const Bound& bound : refined.bounds) EXPECT_FALSE(is_violated(bound)) << bound.name;
  }
}

TEST(Methods, CountsAreKept) {
  const auto a = make_dense(verify::decaying(60, 20, 18));
  for (const MethodRecord& record : method_records()) {
    if (!has(record, TruncationType::count)) continue;
    SCOPED_TRACE(name(record.method));
    const Result result = fit(*a, {.method = record.method,
                                   .components = 4,
                                   .nonzeros = 5,
                                   .effort = Effort{Effort::Level::none}});
    for (const Index count : result.criteria.nonzeros) EXPECT_LE(count, 5);
    EXPECT_GE(result.loadings.nonZeros(), 18);
  }
}

TEST(Methods, SameInputSameBits) {
  const auto a = make_dense(verify::decaying(60, 20, 19));
  for (const Options& options : every_method({.components = 4, .refit = 1})) {
    SCOPED_TRACE(title(options));
    EXPECT_EQ(Matrix(fit(*a, options).loadings), Matrix(fit(*a, options).loadings));
  }
}

TEST(Methods, CanBeStopped) {
  const auto a = make_dense(verify::decaying(60, 20, 20));
  for (const Options& options : every_method({.components = 4})) {
    if (options.method == Method::pca) continue;  // it has no iterations
    SCOPED_TRACE(title(options));
    int calls = 0;
    double last = 1;
    const auto stop_soon = [&](const Progress& progress) {
      if (progress.stage != "rotate") return true;
      last = progress.fraction;
      return calls++ < 1;  // the first reports that the stage begins
    };
    EXPECT_THROW(fit(*a, options, stop_soon), Cancelled);
    EXPECT_LT(last, 1) << "it was only stopped at its end";
  }
}

Rejection rejection(const DataMatrix& a, const Options& options) {
  return rejection_of([&] { fit(a, options); });
}

TEST(Methods, RejectWhatTheyCannotDo) {
  const auto a = make_dense(verify::decaying(30, 12, 21));
  EXPECT_EQ(rejection(*a, {.method = Method::pca, .lambda = 0.1}).value, "0.1");
  EXPECT_HAS(rejection(*a, {.method = Method::pca, .lambda = 0.1}).rule,
             "method pca truncates nothing; methods that do are spcart, st, varimax, rsvd");
  EXPECT_EQ(rejection(*a, {.method = Method::pca, .refine = 2}).option, "refine");
  EXPECT_HAS(rejection(*a, {.method = Method::pca, .refine = 2}).rule,
             "method pca truncates nothing; methods that do are");
  EXPECT_HAS(rejection(*a, {.method = Method::gpower, .truncation = TruncationType::energy}).rule,
             "method gpower has hard and soft; methods that have it are spcart, st, varimax");
  EXPECT_EQ(rejection(*a, {.method = Method::pca, .keep = 0.9}).option, "keep");
  EXPECT_HAS(rejection(*a, {.method = Method::pca, .keep = 0.9}).rule,
             "method pca truncates nothing; methods that do are");
  EXPECT_EQ(
      rejection(*a, {.method = Method::tpower, .start = Start::identity}),
      (Rejection{"start", "identity",
                 "method tpower has variance, pca and warm; methods that start there are spcart"}));
  EXPECT_EQ(rejection(*a, {.method = Method::st, .start = Start::identity}),
            (Rejection{"start", "identity",
                       "method st has no choice of start; methods that start there are spcart"}));
  EXPECT_EQ(rejection(*a, {.post_fit = true}),
            (Rejection{"post-fit", "yes",
                       "method spcart does not take it; methods that do are gpower and gpowerb"}));
  EXPECT_EQ(rejection(*a, {.method = Method::spc, .lambda = 7}),
            (Rejection{"lambda", "7", "for method spc it must be at least 1 and at most 3.464"}));
  EXPECT_EQ(rejection(*a, {.method = Method::gpower, .lambda = 1}),
            (Rejection{"lambda", "1", "for method gpower it must be at least 0 and below 1"}));
  EXPECT_EQ(rejection(*a, {.method = Method::spca,
                           .ridge = std::numeric_limits<double>::infinity(),
                           .bound = 2}),
            (Rejection{"bound", "2", "it goes with a finite ridge"}));
  EXPECT_EQ(rejection(*a, {.method = Method::spca, .bound = 2}),
            (Rejection{"bound", "2", "it goes with truncation soft"}));
  EXPECT_EQ(rejection(*a, {.method = Method::spca, .ridge = 1e300}),
            (Rejection{"ridge", "1e+300", "it must be at most 1000000000000, or inf"}));
  EXPECT_EQ(rejection(*a, {.method = Method::spca, .ridge = -1}),
            (Rejection{"ridge", "-1", "it must be at least 0"}));
}

TEST(Methods, HelpNamesThemAndTheirStarts) {
  const auto help = [](std::string_view option) {
    return std::ranges::find(option_records(), option, &OptionRecord::name)->help;
  };
  for (const MethodRecord& record : method_records()) {
    EXPECT_NE(help("method").find(name(record.method)), std::string_view::npos);
    for (const Start start : record.starts)
      EXPECT_NE(help("start").find(name(start)), std::string_view::npos);
    for (const std::string_view option : record.options)
      EXPECT_NE(help(option).find(name(record.method)), std::string_view::npos) << option;
  }
}

TEST(SimpleThresholding, IsTheTruncatedBasis) {
  const auto a = make_dense(verify::decaying(60, 20, 22));
  const Basis basis = principal_basis(*a, 4);
  for (const TruncationType type : record_of(Method::st).truncations) {
    const Result result =
        fit(*a, {.method = Method::st, .components = 4, .truncation = type, .order = Order::none});
    Truncator truncate(*result.truncation, 20);
    for (Index i = 0; i < 4; ++i) {
      Vector z = basis.vectors.col(i), x(20);
      truncate({z.data(), 20}, {x.data(), 20});
      EXPECT_LE((Matrix(result.loadings).col(i) - x.normalized()).norm(), 1e-12);
    }
  }
}

TEST(Pca, ReturnsTheBasis) {
  const auto a = make_dense(verify::decaying(60, 20, 23));
  const Result result = fit(*a, {.method = Method::pca, .components = 4});
  EXPECT_LE((Matrix(result.loadings) - principal_basis(*a, 4).vectors).norm(), 1e-12);
  EXPECT_FALSE(result.truncation.has_value());
  EXPECT_EQ(result.message, "done");
}

}  // namespace
}  // namespace spcart
