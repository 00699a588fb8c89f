#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "spcart/io.hpp"
#include "spcart/output.hpp"
#include "spcart/version.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

using nlohmann::json;
using testing::error_of;
using testing::TemporaryDirectory;
using Names = std::vector<std::string>;

const Names kNames{"width", "height", "depth"};

Result sample_result() {
  Result result;
  result.status = Status::converged;
  result.message = "converged";
  result.options.components = 2;
  result.options.refit = 3;
  result.options.seed = 18446744073709551615U;
  result.truncation = {TruncationType::hard, 0.277};
  result.start = Start::varimax;
  result.bounds = {{.name = "sparsity",
                    .source = "Proposition 7",
                    .lower = 0.1,
                    .upper = 0.9,
                    .least = 0.3,
                    .most = 0.5,
                    .applies = false,
                    .reason = "refitted",
                    .tightness = 0.2}};
  result.samples = 180;
  result.variables = 3;
  result.loadings = Matrix{{0.6, 0}, {0.8, 0}, {0, 1}}.sparseView();
  result.rotation = Matrix{{0, 1}, {-1, 0}};
  result.criteria.cpev = 0.8;
  result.criteria.cpev_pca = 0.9;
  result.criteria.ev = 0.81;
  result.criteria.nonorthogonality = 0.01;
  result.criteria.worst_nonorthogonality = 0.02;
  result.criteria.sparsity = {0.5, 0.1, 0.3};
  result.criteria.nonzeros = {2, 1};
  result.criteria.adjusted_variance = Vector{{0.5, 0.3}};
  result.criteria.cpev_gains = Vector{{0.55, 0.25}};
  result.history = {{1.0, 0.2, 0.7, 0.4}, {0.001, 0.1, 0.5, 0.3}};
  result.singular_values = Vector{{3.5, 1.25}};
  result.solver = Solver::gram;
  result.preparation.center = true;
  result.preparation.means = Vector{{1e6, -0.1, 1.0 / 3}};
  result.preparation.scales = Vector{{1, 1, 1}};
  result.threads = 2;
  result.timing = {.read = 0.1,
                   .pca = 0.2,
                   .rotate = 0.3,
                   .refit = 0.4,
                   .refine = 0.2,
                   .search = 0.1,
                   .score = 0.3,
                   .total = 1.5};
  result.warnings = {"careful"};
  return result;
}

TEST(Json, HasEveryFieldOfAResult) {
  const json out = json::parse(to_json(sample_result(), kNames));
  EXPECT_EQ(out["spcart"], std::string(kVersion));
  EXPECT_EQ(out["kind"], "fit");
  EXPECT_EQ(out["method"], "spcart");
  EXPECT_EQ(out["truncation"], (json{{"type", "hard"}, {"lambda", 0.277}}));
  EXPECT_EQ(out["components"], 2);
  EXPECT_EQ(out["samples"], 180);
  EXPECT_EQ(out["variables"], 3);
  EXPECT_EQ(out["names"], json(kNames));
  EXPECT_EQ(out["status"], "converged");
  EXPECT_EQ(out["message"], "converged");
  EXPECT_EQ(out["iterations"], 2);
  EXPECT_EQ(out["warnings"], json({"careful"}));
  EXPECT_EQ(out["loadings"][0], (json{{"index", {0, 1}}, {"value", {0.6, 0.8}}}));
  EXPECT_EQ(out["loadings"][1]["index"], json::array({2}));
  EXPECT_EQ(
      out["history"][1],
      (json{{"change", 0.001}, {"truncated_energy", 0.1}, {"sparsity", 0.5}, {"objective", 0.3}}));
  EXPECT_EQ(out["singular_values"], json({3.5, 1.25}));
  EXPECT_EQ(out["rotation"], (json{{0.0, 1.0}, {-1.0, 0.0}}));
  EXPECT_EQ(out["preparation"]["means"], json({1e6, -0.1, 1.0 / 3}));
  EXPECT_EQ(out["preparation"]["center"], true);
  EXPECT_EQ(out["bounds"], (json{{"sparsity",
                                  {{"source", "Proposition 7"},
                                   {"kind", "absolute"},
                                   {"guaranteed", {0.1, 0.9}},
                                   {"measured", {0.3, 0.5}},
                                   {"applies", false},
                                   {"reason", "refitted"},
                                   {"holds", true},
                                   {"tightness", 0.2}}}}));
  EXPECT_EQ(out["timing"]["total"], 1.5);
  EXPECT_EQ(out["timing"].size(), 10U);
  EXPECT_TRUE(out["search"].is_null());
  EXPECT_GT(out["memory_peak_bytes"], 100000);
  EXPECT_EQ(out["threads"], 2);
  EXPECT_EQ(out["solver"], "gram");
  EXPECT_EQ(out["start"], "varimax");
  EXPECT_EQ(out["options"].size(), option_records().size());
  EXPECT_EQ(out["options"]["refit"], 3);
  EXPECT_EQ(out["options"]["tolerance"], 0.01);
  EXPECT_EQ(out["options"]["method"], "spcart");
  EXPECT_TRUE(out["options"]["ridge"].is_null());
  EXPECT_EQ(out["refit"], 3);
  EXPECT_EQ(out["refine"], 0);
  EXPECT_EQ(out["order"], "variance");
  EXPECT_EQ(out["seed"], 18446744073709551615U);
}

