#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "catalogue.hpp"
#include "check.hpp"
#include "curve.hpp"
#include "document.hpp"
#include "experiment.hpp"
#include "run.hpp"
#include "spcart/datasets.hpp"
#include "spcart/version.hpp"
#include "temporary.hpp"

namespace spcart::reproduce {
namespace {

using nlohmann::json;
using testing::error_of;

TEST(ReproduceCurve, IsLinearBetweenItsPoints) {
  const Curve curve({{3, 30}, {1, 10}, {2, 40}, {1, 20}});  // two of x = 1: their mean
  EXPECT_EQ(curve.points().size(), 3U);
  EXPECT_DOUBLE_EQ(*curve.at(1), 15);
  EXPECT_DOUBLE_EQ(*curve.at(2.5), 35);
  EXPECT_FALSE(curve.at(0.9));
  EXPECT_FALSE(curve.at(3.1));
  EXPECT_DOUBLE_EQ(*curve.spread(), 25);
  EXPECT_EQ(common_x(curve, Curve({{1.5, 0}, {2, 0}, {9, 0}})), (std::vector{1.5, 2.0, 3.0}));
}

TEST(ReproduceCurve, KnowsPowerLawsAndRoughness) {
  std::vector<Curve::Point> power;
  for (const double x : {1.0, 3.0, 10.0}) power.push_back({x, 5 * std::pow(x, 1.7)});
  EXPECT_NEAR(*Curve(power).exponent(), 1.7, 1e-12);
  EXPECT_NEAR(*Curve({{0, 1}, {2, 5}, {3, 7}, {7, 15}}).roughness(), 0, 1e-12);
  EXPECT_NEAR(*Curve({{0, 0}, {1, 3}, {2, 0}}).roughness(), 3, 1e-12);
  EXPECT_FALSE(Curve({{0, 0}, {1, 3}}).roughness());
  EXPECT_FALSE(Curve({{1, 1}}).exponent());
  EXPECT_FALSE(Curve(std::vector<Curve::Point>()).spread());
}

/// Series A: cpev falls from 0.9 to 0.7 while sparsity rises; B is 0.01 below it, and jumps.
std::vector<Record> sample_records() {
  std::vector<Record> records;
  const auto add = [&](const char* series, double sparsity, double cpev, double seconds) {
    records.push_back({.series = series,
                       .pattern = series == std::string("A") ? "1-2; 4" : "312",
                       .values = {{"sparsity", sparsity},
                                  {"cpev", cpev},
                                  {"ev", cpev + 0.01},
                                  {"iteration", std::round(10 * sparsity)},
                                  {"seconds", seconds}}});
  };
  add("A", .5, .9, 1);
  add("A", .6, .8, 2);
  add("A", .7, .7, 4);
  add("B", .5, .89, 10);
  add("B", .6, .85, 10);
  add("B", .7, .69, 10);
  return records;
}

CheckResult result_of(const std::string& check) {
  const std::vector<std::string> series = {"A", "B"};
  const Json object = Json::parse(check);
  return make_check(Fields(object, "check"), series)->evaluate(sample_records());
}

TEST(ReproduceChecks, HoldExactlyWhereTheyShould) {
  const std::vector<std::pair<bool, std::string>> cases = {
      {false, R"({"is": "higher", "field": "cpev", "pairs": [["A", "B"]]})"},  // 2 of 3
      {true, R"({"is": "higher", "field": "cpev", "pairs": [["A", "B"]], "share": 0.6})"},
      {false,
       R"({"is": "higher", "field": "cpev", "pairs": [["A", "B"]], "share": 0.6, "by": 0.02})"},
      {true, R"({"is": "lower", "field": "seconds", "pairs": [["A", "B"]], "times": 2.5})"},
      {false, R"({"is": "lower", "field": "seconds", "pairs": [["A", "B"]], "times": 2.6})"},
      {true, R"({"is": "near", "field": "cpev", "pairs": [["A", "B"]], "by": 0.051})"},
      {false, R"({"is": "near", "field": "cpev", "pairs": [["A", "B"]], "by": 0.049})"},
      {true, R"({"is": "near", "field": "seconds", "pairs": [["A", "B"]], "times": 10})"},
      {true, R"({"is": "falls", "field": "cpev", "series": ["A", "B"], "by": 0.19, "steps": 1})"},
      {false, R"({"is": "rises", "field": "cpev", "series": "A"})"},
      {true, R"({"is": "rises", "field": "seconds", "series": "A", "times": 4})"},
      {false, R"({"is": "rises", "field": "seconds", "series": ["A", "B"]})"},
      {true, R"({"is": "keeps", "field": "seconds", "series": "B", "by": 0})"},
      {false, R"({"is": "keeps", "field": "cpev", "series": "B", "by": 0.1})"},
      {true, R"({"is": "growth", "field": "seconds", "series": "A", "least": 4, "most": 4.2})"},
      {true, R"({"is": "steady", "field": "cpev", "series": ["A", "B"], "most": 0.2001})"},
      {false, R"({"is": "steady", "field": "cpev", "series": ["A", "B"], "most": 0.1})"},
      {true, R"({"is": "slower", "field": "seconds", "pairs": [["B", "A"]], "by": 4})"},
      {false, R"({"is": "slower", "field": "seconds", "pairs": [["A", "B"]]})"},
      {true, R"({"is": "rougher", "field": "cpev", "pairs": [["B", "A"]], "times": 10})"},
      {false, R"({"is": "rougher", "field": "cpev", "pairs": [["A", "B"]]})"},
      {true, R"({"is": "steadier", "field": "seconds", "pairs": [["B", "A"]]})"},
      {true,
       R"({"is": "equal", "field": "cpev", "series": "A", "value": 0.79, "digits": 2, "at": {"iteration": 6}})"},
      {false,
       R"({"is": "equal", "field": "cpev", "series": "A", "value": 0.78, "digits": 2, "at": {"iteration": 6}})"},
      {true,
       R"({"is": "limit", "field": "cpev", "series": ["A", "B"], "least": 0.69, "most": 0.9})"},
      {false, R"({"is": "limit", "field": "cpev", "series": ["A", "B"], "least": 0.7})"},
      {true,
       R"({"is": "limit", "field": "cpev", "series": ["A", "B"], "least": 0.7, "share": 0.6})"},
      {true,
       R"({"is": "fields", "left": "ev", "right": "cpev", "relation": "above", "by": 0.009, "series": "A"})"},
      {false,
       R"({"is": "fields", "left": "ev", "right": "cpev", "relation": "below", "series": "A"})"},
      {true,
       R"({"is": "fields", "left": "ev", "right": "cpev", "relation": "near", "times": 1.02, "series": "A"})"},
      {true, R"({"is": "pattern", "series": "A", "one_of": ["4; 1-2", "5"]})"},
      {false, R"({"is": "pattern", "series": ["A", "B"], "none_of": "123"})"},
      {true,
       R"({"is": "rank", "field": "cpev", "series": "A", "among": "B", "best": "high", "ranks": [1, 1], "at": {"iteration": "last"}})"},
      {false,
       R"({"is": "rank", "field": "cpev", "series": "A", "among": ["B"], "best": "low", "ranks": [1, 1], "at": {"iteration": "first"}})"},
      {true,
       R"({"is": "overall", "series": "A", "among": "B", "high": "cpev", "low": "seconds", "over": "sparsity"})"},
      {false,
       R"({"is": "overall", "series": "B", "among": "A", "high": "cpev", "low": "seconds"})"},
  };
  for (const auto& [holds, check] : cases) {
    const CheckResult checked = result_of(check);
    EXPECT_EQ(checked.holds, holds) << check << ": " << checked.measured;
    EXPECT_NE(checked.measured, "") << check;
  }
}

TEST(ReproduceChecks, SayWhatWasMeasuredAndAsked) {
  EXPECT_EQ(result_of(R"({"is": "higher", "field": "cpev", "pairs": [["A", "B"]]})").measured,
            "CPEV, A beside B: higher at 2 of 3, mean difference -0.0100 (asked: higher at 80 % or "
            "more)");
}

TEST(ReproduceChecks, DoNotHoldIfNothingWasMeasured) {
  EXPECT_FALSE(result_of(R"({"is": "limit", "field": "nor", "series": "A", "most": 1})").holds);
  EXPECT_FALSE(
      result_of(R"({"is": "near", "field": "nor", "pairs": [["A", "B"]], "by": 1})").holds);
  EXPECT_FALSE(result_of(R"({"is": "growth", "field": "nor", "series": "A", "most": 9})").holds);
  EXPECT_FALSE(result_of(R"({"is": "keeps", "field": "nor", "series": "A", "by": 9})").holds);
  EXPECT_FALSE(result_of(R"({"is": "overall", "series": "A", "among": "B", "high": "nor"})").holds);
}

TEST(ReproduceChecks, PatternsAreSetsOfComponents) {
  EXPECT_TRUE(same_pattern("5-10; 1-4,9-10", "1-4,9-10; 5-10"));
  EXPECT_FALSE(same_pattern("5-10; 1-4,9-10", "5-10; 1-4"));
  EXPECT_TRUE(same_pattern("712162", "726112"));
  EXPECT_FALSE(same_pattern("333333", "33333"));
}

TEST(ReproduceChecks, RowsAreComparedToTheirLastDigit) {
  Record printed{.series = "A", .pattern = "21", .values = {{"cpev", 0.8013}, {"nonzeros", 3}}};
  const auto holds = [&](double cpev, double nonzeros, const char* pattern) {
    const std::vector<Record> records = {
        {.series = "A", .pattern = pattern, .values = {{"cpev", cpev}, {"nonzeros", nonzeros}}}};
    return make_row_check("A", printed)->evaluate(records).holds;
  };
  EXPECT_TRUE(holds(0.80134, 3, "12"));
  EXPECT_TRUE(holds(0.80144, 3, "12"));   // 0.8014
  EXPECT_FALSE(holds(0.80151, 3, "12"));  // 0.8015
  EXPECT_FALSE(holds(0.8013, 4, "12"));
  EXPECT_FALSE(holds(0.8013, 3, "30"));
}

/// A declaration that is right, with one part replaced.
std::string declaration(const std::string& part = "", const std::string& replacement = "") {
  std::string text = R"json({"title": "t", "about": "a",
    "data": {"label": "d", "built_in": "@pitprops"},
    "pattern": "cardinalities", "options": {"components": 6, "order": "none"},
    "series": {"S": {"start": "identity", "lambda": ["1/sqrt(p)", 0.3],
                     "paper": {"nonzeros": 18, "pattern": "424332", "cpev": 0.8013}},
               "P": {"method": "pathspca", "nonzeros": 3, "components": [2, "p", "80 %"]}},
    "figures": [{"x": "sparsity", "y": "cpev"}], "table": ["cpev"],
    "claims": [{"claim": "c", "paper": "p", "note": "because",
                "check": {"is": "limit", "series": "S", "field": "cpev", "most": 0.1}}],
    "quick": {"series": {"S": {"lambda": 0.3}}}})json";
  if (!part.empty())
    text.replace(text.find(part), part.size(), replacement);  // throws if not there
  return text;
}

