#include "spcart/compare.hpp"

#include <gtest/gtest.h>

#include "command.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using Json = nlohmann::json;
using testing::run;

TEST(Compare, ContendersAreNamedShortly) {
  EXPECT_EQ(parse_contender("rsvd-gp"), (Contender{.method = Method::rsvd_gp}));
  EXPECT_EQ(parse_contender("rsvd-gp:soft"),
            (Contender{.method = Method::rsvd_gp, .truncation = TruncationType::soft}));
  EXPECT_EQ(parse_contender("spcart:sp:identity"), (Contender{.method = Method::spcart,
                                                              .truncation = TruncationType::count,
                                                              .start = Start::identity}));
  for (const char* text : {"", "rsvd-gp:", ":soft", "spcart:hrad", "none", "spcart:hard:soft",
                           "spcart:random:varimax"})
    EXPECT_THROW(parse_contender(text), Error) << text;
}

TEST(Compare, AllHaveTheSameNumberOfNonzeros) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const Index k : {2, 3, 5}) {
    for (const ComparisonRow& row : compare(*a, {.nonzeros = k, .common = {.components = 6}})) {
      SCOPED_TRACE(name(row.contender.method));
      EXPECT_EQ(row.note.empty(), row.result.loadings.nonZeros() == 6 * k);
      if (row.contender.method == Method::pca) continue;
      EXPECT_LE(std::abs(row.result.loadings.nonZeros() - 6 * k), 2);
      EXPECT_GT(row.seconds, 0);
    }
  }
}

TEST(Compare, CountingMethodsNeedOneFit) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const auto rows = compare(
      *a, {.contenders = {parse_contender("tpower"), parse_contender("spcart:count:identity"),
                          parse_contender("spcart")},
           .nonzeros = 3,
           .common = {.components = 6}});
  EXPECT_EQ(rows[0].fits, 1);
  EXPECT_EQ(rows[1].fits, 1);
  EXPECT_GT(rows[2].fits, 1);
  EXPECT_NEAR(rows[1].result.criteria.cpev, 0.7514, 0.5e-4);
}

/// Contenders whose lambda is searched for, and those that count, are refitted and refined at the
/// end like any other fit.
TEST(Compare, FinishesWhatItFinds) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const auto& [refit, refine] : {std::pair<Index, Index>{5, 0}, {0, 5}}) {
    const CompareOptions options{
        .contenders = {{.method = Method::spcart, .truncation = TruncationType::hard},
                       {.method = Method::spcart, .truncation = TruncationType::count},
                       {.method = Method::rsvd_gp, .truncation = TruncationType::soft}},
        .nonzeros = 3,
        .common = {.components = 6, .refit = refit, .refine = refine}};
    CompareOptions bare = options;
    bare.common.refit = bare.common.refine = 0;
    const auto rows = compare(*a, options), without = compare(*a, bare);
    ASSERT_EQ(rows.size(), without.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Options alone = options.common;
      alone.method = rows[k].contender.method;
      alone.truncation = rows[k].contender.truncation;
      alone.lambda = rows[k].result.truncation->lambda;
      const Result expected = fit(*a, alone);
      EXPECT_NEAR(rows[k].result.criteria.cpev, expected.criteria.cpev, 1e-12);
      EXPECT_GT(rows[k].result.criteria.cpev, without[k].result.criteria.cpev + 1e-4);
    }
  }
}

TEST(Compare, OneVariableIsEnough) {
  const auto a = make_covariance(Matrix::Constant(1, 1, 2.0));
  for (const ComparisonRow& row : compare(*a, {.nonzeros = 1, .common = {.components = 1}})) {
    EXPECT_NEAR(row.result.criteria.cpev, 1, 1e-12) << name(row.contender.method);
    EXPECT_GE(row.fits, 1);
  }
}

TEST(Compare, RejectsWhatCannotBe) {
  const auto a = make_matrix(load_dataset("pitprops"));
  EXPECT_THROW(compare(*a, {.contenders = {}}), Error);
  EXPECT_THROW(compare(*a, {.nonzeros = 0}), Error);
  EXPECT_THROW(compare(*a, {.nonzeros = 14}), Error);
  EXPECT_THROW(compare(*a, {.contenders = {parse_contender("gpower:energy")}}), Error);
  EXPECT_THROW(compare(*a, {.common = {.components = 14}}), Error);
  EXPECT_THROW(compare(*a, {}, [](const Progress&) { return false; }), Cancelled);
}

TEST(CommandCompare, WritesRowsAsJsonAndCsv) {
  const testing::Folder folder;
  const auto outcome =
      run({"compare", "@pitprops", "-r", "6", "--methods", "pca,spcart,gpower,tpower", "--nonzeros",
           "3", "--json", folder / "rows.json", "--csv", folder / "rows.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json rows = Json::parse(testing::content_of(folder / "rows.json"))["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["method"], "pca");
  EXPECT_TRUE(rows[0]["truncation"].is_null());
  EXPECT_EQ(rows[1]["truncation"], "hard");
  EXPECT_EQ(rows[3]["truncation"], "count");
  EXPECT_EQ(rows[3]["lambda"], 10);
  for (const Json& row : rows) {
    EXPECT_TRUE(row["criteria"]["cpev"].is_number());
    EXPECT_TRUE(row["seconds"].is_number());
    EXPECT_EQ(row["status"], "converged");
  }
  const std::string csv = testing::content_of(folder / "rows.csv");
  EXPECT_TRUE(csv.starts_with("method,truncation,start,lambda,nonzeros,sparsity,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
  EXPECT_NE(outcome.out.find("CPEV"), std::string::npos);
}

TEST(CommandCompare, EveryMethodTakesPart) {
  const auto outcome = run(
      {"compare", "@synthetic", "-r", "2", "--methods", "all", "--sparsity", "0.4", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["rows"].size(), method_records().size());
}

TEST(CommandCompare, RejectsWithStatusTwo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--methods", "spcrat"},
                                             {"--methods", "spcart,,pca"},
                                             {"--methods", "gpower:energy"},
                                             {"--sparsity", "1"},
                                             {"--sparsity", "-0.1"},
                                             {"--sparsity", "nan"},
                                             {"--nonzeros", "0"},
                                             {"--nonzeros", "1.5"},
                                             {"--sparsity", "much"},
                                             {"--methods", "spcart,"},
                                             {"--methods", "spcart:hard:soft"},
                                             {"--nonzeros", "14"},
                                             {"--nonzeros", "3", "--sparsity", "0.5"},
                                             {"-r", "14"}}) {
    std::vector<std::string> call = {"compare", "@pitprops"};
    call.insert(call.end(), arguments.begin(), arguments.end());
    const auto outcome = run(call);
    EXPECT_EQ(outcome.status, 2) << arguments.back();
    EXPECT_TRUE(outcome.err.starts_with("spcart: error: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace spcart