TEST(Json, HasEveryCriterion) {
  const Result result = sample_result();
  const json out = json::parse(to_json(result.criteria));
  EXPECT_EQ(out, json::parse(to_json(result, kNames))["criteria"]);
  EXPECT_EQ(out["cpev"], 0.8);
  EXPECT_EQ(out["cpev_pca"], 0.9);
  EXPECT_EQ(out["share_of_pca"], 0.8 / 0.9);
  EXPECT_EQ(out["ev"], 0.81);
  EXPECT_EQ(out["nonorthogonality"], 0.01);
  EXPECT_EQ(out["worst_nonorthogonality"], 0.02);
  EXPECT_EQ(out["sparsity"], (json{{"mean", 0.5}, {"std", 0.1}, {"min", 0.3}}));
  EXPECT_EQ(out["nonzeros"], json({2, 1}));
  EXPECT_EQ(out["adjusted_variance"], json({0.5, 0.3}));
  EXPECT_EQ(out["cpev_gains"], json({0.55, 0.25}));
}

TEST(Json, IsOneLine) { EXPECT_EQ(to_json(sample_result(), kNames).find('\n'), std::string::npos); }

TEST(Json, HasNullForWhatACovarianceLacks) {
  Result result = sample_result();
  result.samples = std::nullopt;
  const json out = json::parse(to_json(result, kNames));
  EXPECT_TRUE(out["samples"].is_null());
  EXPECT_TRUE(out["preparation"]["means"].is_null());
  EXPECT_TRUE(out["preparation"]["scales"].is_null());
  result.preparation.scale = true;
  EXPECT_EQ(json::parse(to_json(result, kNames))["preparation"]["scales"].size(), 3U);
}