TEST(ReproduceDeclarations, AreRead) {
  const Experiment e = parse_experiment("name", declaration());
  ASSERT_EQ(e.series.size(), 2U);
  EXPECT_EQ(e.series[1].label, "P");
  ASSERT_EQ(e.claims.size(), 2U);  // the row's own, and the declared one
  EXPECT_EQ(e.claims[0].paper, "NZ 18, CPEV 0.8013, pattern 424332");
  EXPECT_EQ(e.figures[0].title, "CPEV");

  const auto explaining = [](double fraction) { return static_cast<Index>(10 * fraction); };
  const std::vector<Options> s = settings_of(e.series[0], 100, explaining);
  ASSERT_EQ(s.size(), 2U);
  EXPECT_DOUBLE_EQ(*s[0].lambda, 0.1);
  EXPECT_DOUBLE_EQ(*s[1].lambda, 0.3);
  EXPECT_EQ(s[0].components, 6);
  const std::vector<Options> p = settings_of(e.series[1], 100, explaining);
  ASSERT_EQ(p.size(), 3U);
  EXPECT_EQ(p[0].components, 2);
  EXPECT_EQ(p[1].components, 100);
  EXPECT_EQ(p[2].components, 8);
  EXPECT_EQ(p[2].method, Method::pathspca);

  EXPECT_EQ(
      settings_of(parse_experiment("name", declaration(), true).series[0], 100, explaining).size(),
      1U);
}

