#include <cmath>
#include <sstream>

#include "command.hpp"
#include "spcart/io.hpp"
#include "spcart/methods.hpp"
#include "spcart/names.hpp"

namespace spcart::testing {
namespace {

using Json = nlohmann::json;

/// To the four digits that the paper prints.
void expect_figure(double found, double paper) {
  EXPECT_EQ(std::round(found * 1e4), std::round(paper * 1e4)) << found << " is not " << paper;
}

std::vector<std::vector<int>> supports(const Json& result) {
  std::vector<std::vector<int>> supports;
  for (const Json& loading : result["loadings"]) supports.push_back(loading["index"]);
  return supports;
}

struct SyntheticRow {
  std::vector<std::string> truncation;
  std::vector<std::vector<int>> supports;
  double cpev;
};

TEST(CommandFit, ReproducesThePapersSyntheticTable) {
  const std::vector<int> first = {4, 5, 6, 7, 8, 9};
  const std::vector<SyntheticRow> rows = {
      {{"--truncation", "hard"}, {first, {0, 1, 2, 3}}, .9848},
      {{"--truncation", "l1"}, {first, {0, 1, 2, 3}}, .9728},
      {{"--truncation", "count", "--lambda", "4"}, {first, {0, 1, 2, 3, 8, 9}}, .9968},
      {{"--truncation", "energy", "--lambda", ".1"}, {first, {0, 1, 2, 3}}, .9848},
  };
  for (const SyntheticRow& row : rows) {
    std::vector<std::string> arguments = {"@synthetic", "-r", "2", "--start", "identity"};
    arguments.insert(arguments.end(), row.truncation.begin(), row.truncation.end());
    const Json result = fit_json(arguments);
    EXPECT_EQ(supports(result), row.supports);
    expect_figure(result["criteria"]["cpev"], row.cpev);
    expect_figure(result["criteria"]["cpev_pca"], .9973);
  }
}

void expect_pitprops(const Json& result, double std, double nor, double cpev) {
  const Json& criteria = result["criteria"];
  int nonzeros = 0;
  for (const int count : criteria["nonzeros"]) nonzeros += count;
  EXPECT_EQ(nonzeros, 18);
  expect_figure(criteria["sparsity"]["std"], std);
  expect_figure(criteria["nonorthogonality"], nor);
  expect_figure(criteria["cpev"], cpev);
  expect_figure(criteria["cpev_pca"], .8700);
}

TEST(CommandFit, ReproducesThePapersPitpropsTable) {
  expect_pitprops(fit_json({"@pitprops", "-r", "6", "--start", "identity"}), .0688, .0181, .8013);
  expect_pitprops(fit_json({"@pitprops", "-r", "6", "--start", "identity", "--truncation", "count",
                            "--lambda", "10"}),
                  0, .0428, .7514);
  expect_pitprops(
      fit_json({"@pitprops", "-r6", "--start=identity", "--nonzeros", "3", "--effort", "none"}), 0,
      .0428, .7514);
}

TEST(CommandFit, KeepsTheMethodsOwnOrderWhenAsked) {
  const Json result = fit_json({"@pitprops", "-r", "6", "--start", "identity", "--order", "none"});
  EXPECT_EQ(result["criteria"]["nonzeros"], Json({4, 2, 4, 3, 3, 2}));
}

TEST(CommandFit, PrintsATableForAPerson) {
  const Outcome outcome = run({"fit", "@pitprops", "-r", "6"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* word :
       {"@pitprops", "covariance of 13 variables", "6 sparse components", "PC6", "nonzeros",
        "topdiam +0.", "CPEV", "of PCA's 87.00 %", "NOR", "sparsity", "converged in"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is not in\n" << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << "colour without a terminal";
}

/// Of methods with a penalty too, a count is a number of zeros.
TEST(CommandFit, SaysHowManyZerosACountLeaves) {
  for (const char* method : {"spcart", "tpower", "spca", "dspca"}) {
    const Outcome outcome = run({"fit", "@pitprops", "--method", method, "--truncation", "count",
                                 "--nonzeros", "5", "--effort", "none"});
    EXPECT_NE(outcome.out.find(std::string(" by ") + method + ", 8 zeros per component\n"),
              std::string::npos)
        << outcome.out << outcome.err;
  }
}

TEST(CommandFit, ShowsSomeVariablesOrAll) {
  const std::vector<std::string> call = {"fit", "@random:n=50,p=40", "--lambda", "0"};
  const Outcome some = run(call);
  EXPECT_NE(some.out.find("and 28 more"), std::string::npos) << some.out;
  std::vector<std::string> all_call = call;
  all_call.push_back("--all");
  const Outcome all = run(all_call);
  EXPECT_EQ(all.out.find("more"), std::string::npos) << all.out;
}

TEST(CommandFit, KeepsItsLinesWithinAHundredColumns) {
  const Outcome outcome = run({"fit", "@patches:n=300", "-r", "70", "--start", "identity",
                               "--max-iterations", "9", "--threads", "1"});
  std::istringstream lines(outcome.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100) << line;
  EXPECT_LT(count, 80);
}

TEST(CommandFit, ReadsStandardInput) {
  const Outcome outcome = run({"fit", "-", "-r", "1", "--loadings", "-"},
                              {.input = "height,weight\n1,2\n2,4.1\n3,5.9\n4,8\n"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("height"), std::string::npos);
  EXPECT_NE(outcome.out.find("PC1"), std::string::npos);
}

TEST(CommandFit, WritesNothingElseIfAnOutputIsStandardOutput) {
  const Outcome outcome = run({"fit", "@pitprops", "--json", "-"});
  EXPECT_TRUE(Json::accept(outcome.out)) << outcome.out;
}

TEST(CommandFit, NeverShowsControlCharactersOfNames) {
  const Outcome outcome = run({"fit", "-", "-r", "1", "--lambda", "0"},
                              {.input = "\x1b[31mred,b\n1,2\n2,4.1\n3,5.9\n4,8\n"});
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.out.find("\\x1b[31mred"), std::string::npos) << outcome.out;
}

TEST(CommandFit, WarnsOfASquareSymmetricTable) {
  const std::string table = "a,b\n2,1\n1,2\n";
  const Outcome plain = run({"fit", "-", "-r", "1", "--lambda", "0"}, {.input = table});
  EXPECT_NE(plain.err.find("--covariance"), std::string::npos) << plain.err;
  const Outcome covariance =
      run({"fit", "-", "-r", "1", "--lambda", "0", "--covariance"}, {.input = table});
  EXPECT_EQ(covariance.err, "");
}

TEST(CommandFit, HandlesMissingCellsWhenAsked) {
  const std::string table = "a,b\n1,2\n2,\n3,5.9\n4,8\n";
  for (const char* how : {"drop", "mean"}) {
    const Outcome outcome = run({"fit", "-", "-r", "1", "--missing", how}, {.input = table});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_HAS(outcome.err, "spcart: note: 1 ");
  }
}

TEST(CommandFit, GivesAConstantColumnZerosAndAWarning) {
  const Outcome outcome = run({"fit", "-", "-r", "1", "--scale", "--loadings", "-"},
                              {.input = "a,b,c\n1,7,2\n2,7,4.1\n3,7,5.9\n4,7,8\n"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("b,0\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("warning"), std::string::npos) << outcome.err;
}

TEST(CommandFit, GivesEmptiedLoadingsZerosAndAWarning) {
  const Outcome outcome = run({"fit", "@pitprops", "-r", "3", "--lambda", "0.99", "--json", "-"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("warning"), std::string::npos) << outcome.err;
  const Json criteria = Json::parse(outcome.out)["criteria"];
  EXPECT_EQ(criteria.dump().find("null"), std::string::npos) << "a figure is no number";
}

TEST(CommandEvaluate, EvaluatesWhatFitWroteAsFitDid) {
  const Folder folder;
  const std::string json = folder / "r.json", csv = folder / "x.csv";
  ASSERT_EQ(run({"fit", "@pitprops", "-r", "6", "--json", json, "--loadings", csv}).status, 0);
  const Json fitted = Json::parse(content_of(json))["criteria"];
  for (const std::string& loadings : {json, csv}) {
    const Outcome outcome = run({"evaluate", "@pitprops", "--loadings", loadings, "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json evaluated = Json::parse(outcome.out);
    for (const char* key : {"cpev", "cpev_pca", "ev", "nonorthogonality"})
      EXPECT_NEAR(evaluated[key].get<double>(), fitted[key].get<double>(), 1e-12) << key;
    EXPECT_EQ(evaluated["nonzeros"], fitted["nonzeros"]);
  }
}

TEST(CommandEvaluate, PrintsTheCriteriaWithTheirDefinitions) {
  const Folder folder;
  const std::string csv = folder / "x.csv";
  ASSERT_EQ(run({"fit", "@pitprops", "--loadings", csv, "--quiet"}).status, 0);
  const Outcome outcome = run({"evaluate", "@pitprops", "--loadings", csv});
  for (const char* word : {"CPEV", "share of PCA", "EV", "NOR", "mean |cosine|", "sparsity", "PC2"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is not in\n" << outcome.out;
}

class CommandTransform : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = folder_.write("data.csv", "a,b,c\n1,5,2\n2,3,4.5\n3,9,5.5\n4,1,8\n6,2,7\n");
    const Outcome outcome = run(
        {"fit", data_, "-r", "2", "--scale", "--json", model_, "--scores", folder_ / "scores.csv"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    scores_ = content_of(folder_ / "scores.csv");
  }

  Outcome transform(const std::string& table) {
    return run({"transform", "-", "--model", model_}, {.input = table});
  }

  Folder folder_;
  std::string model_ = folder_ / "model.json", data_, scores_;
};

TEST_F(CommandTransform, GivesTheScoresOfTheFit) {
  EXPECT_EQ(run({"transform", data_, "--model", model_}).out, scores_);
}

TEST_F(CommandTransform, MatchesVariablesByName) {
  const Outcome outcome = transform("c,a,b\n2,1,5\n4.5,2,3\n5.5,3,9\n8,4,1\n7,6,2\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream ours(outcome.out), theirs(scores_);
  for (std::string a, b; std::getline(ours, a) && std::getline(theirs, b);)
    EXPECT_EQ(a.substr(0, 8), b.substr(0, 8));
}

TEST_F(CommandTransform, TakesASingleSample) {
  const Outcome outcome = transform("a,b,c\n2,3,4.5\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(scores_);
  std::string expected;
  for (int i = 0; i < 3; ++i) std::getline(lines, expected);
  const std::string found = outcome.out.substr(outcome.out.find('\n') + 1);
  EXPECT_NEAR(std::stod(found.substr(found.rfind(',') + 1)),
              std::stod(expected.substr(expected.rfind(',') + 1)), 1e-12);
}

TEST_F(CommandTransform, NamesVariablesThatAreMissingOrUnknown) {
  const Outcome missing = transform("a,b,d\n2,3,4.5\n");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("'c'"), std::string::npos) << missing.err;
  const Outcome extra = transform("a,b,c,d\n2,3,4.5,1\n");
  EXPECT_EQ(extra.status, 2);
  EXPECT_NE(extra.err.find("'d'"), std::string::npos) << extra.err;
  const Outcome fewer = transform("2,3\n3,4\n");
  EXPECT_EQ(fewer.status, 2);
  EXPECT_EQ(fewer.out, "");
}

TEST_F(CommandTransform, RejectsACovariance) {
  const Outcome outcome = run({"transform", "@pitprops", "--model", model_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("covariance"), std::string::npos) << outcome.err;
}

TEST(CommandDatasets, ListsAndExports) {
  const Folder folder;
  const Outcome list = run({"datasets"});
  for (const char* name : {"@pitprops", "@synthetic", "@random", "@spiked", "@patches"})
    EXPECT_NE(list.out.find(name), std::string::npos) << name;
  const std::string csv = folder / "p.csv";
  ASSERT_EQ(run({"datasets", "pitprops", "--csv", csv}).status, 0);
  const Json exported = fit_json({csv, "--covariance", "-r", "6"});
  const Json built_in = fit_json({"@pitprops", "-r", "6"});
  EXPECT_EQ(exported["loadings"], built_in["loadings"]);
  EXPECT_EQ(exported["names"], built_in["names"]);
}

TEST(CommandInfo, ReportsWhatWasRead) {
  const Outcome outcome = run({"info", "-"}, {.input = "a,b,c\n1,0,7\n2,-5,7\n3,9,7\n"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* word : {"3 samples x 3 variables", "dense float64", "-5 to 9", "a, b, c"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is not in\n" << outcome.out;
  EXPECT_NE(outcome.out.find("constant   c"), std::string::npos) << outcome.out;
  const Outcome gap = run({"info", "-"}, {.input = "a,b\n1,0\n,3\n3,9\n"});
  EXPECT_NE(gap.out.find("missing"), std::string::npos) << gap.out << gap.err;
  EXPECT_NE(run({"info"}).out.find("BLAS"), std::string::npos);
}

TEST(CommandDemo, ShowsThePapersFiguresAndWritesItsResults) {
  const Folder folder;
  const std::string out = folder / "new/results";
  const Outcome outcome = run({"demo", "--out", out});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* word :
       {"0.9848 (0.9848)", "0.9728 (0.9728)", "0.9968 (0.9968)", "5-10; 1-4,9-10 (5-10; 1-4,9-10)",
        "18 (18)", "0.0688 (0.0688)", "0.0181 (0.0181)", "0.8013 (0.8013)", "0.7514 (0.7514)",
        "SPCArt", "Try next"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is not in\n" << outcome.out;
  EXPECT_TRUE(Json::accept(content_of(out + "/pitprops-hard.json")));
  EXPECT_TRUE(Json::accept(content_of(out + "/patches.json")));
}

/// Scores and CPEV must not depend on the order of the columns.
void expect_matched_by_name(const std::string& header, const std::string& reordered) {
  const Folder folder;
  const std::string data = folder.write("d.csv", header + "\n1,2,3\n2,4.1,1\n3,5.9,7\n4,7,2\n");
  const std::string other = folder.write("o.csv", reordered + "\n3,2,1\n1,4.1,2\n7,5.9,3\n2,7,4\n");
  const std::string model = folder / "m.json", loadings = folder / "l.csv";
  const Outcome fitted = run({"fit", data, "-r", "2", "--json", model, "--loadings", loadings,
                              "--scores", "-", "--start", "identity", "--lambda", "0.1"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const Outcome same = run({"transform", other, "--model", model});
  ASSERT_EQ(same.status, 0) << same.err;
  const Matrix scores = to_matrix(read_table(folder.write("scores.csv", same.out)));
  const Matrix expected = to_matrix(read_table(folder.write("expected.csv", fitted.out)));
  EXPECT_LT((scores - expected).cwiseAbs().maxCoeff(), 1e-12);
  for (const std::string& file : {model, loadings}) {
    const auto cpev = [&](const std::string& source) {
      const Outcome outcome = run({"evaluate", source, "--loadings", file, "--json", "-"});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return nlohmann::json::parse(outcome.out, nullptr, false)["cpev"].get<double>();
    };
    EXPECT_NEAR(cpev(other), cpev(data), 1e-12);
  }
}

TEST(CommandFit, VariablesAreMatchedByNameEvenIfTheNamesLookLikeNone) {
  expect_matched_by_name("a,b,c", "c,b,a");
  expect_matched_by_name("x1,x2,x3", "x3,x2,x1");
  expect_matched_by_name("x3,x2,x1", "x1,x2,x3");
}

TEST(CommandFit, NamesInLatin1ComeBack) {
  const Folder folder;
  const std::string data = folder.write("d.csv", "\xe4,\xf6x,b\n1,2,3\n2,4.1,1\n3,5.9,7\n4,7,2\n");
  const std::string model = folder / "m.json";
  const Outcome fitted = run({"fit", data, "-r", "1", "--json", model, "--scores", "-"});
  const Outcome again = run({"transform", data, "--model", model});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, fitted.out);
  EXPECT_EQ(run({"evaluate", data, "--loadings", model}).status, 0);
}

TEST(CommandFit, AModelOfACovarianceDoesNotCentre) {
  const Folder folder;
  const std::string covariance = folder.write("c.csv", "a,b\n4,1\n1,9\n");
  const std::string sample = folder.write("s.csv", "a,b\n2,6\n");
  const std::string model = folder / "m.json";
  ASSERT_EQ(run({"fit", covariance, "--covariance", "--scale", "--nonzeros", "1", "--json", model})
                .status,
            0);
  const Outcome outcome = run({"transform", sample, "--model", model});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("not centred"), std::string::npos) << outcome.err;
  const std::string numbers = outcome.out.substr(outcome.out.find('\n') + 1);
  EXPECT_TRUE(numbers == "1,2\n" || numbers == "2,1\n") << outcome.out;
}

TEST(CommandFit, ShowsBoundsBesideWhatWasMeasured) {
  const Outcome outcome = run({"fit", "@pitprops", "-r", "6", "--bounds"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"measure", "guaranteed", "tightness", "sparsity", "NOR relative",
                           "EV dmin", "Thm 12", "holds"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  EXPECT_EQ(outcome.out.find("FAILS"), std::string::npos);
  const Outcome refitted = run({"fit", "@pitprops", "-r", "6", "--bounds", "--refit", "2"});
  EXPECT_NE(refitted.out.find("does not apply"), std::string::npos);
}

/// 5000 x 5000 numbers would be 200 MB.
TEST(CommandFit, FormsNoMatrixOfVariablesByVariables) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory is counted too";
#endif
  for (const MethodRecord& record : method_records()) {
    if (record.proves) continue;  // it needs S of the variables that it cannot rule out
    std::vector<std::string> call = {
        "@spiked:n=40,p=5000",           "-r", "3", "--max-iterations", "5", "--method",
        std::string(name(record.method))};
    if (has(record, TruncationType::count)) call.insert(call.end(), {"--nonzeros", "20"});
    const Json result = fit_json(call);
    EXPECT_LT(result["memory_peak_bytes"], 100e6) << name(record.method);
  }
}

}  // namespace
}  // namespace spcart::testing