TEST(Json, TakesNamesOfAnyBytes) {
  const Names names{"\xff\xfe", "gr\xc3\xbc\xc3\x9f", "line\n\"quote\"\x01"};
  const json out = json::parse(to_json(sample_result(), names));
  EXPECT_EQ(out["names"][0], "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(out["names"][1], names[1]);
  EXPECT_EQ(out["names"][2], names[2]);
}

TEST(Model, ComesBackExactly) {
  const TemporaryDirectory directory;
  const Result result = sample_result();
  const Model model = read_model(directory.file("r.json", to_json(result, kNames)));
  EXPECT_EQ(Matrix(model.loadings), Matrix(result.loadings));
  EXPECT_EQ(model.variables, kNames);
  EXPECT_EQ(*model.preparation.means, *result.preparation.means);
  EXPECT_EQ(*model.preparation.scales, *result.preparation.scales);
  EXPECT_TRUE(model.preparation.center);
  EXPECT_FALSE(model.preparation.scale);
}

TEST(Model, ComesBackFromACovariance) {
  const TemporaryDirectory directory;
  Result result = sample_result();
  result.samples = std::nullopt;
  const Model model = read_model(directory.file("r.json", to_json(result, kNames)));
  EXPECT_FALSE(model.preparation.means.has_value());
  EXPECT_FALSE(model.preparation.scales.has_value());
}

std::string rejection(const std::string& text) {
  const TemporaryDirectory directory;
  return error_of([&] { read_model(directory.file("r.json", text)); });
}

/// The message for a good result in which one value, given by its pointer, is replaced.
std::string rejection_with(const std::string& pointer, const json& value) {
  json document = json::parse(to_json(sample_result(), kNames));
  document[json::json_pointer(pointer)] = value;
  return rejection(document.dump());
}

TEST(Model, RejectsWhatIsNoResult) {
  EXPECT_HAS(rejection("{"), "r.json: is not JSON");
  EXPECT_HAS(rejection("a,b\n1,2\n"), "r.json: is not JSON");
  EXPECT_HAS(rejection("[1, 2]"), "is not the JSON of a result");
  EXPECT_HAS(rejection("{\"a\": 1}"), "is not the JSON of a result");
  EXPECT_HAS(rejection(""), "is empty");
  EXPECT_HAS(rejection(std::string(100000, '[')), "is not JSON");
  EXPECT_HAS(error_of([] { read_model("/no/such/file.json"); }), "no such file");
}

TEST(Model, RejectsOtherVersions) {
  EXPECT_HAS(rejection_with("/spcart", "17.0.0"), "version '17.0.0'");
  EXPECT_HAS(rejection_with("/spcart", 1), "field 'spcart' must be text");
}

TEST(Model, RejectsEveryBrokenField) {
  EXPECT_HAS(rejection_with("/variables", -1), "field 'variables' must hold whole numbers from 1");
  EXPECT_HAS(rejection_with("/variables", 2.5), "field 'variables'");
  EXPECT_HAS(rejection_with("/variables", 4), "field 'names' has length 3, and must have 4");
  EXPECT_HAS(rejection_with("/variables", 18446744073709551615U), "field 'variables'");
  EXPECT_HAS(rejection_with("/components", 0), "field 'components'");
  EXPECT_HAS(rejection_with("/components", 3), "field 'loadings' has length 2, and must have 3");
  EXPECT_HAS(rejection_with("/names/1", 7), "field 'names' must hold text only");
  EXPECT_HAS(rejection_with("/names", "x"), "field 'names' must be an array");
  EXPECT_HAS(rejection_with("/loadings/1", 7), "field 'loadings[1]' must be an object");
  EXPECT_HAS(rejection_with("/loadings/0/index", {0, 3}), "'loadings[0].index' must hold whole");
  EXPECT_HAS(rejection_with("/loadings/0/index", {-1, 1}), "'loadings[0].index'");
  EXPECT_HAS(rejection_with("/loadings/0/index", {1, 1}), "'loadings[0].index' must ascend");
  EXPECT_HAS(rejection_with("/loadings/0/index", {0}), "'loadings[0].value' has length 2");
  EXPECT_HAS(rejection_with("/loadings/0/value/1", nullptr), "finite numbers");
  EXPECT_HAS(rejection_with("/loadings/0/value/1", 1e300), "'loadings[0].value' has length 1e+300");
  EXPECT_HAS(rejection_with("/loadings/1/value/0", 0.99), "'loadings[1].value' has length 0.99");
  EXPECT_HAS(rejection_with("/preparation", 1), "field 'preparation' must be an object");
  EXPECT_HAS(rejection_with("/preparation/center", "yes"), "'preparation.center' must be true");
  EXPECT_HAS(rejection_with("/preparation/means", {1, 2}), "'preparation.means' has length 2");
  EXPECT_HAS(rejection_with("/preparation/scales/0", -1), "'preparation.scales'");
}

TEST(Model, RejectsFieldsThatAreNotThere) {
  for (const std::string field : {"variables", "components", "names", "loadings", "preparation"}) {
    json document = json::parse(to_json(sample_result(), kNames));
    document.erase(field);
    EXPECT_HAS(rejection(document.dump()), "field '" + field + "' is not there");
  }
}

TEST(Model, IsReadOrRejectedAfterAnyDamageToTheFile) {
  const TemporaryDirectory directory;
  const std::string good = to_json(sample_result(), kNames);
  std::mt19937 random(5);
  for (int round = 0; round < 1500; ++round) {
    const auto path = directory.file("r.json", testing::mutated(good, random));
    try {
      const Model model = read_model(path);
      ASSERT_EQ(static_cast<Index>(model.variables.size()), model.loadings.rows());
    } catch (const Error& error) {
      ASSERT_STRNE(error.what(), "");
    } catch (const std::exception& other) {
      FAIL() << "round " << round << ": " << other.what();
    }
  }
}

TEST(Loadings, ComeFromAResultByName) {
  const TemporaryDirectory directory;
  const auto path = directory.file("r.json", to_json(sample_result(), kNames));
  const Matrix same(read_loadings(path, kNames));
  EXPECT_EQ(same, (Matrix{{0.6, 0}, {0.8, 0}, {0, 1}}));
  const Matrix reordered(read_loadings(path, Names{"depth", "width", "height"}));
  EXPECT_EQ(reordered, (Matrix{{0, 1}, {0.6, 0}, {0.8, 0}}));
  const Matrix unnamed(read_loadings(path, Names{"x1", "x2", "x3"}));
  EXPECT_EQ(unnamed, same);
}

TEST(Loadings, ComeFromATableByNameOrPosition) {
  const TemporaryDirectory directory;
  const auto named = directory.file("named.csv", "v,PC1,PC2\nb,1,2\na,3,0\n");
  EXPECT_EQ(Matrix(read_loadings(named, Names{"a", "b"})), (Matrix{{3, 0}, {1, 2}}));
  EXPECT_EQ(read_loadings(named, Names{"a", "b"}).nonZeros(), 3);
  const auto bare = directory.file("bare.csv", "1,2\n3,0\n");
  EXPECT_EQ(Matrix(read_loadings(bare, Names{"a", "b"})), (Matrix{{1, 2}, {3, 0}}));
  const auto sparse =
      directory.file("x.mtx", "%%MatrixMarket matrix coordinate real general\n2 1 1\n2 1 0.5\n");
  EXPECT_EQ(Matrix(read_loadings(sparse, Names{"a", "b"})), (Matrix{{0}, {0.5}}));
}

TEST(Loadings, MissNothing) {
  const TemporaryDirectory directory;
  const std::string message = error_of([&] {
    read_loadings(directory.file("x.csv", "PC1,PC2\n1,2\n3,NA\n"), Names{"a", "b"});
  });
  EXPECT_HAS(message, "x.csv: row 2, column 2 is missing; loadings must be complete");
  EXPECT_EQ(message.find("--missing"), std::string::npos);
}

using Order = std::vector<Index>;

TEST(MatchVariables, GoesByNameIfTheNamesAreTheSame) {
  EXPECT_EQ(match_variables(Names{"c", "a", "b"}, Names{"a", "b", "c"}, "m"), (Order{2, 0, 1}));
  EXPECT_EQ(match_variables(Names{"x3", "x1", "x2"}, Names{"x1", "x2", "x3"}, "m"),
            (Order{2, 0, 1}));
  EXPECT_EQ(match_variables(Names{"x1", "x2", "x3"}, Names{"x3", "x1", "x2"}, "m"),
            (Order{1, 2, 0}));
}

TEST(MatchVariables, GoesByPositionIfOneSideHasNoNames) {
  EXPECT_EQ(match_variables(Names{"a", "b"}, Names{"x1", "x2"}, "m"), (Order{0, 1}));
  EXPECT_EQ(match_variables(Names{"x1", "x2"}, Names{"a", "b"}, "m"), (Order{0, 1}));
  EXPECT_EQ(match_variables(Names{"a", "a"}, Names{"a", "a"}, "m"), (Order{0, 1}));
}

TEST(MatchVariables, NamesAFewOfMany) {
  const Names many{"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_HAS(error_of([&] { match_variables(Names{"z"}, many, "m"); }),
             "'a', 'b', 'c', 'd', 'e' and 2 more");
}

TEST(Model, IsReorderedAsAWhole) {
  const TemporaryDirectory directory;
  const Result result = sample_result();
  Model model = read_model(directory.file("r.json", to_json(result, kNames)));
  reorder(model, {2, 0, 1});
  EXPECT_EQ(model.variables, (Names{kNames[2], kNames[0], kNames[1]}));
  EXPECT_EQ(Matrix(model.loadings), (Matrix{{0, 1}, {0.6, 0}, {0.8, 0}}));
  const Vector& means = *result.preparation.means;
  EXPECT_EQ(*model.preparation.means, (Vector{{means[2], means[0], means[1]}}));
}

TEST(Loadings, RejectWhatDoesNotMatch) {
  const TemporaryDirectory directory;
  const auto named = directory.file("named.csv", "v,PC1,PC2\nb,1,2\na,3,0\n");
  EXPECT_HAS(error_of([&] { read_loadings(named, kNames); }),
             "named.csv: has variables that the data lacks: 'b', 'a'");
  EXPECT_HAS(error_of([&] {
               read_loadings(named, Names{"a", "c"});
             }),
             "named.csv: has variables that the data lacks: 'b'");
  EXPECT_HAS(error_of([&] {
               read_loadings(named, Names{"a", "b", "c"});
             }),
             "named.csv: lacks variables of the data: 'c'");
  EXPECT_HAS(error_of([&] {
               read_loadings(named, Names{"x1", "x2", "x3"});
             }),
             "named.csv: has 2 variables, and the data has 3");
  EXPECT_HAS(error_of([&] {
               read_loadings(named, Names{"a", "b", "a"});
             }),
             "the data has two variables named 'a'");
  const auto twice = directory.file("twice.csv", "v,PC1\na,1\na,2\n");
  EXPECT_HAS(error_of([&] { read_loadings(twice, Names{"a"}); }), "it has two variables named 'a'");
  EXPECT_EQ(Matrix(read_loadings(twice, Names{"a", "a"})), (Matrix{{1}, {2}}));
}

}  // namespace
}  // namespace spcart