TEST(ReproduceDeclarations, WhatIsWrongIsNamed) {
  struct Case {
    std::string part, replacement, message;
  };
  for (const auto& [part, replacement, message] : std::vector<Case>{
           {"{\"title\"", "\"title\"", "experiment name: it is not JSON"},
           {"\"title\": \"t\", ", "", "experiment name: the field 'title' is missing"},
           {"\"title\": \"t\"", "\"title\": 3",
            "experiment name: title: 3 is not what belongs here"},
           {"\"title\"", "\"titel\": \"t\", \"title\"", "experiment name: unknown field 'titel'"},
           {"\"@pitprops\"", "[]", "experiment name: data: 'built_in' names nothing"},
           {"\"cardinalities\"", "\"x\"", "experiment name: pattern 'x': it must be"},
           {"\"start\"", "\"strat\"", "experiment name: series.S: unknown field 'strat'"},
           {"\"identity\"", "\"idenity\"", "experiment name: series.S: start"},
           {"\"1/sqrt(p)\"", "\"1/sqrt(q)\"", "experiment name: series.S: lambda = 1/sqrt(q)"},
           {"[\"1/sqrt(p)\", 0.3]", "[]", "experiment name: series.S: 'lambda' has no value"},
           {"[\"1/sqrt(p)\", 0.3]", "{}", "experiment name: series.S: lambda = {}"},
           {"\"nonzeros\": 18", "\"nonzero\": 18", "series.S.paper: unknown field 'nonzero'"},
           {"\"y\": \"cpev\"", "\"y\": \"cpve\"", "figures[0].y: no field is called 'cpve'"},
           {"\"y\": \"cpev\"", "\"lines\": \"cpev\", \"series\": \"T\", \"title\": \"t\"",
            "figures[0]: no series is called 'T'"},
           {"[\"cpev\"]", "[\"cpve\"]", "table: no field is called 'cpve'"},
           {"\"is\": \"limit\"", "\"is\": \"limmit\"", "claims[0].check: no check is called"},
           {"\"series\": \"S\"", "\"series\": \"T\"", "claims[0].check: no series is called 'T'"},
           {"\"most\": 0.1", "\"moost\": 0.1", "claims[0].check: give 'least' or 'most'"},
           {"\"most\": 0.1", "\"most\": 0.1, \"x\": 1", "claims[0].check: unknown field 'x'"},
           {"\"claim\": \"c\"", "\"claims\": \"c\"", "claims[0]: the field 'claim' is missing"}})
    EXPECT_HAS(error_of([&] { parse_experiment("name", declaration(part, replacement)); }),
               message);
}

