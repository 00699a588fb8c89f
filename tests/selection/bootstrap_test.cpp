#include "spcart/bootstrap.hpp"

#include <gtest/gtest.h>

#include "command.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using Json = nlohmann::json;
using testing::run;

/// Which component of the fit is the planted one, by its support.
Index planted_of(const Loadings& truth, const Loadings& x, Index i) {
  Index best = 0;
  Matrix(x.transpose() * truth).cwiseAbs().row(i).maxCoeff(&best);
  return best;
}

TEST(Bootstrap, FindsPlantedVariablesAgainAndNoOthers) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const Spiked spiked = make_spiked({.seed = seed});
    const auto a = make_matrix(spiked.table);
    const Result result = fit(*a, {.components = 5, .nonzeros = 8});
    const Stability stability = bootstrap(*a, result, {.resamples = 40, .seed = seed});
    EXPECT_EQ(stability.resamples, 40);
    EXPECT_GT(stability.cosines.minCoeff(), 0.99);
    for (Index i = 0; i < 5; ++i) {
      const Index planted = planted_of(spiked.truth, result.loadings, i);
      for (Index j = 0; j < 100; ++j) {
        const double frequency = stability.frequencies.coeff(j, i);
        if (spiked.truth.coeff(j, planted) != 0)
          EXPECT_GT(frequency, 0.95) << seed << ' ' << i << ' ' << j;
        else
          EXPECT_LT(frequency, 0.2) << seed << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(Bootstrap, CountsWhatFitsToResampledTablesSelect) {
  const Index n = 30, p = 8, r = 3, resamples = 5;
  const Matrix s = verify::decaying(n, p, 4);
  const auto a = make_dense(view_of(s), {.scale = true});
  const Options options{.components = r, .nonzeros = 4};
  const Result result = fit(*a, options);
  const Stability stability = bootstrap(*a, result, {.resamples = resamples, .seed = 6});
  const Matrix counts = Matrix(stability.frequencies) * static_cast<double>(resamples);
  EXPECT_LT((counts.array() - counts.array().round()).abs().maxCoeff(), 1e-12);
  // Every resample selects four variables of each component.
  EXPECT_LT((counts.colwise().sum().array() - 4.0 * resamples).abs().maxCoeff(), 1e-9);
  EXPECT_GT(stability.cosines.minCoeff(), 0);
  EXPECT_LE(stability.cosines.maxCoeff(), 1 + 1e-12);
}

/// As many components as the fit has, even if a resample needs others to explain as much.
TEST(Bootstrap, KeepsTheNumberOfComponents) {
  const auto a = make_matrix(load_dataset("spiked:n=60,p=20,r=3,k=4,strength=3"));
  const Result result = fit(*a, {.variance = 0.6, .nonzeros = 4});
  const Stability stability = bootstrap(*a, result, {.resamples = 10});
  EXPECT_EQ(stability.frequencies.cols(), result.loadings.cols());
  EXPECT_EQ(stability.cosines.size(), result.loadings.cols());
}

/// Resamples of a table whose samples differ only in their sign are all the same.
TEST(Bootstrap, IsCertainIfEverySampleSaysTheSame) {
  Matrix s = Matrix::Zero(40, 6);
  for (Index i = 0; i < 40; ++i) s.row(i).head(2).setConstant(i % 2 == 0 ? 1 : -1);
  const auto a = make_dense(view_of(s), {.center = false});
  const Result result = fit(*a, {.components = 1});
  const Stability stability = bootstrap(*a, result, {.resamples = 10});
  EXPECT_NEAR(stability.cosines[0], 1, 1e-12);
  EXPECT_EQ(stability.frequencies.nonZeros(), 2);
  EXPECT_EQ(stability.frequencies.coeff(0, 0), 1);
  EXPECT_EQ(stability.frequencies.coeff(1, 0), 1);
}

TEST(Bootstrap, IsTheSameForTheSameSeedAndAnyThreads) {
  const auto a = make_matrix(load_dataset("spiked:n=80,p=30,k=4,strength=3"));
  Options options{.components = 4, .nonzeros = 5, .threads = 1};
  const Stability one = bootstrap(*a, fit(*a, options), {.resamples = 10, .seed = 3});
  options.threads = 2;
  const Stability two = bootstrap(*a, fit(*a, options), {.resamples = 10, .seed = 3});
  EXPECT_EQ(Matrix(one.frequencies), Matrix(two.frequencies));
  EXPECT_LT((one.cosines - two.cosines).cwiseAbs().maxCoeff(), 1e-9);
  const Stability other = bootstrap(*a, fit(*a, options), {.resamples = 10, .seed = 4});
  EXPECT_NE(one.cosines, other.cosines);
}

TEST(Bootstrap, RejectsWhatCannotBe) {
  const auto a = make_matrix(load_dataset("spiked:n=80,p=30,k=4"));
  const Result result = fit(*a, {.components = 2});
  EXPECT_THROW(bootstrap(*a, result, {.resamples = 1}), Error);
  EXPECT_THROW(bootstrap(*a, result, {}, [](const Progress&) { return false; }), Cancelled);
  const auto c = make_matrix(load_dataset("pitprops"));
  EXPECT_THROW(bootstrap(*c, fit(*c, {.components = 2})), Error);
  EXPECT_THROW(bootstrap(*c, result), Error);
}

TEST(CommandBootstrap, ShowsFrequenciesAndWritesThem) {
  const testing::Folder folder;
  const auto outcome = run({"fit", "@spiked:n=200,p=30,k=5,r=2", "-r", "2", "--nonzeros", "5",
                            "--bootstrap", "20", "--json", folder / "r.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" 100%"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("20 resamples"), std::string::npos) << outcome.out;
  const Json bootstrap = Json::parse(testing::content_of(folder / "r.json"))["bootstrap"];
  EXPECT_EQ(bootstrap["resamples"], 20);
  ASSERT_EQ(bootstrap["frequencies"].size(), 2U);
  EXPECT_EQ(bootstrap["cosines"].size(), 2U);
  double sum = 0;
  for (const Json& value : bootstrap["frequencies"][0]["value"]) sum += value.get<double>();
  EXPECT_NEAR(sum, 5, 1e-9);
}

TEST(CommandBootstrap, WithoutItNothingIsSaidOfIt) {
  const auto outcome = run({"fit", "@pitprops", "-r", "2", "--json", "-"});
  EXPECT_FALSE(Json::parse(outcome.out).contains("bootstrap"));
}

TEST(CommandBootstrap, RejectsWithStatusTwo) {
  for (const char* count : {"1", "0", "-5", "many", "2.5"}) {
    const auto outcome = run({"fit", "@spiked", "--bootstrap", count});
    EXPECT_EQ(outcome.status, 2) << count;
    EXPECT_NE(outcome.err.find("at least 2"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  const auto covariance = run({"fit", "@pitprops", "--bootstrap", "10"});
  EXPECT_EQ(covariance.status, 2);
  EXPECT_NE(covariance.err.find("covariance"), std::string::npos);
}

TEST(CommandBootstrap, AnInterruptEndsItWithinASecond) {
  const testing::Folder folder;
  const auto outcome = run(
      {"fit", "@spiked:n=2000,p=200", "-r", "5", "--bootstrap", "100000", "--json", folder / "r"},
      {.signal = SIGINT, .signal_after = 1.5});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_LT(outcome.seconds_after_signal, 1.0);
  EXPECT_NE(outcome.err.find("interrupted while fitting resamples"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(folder.list(), std::vector<std::string>{});
}

}  // namespace
}  // namespace spcart