TEST(ReproduceDeclarations, ThoseThatAreCarriedAreRight) {
  const std::vector<std::string> names = experiment_names();
  EXPECT_EQ(names.size(), 15U);
  for (const std::string& name : names)
    for (const bool quick : {false, true}) {
      const Experiment e = declared_experiment(name, quick);
      EXPECT_FALSE(e.claims.empty()) << name;
      EXPECT_TRUE(!e.figures.empty() || !e.table.empty()) << name;
      for (const Claim& claim : e.claims) EXPECT_FALSE(claim.paper.empty()) << claim.claim;
    }
  EXPECT_HAS(error_of([] { declared_experiment("nothing", false); }), "'nothing'");
}

TEST(ReproduceRun, GivesRecordsAndVerdicts) {
  const Experiment e = parse_experiment("name", declaration());
  const Outcome outcome = run(e, {});
  EXPECT_EQ(outcome.data, "@pitprops (covariance of 13 variables)");
  EXPECT_FALSE(outcome.stand_in);
  ASSERT_EQ(outcome.records.size(), 5U);
  const Record& row = outcome.records[0];
  EXPECT_EQ(row.pattern, "424332");
  EXPECT_NEAR(*row.get("cpev"), 0.8013, 0.5e-4);
  EXPECT_NEAR(*row.get("nor"), 0.0181, 0.5e-4);
  EXPECT_EQ(row.get("iterations"), 18);
  EXPECT_GT(*row.get("seconds"), *row.get("seconds_per_iteration"));
  EXPECT_FALSE(row.get("kept"));
  EXPECT_TRUE(outcome.records[1].get("kept"));

  ASSERT_EQ(outcome.claims.size(), 2U);
  EXPECT_TRUE(outcome.claims[0].holds) << outcome.claims[0].measured;
  EXPECT_EQ(outcome.claims[0].note, "");
  EXPECT_FALSE(outcome.claims[1].holds);
  EXPECT_EQ(outcome.claims[1].note, "because");
}

TEST(ReproduceRun, DeflationKeepsItsLoadingsAsTheyBecomeMore) {
  const Outcome outcome = run(parse_experiment("name", declaration()), {});
  EXPECT_NEAR(*outcome.records[3].get("kept"), 1, 1e-9);  // 13 of which the first 2 are those
}

TEST(ReproduceRun, CanBeStopped) {
  const Experiment e = parse_experiment("name", declaration());
  EXPECT_THROW(run(e, {}, [](double) { throw Cancelled(); }), Cancelled);
}

std::string with_file(const std::string& shape) {
  return declaration("\"built_in\": \"@pitprops\"",
                     R"("built_in": "@random:n=20,p=13", "file": "d.csv", "shape": )" + shape);
}

TEST(ReproduceRun, TakesRealDataOrSaysWhatStandsIn) {
  const Experiment e = parse_experiment("name", with_file("[20, 13]"));
  const Outcome without = run(e, {});
  EXPECT_TRUE(without.stand_in);
  EXPECT_EQ(without.data, "@random:n=20,p=13 (20 x 13) in place of d");

  const testing::TemporaryDirectory folder;
  EXPECT_HAS(error_of([&] { run(e, folder / ""); }), "there is no d.csv in it");
  std::string csv;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 13; ++j)
      csv += std::to_string((i * i + 3 * i * j) % 17) + (j < 12 ? "," : "\n");
  folder.file("d.csv", csv);
  const Outcome with = run(e, folder / "");
  EXPECT_FALSE(with.stand_in);
  EXPECT_EQ(with.data, "d, 20 x 13");

  const Experiment other = parse_experiment("name", with_file("[21, 13]"));
  EXPECT_HAS(error_of([&] { run(other, folder / ""); }), "is 20 x 13, but d are 21 x 13");
}

TEST(ReproduceRun, OptionsThatDoNotFitTheDataAreRejected) {
  const Experiment e =
      parse_experiment("name", declaration("\"components\": 6", "\"components\": 60"));
  EXPECT_HAS(error_of([&] { run(e, {}); }), "components = 60");
}

/// The algorithm iteration by iteration is the algorithm.
TEST(ReproduceIterations, EndWhereTheFitEnds) {
  const auto a = make_matrix(load_dataset("patches:n=400,size=8"), {.remove_row_mean = true});
  for (const TruncationType type : {TruncationType::hard, TruncationType::soft,
                                    TruncationType::count, TruncationType::energy}) {
    const Options options{
        .components = 12, .truncation = type, .start = Start::identity, .order = Order::none};
    const Basis basis = principal_basis(*a, 12);
    const Result result = fit(*a, basis, options);
    const std::vector<Record> records = iterations(*a, basis, options);
    ASSERT_EQ(static_cast<Index>(records.size()), result.iterations());
    for (std::size_t t = 0; t < records.size(); ++t) {
      EXPECT_NEAR(*records[t].get("change"), result.history[t].change, 1e-9);
      EXPECT_NEAR(*records[t].get("sparsity"), result.history[t].sparsity, 1e-12);
      EXPECT_NEAR(*records[t].get("truncated_energy"), result.history[t].truncated_energy, 1e-9);
      EXPECT_LE(*records[t].get("ev_dmin"), *records[t].get("ev") + 1e-9);
      EXPECT_LE(*records[t].get("nor"), *records[t].get("nor_relative") + 1e-9);
      EXPECT_LE(*records[t].get("nor"), *records[t].get("nor_bound") + 1e-9);
      EXPECT_GE(*records[t].get("sparsity"), *records[t].get("sparsity_bound") - 1e-9);
    }
    EXPECT_NEAR(*records.back().get("cpev"), result.criteria.cpev, 1e-9);
    EXPECT_NEAR(*records.back().get("nor"), result.criteria.nonorthogonality, 1e-9);

    Options once = options;
    once.method = Method::st;
    once.start.reset();
    EXPECT_NEAR(*records.front().get("cpev"), fit(*a, basis, once).criteria.cpev, 1e-9);
  }
}

TEST(ReproduceDocument, HasWhatThePageNeeds) {
  const Experiment e = parse_experiment("name", declaration());
  const std::vector<Outcome> outcomes = {run(e, {})};
  const json document = json::parse(to_json(outcomes, {"2026-01-02", "a machine", true}));
  EXPECT_EQ(document["spcart"], kVersion);
  EXPECT_EQ(document["kind"], "reproduce");
  EXPECT_EQ(document["date"], "2026-01-02");
  EXPECT_EQ(document["machine"], "a machine");
  EXPECT_EQ(document["quick"], true);
  const json& experiment = document["experiments"][0];
  EXPECT_EQ(experiment["name"], "name");
  EXPECT_EQ(experiment["records"].size(), 5U);
  EXPECT_EQ(experiment["records"][0]["series"], "S");
  EXPECT_NEAR(experiment["records"][0]["cpev"].get<double>(), 0.8013, 0.5e-4);
  EXPECT_EQ(experiment["figures"][0]["x"], "sparsity");
  EXPECT_EQ(experiment["figures"][0]["y_label"], "CPEV");
  EXPECT_EQ(experiment["table"][1]["field"], "cpev");
  EXPECT_TRUE(experiment["images"].is_null());
  EXPECT_EQ(document["claims"], json::parse(claims_json(outcomes))["claims"]);
  EXPECT_EQ(document["claims"][1]["holds"], false);
  EXPECT_EQ(document["claims"][1]["note"], "because");
  EXPECT_TRUE(document["claims"][0]["note"].is_null());
  const auto [holding, all] = tally(outcomes);
  EXPECT_EQ(holding, 1U);
  EXPECT_EQ(all, 2U);
}

TEST(ReproduceDocument, DrawsSeveralFieldsOfOneSeries) {
  const Experiment e = parse_experiment(
      "name",
      declaration("\"y\": \"cpev\"", R"("title": "t", "series": "S", "lines": ["cpev", "ev"])"));
  const std::vector<Outcome> outcomes = {run(e, {})};
  const json experiment = json::parse(to_json(outcomes, {}))["experiments"][0];
  EXPECT_EQ(experiment["figures"][0]["y"], "lines_1");
  ASSERT_EQ(experiment["records"].size(), 9U);  // two more of each field
  EXPECT_EQ(experiment["records"][5]["series"], "CPEV");
  EXPECT_EQ(experiment["records"][5]["lines_1"], experiment["records"][0]["cpev"]);
  EXPECT_EQ(experiment["records"][5]["sparsity"], experiment["records"][0]["sparsity"]);
  EXPECT_EQ(experiment["records"][8]["series"], "EV");
}

TEST(ReproduceDocument, ShowsImages) {
  const Experiment e = parse_experiment("name", R"({"title": "t", "about": "a",
    "data": {"label": "d", "built_in": "@patches:n=200,size=5", "image": [5, 5]},
    "options": {"components": 6}, "series": {"A": {}, "B": {"method": "pca"}}, "table": ["roughness_first"],
    "pictures": {"series": ["A"], "first": 2, "last": 3}})");
  const std::vector<Outcome> outcomes = {run(e, {})};
  const json images = json::parse(to_json(outcomes, {}))["experiments"][0]["images"];
  EXPECT_EQ(images["shape"], json({5, 5}));
  ASSERT_EQ(images["rows"].size(), 1U);
  EXPECT_EQ(images["rows"][0]["label"], "A");
  EXPECT_EQ(images["rows"][0]["loadings"].size(), 5U);
  EXPECT_LT(*outcomes[0].records[1].get("roughness_first"), 4);
}

TEST(ReproduceDocument, MarkdownGivesVerdictsAndReasons) {
  Experiment e = parse_experiment("name", declaration());
  std::vector<Outcome> outcomes = {run(e, {})};
  outcomes[0].claims[1].measured = "|cos| 0.5";
  const std::string page = to_markdown(outcomes, {"2026-01-02", "a machine", false});
  EXPECT_HAS(page, "1 of 2 claims hold. Those that do not are in name (1).");
  EXPECT_HAS(page, "2026-01-02 (a machine)");
  EXPECT_HAS(page, "| c | p | \\|cos\\| 0.5 | **differs**: because |");
  EXPECT_HAS(page, "| S | 18 (18) | 0.8013 (0.8013) | 424332 (424332) |");
}

}  // namespace
}  // namespace spcart::reproduce
