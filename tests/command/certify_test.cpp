#include <algorithm>
#include <sstream>

#include "command.hpp"

namespace spcart::testing {
namespace {

using Words = std::vector<std::string>;

constexpr double kRounding = 1e-9;

nlohmann::json json_of(const Words& words) {
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

/// What holds for every certificate, whoever made the loadings.
void expect_consistent(const nlohmann::json& certificate, const nlohmann::json& criteria) {
  ASSERT_TRUE(certificate.is_object());
  const double cpev = certificate.at("cpev").get<double>();
  EXPECT_NEAR(cpev, criteria.at("cpev").get<double>(), kRounding);
  EXPECT_NEAR(certificate.at("cpev_pca").get<double>(), criteria.at("cpev_pca").get<double>(),
              kRounding);
  EXPECT_EQ(certificate.at("nonzeros"), criteria.at("nonzeros"));
  double before = 0;
  Words classes;
  for (const nlohmann::json& bound : certificate.at("bounds")) {
    const std::string& kind = classes.emplace_back(bound.at("components").get<std::string>());
    const double value = bound.at("bound").get<double>();
    EXPECT_GE(value, before - kRounding) << kind << " has more special ones before it";
    EXPECT_LE(value, certificate["cpev_pca"].get<double>() + kRounding) << kind;
    const bool applies = kind == "any" || kind == "oblique" ||
                         (kind == "orthogonal" && certificate.at("orthogonal").get<bool>()) ||
                         (kind == "disjoint" && certificate.at("disjoint").get<bool>());
    if (applies) {
      EXPECT_GE(value, cpev - kRounding) << kind;
    }
    before = value;
  }
  EXPECT_EQ(classes.back(), "any");
  EXPECT_GE(certificate.at("bound").get<double>(), cpev - kRounding);
  EXPECT_NEAR(certificate.at("gap").get<double>(), certificate["bound"].get<double>() / cpev - 1,
              kRounding);
  EXPECT_FALSE(certificate.at("text").empty());
}

TEST(CommandCertify, FitSaysWhatIsProved) {
  const Outcome outcome = run({"fit", "@pitprops", "-r", "2", "--nonzeros", "4", "--certify=1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t proved = outcome.out.find("\n  Proved:\n  - No ");
  ASSERT_NE(proved, std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("This answer explains ", proved), std::string::npos) << outcome.out;
  EXPECT_EQ(run({"fit", "@pitprops", "-r", "2", "--nonzeros", "4"}).out.find("Proved:"),
            std::string::npos);
}

TEST(CommandCertify, FitWritesACertificate) {
  for (const Words& more : {Words{"--nonzeros", "4", "--certify=1"},
                            Words{"--nonzeros", "4", "--overlap", "0", "--certify=1"},
                            Words{"--method", "pca", "--certify"}}) {
    Words words = {"@pitprops", "-r", "2"};
    words.insert(words.end(), more.begin(), more.end());
    const nlohmann::json result = fit_json(words);
    expect_consistent(result.at("certificate"), result.at("criteria"));
  }
  EXPECT_TRUE(fit_json({"@pitprops"}).at("certificate").is_null());
}

TEST(CommandCertify, EvaluateCertifiesLoadingsFromAnywhere) {
  const Folder folder;
  const std::string loadings = folder / "result.json";
  const nlohmann::json fitted = fit_json({"@pitprops", "-r", "2", "--nonzeros", "5"});
  folder.write("result.json", fitted.dump());
  const Words call = {"evaluate", "@pitprops", "--loadings", loadings, "--certify=1"};
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\n  Proved:\n  - No "), std::string::npos) << outcome.out;
  Words with_json = call;
  with_json.insert(with_json.end(), {"--json", "-"});
  const nlohmann::json criteria = json_of(with_json);
  expect_consistent(criteria.at("certificate"), criteria);
}

TEST(CommandCertify, PathHasABoundAtEachPoint) {
  const Words call = {"path", "@pitprops", "-r", "2", "--points", "5", "--certify=1"};
  const std::string table = run(call).out;
  EXPECT_NE(table.find("  orth. bound  "), std::string::npos) << table;
  EXPECT_NE(table.find("\n  orth. bound: proved, no orthogonal components"), std::string::npos)
      << table;
  Words with_json = call;
  with_json.insert(with_json.end(), {"--json", "-"});
  int orthogonal = 0;
  const nlohmann::json path = json_of(with_json);
  for (const nlohmann::json& point : path.at("points")) {
    const nlohmann::json& criteria = point.at("criteria");
    EXPECT_LE(point.at("bound").get<double>(), criteria.at("cpev_pca").get<double>() + kRounding);
    if (criteria.at("nonorthogonality").get<double>() > kRounding) continue;
    EXPECT_GE(point["bound"].get<double>(), criteria.at("cpev").get<double>() - kRounding);
    ++orthogonal;
  }
  EXPECT_GT(orthogonal, 1);
}

TEST(CommandCertify, PathWritesBoundsToCsv) {
  const Words call = {"path", "@pitprops", "-r", "2", "--points", "5", "--csv", "-"};
  EXPECT_EQ(run(call).out.find("bound"), std::string::npos);
  Words certified = call;
  certified.emplace_back("--certify=1");
  const std::string csv = run(certified).out;
  EXPECT_NE(csv.find(",status,bound\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("converged,0."), std::string::npos) << csv;
}

/// The words of a call without quotes, after the name of the program.
Words words_of(const std::string& call) {
  std::istringstream stream(call);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  words.erase(words.begin());
  return words;
}

TEST(CommandCertify, TheCallThatPathPrintsGivesItsPoint) {
  const Folder folder;
  const std::string table =
      run({"path", "@pitprops", "-r", "2", "--points", "5", "--certify=1"}).out;
  const std::size_t knee = table.find("The knee: ");
  ASSERT_NE(knee, std::string::npos) << table;
  const std::size_t begin = table.find("spcart path ", knee), end = table.find('\n', begin);
  Words call = words_of(table.substr(begin, end - begin));
  EXPECT_NE(std::ranges::find(call, "--certify=1"), call.end()) << table;
  ASSERT_EQ(call.back(), "loadings.csv");
  call.back() = folder / "loadings.csv";
  const Outcome again = run(call);
  EXPECT_EQ(again.status, 0) << again.err;
  const std::size_t row = table.rfind('\n', table.find("< knee")) + 1;
  EXPECT_NE(again.out.find(table.substr(row, table.find('\n', row) - row)), std::string::npos)
      << again.out;
  EXPECT_EQ(folder.list(), Words{"loadings.csv"});
}

TEST(CommandCertify, RejectsWhatIsNoTime) {
  const Folder folder;
  const std::string loadings = folder.write("x.csv", "1\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n");
  for (const Words& command : {Words{"fit", "@pitprops"}, Words{"path", "@pitprops"},
                               Words{"evaluate", "@pitprops", "--loadings", loadings}}) {
    const auto error_with = [&](const Words& more) {
      Words words = command;
      words.insert(words.end(), more.begin(), more.end());
      const Outcome outcome = run(words);
      EXPECT_EQ(outcome.status, 2);
      EXPECT_EQ(outcome.out, "");
      return outcome.err;
    };
    for (const char* time : {"0", "-1", "inf"})
      EXPECT_NE(error_with({"--certify=" + std::string(time)})
                    .find("--certify " + std::string(time) + ": a number of seconds must be"),
                std::string::npos)
          << time;
    EXPECT_NE(error_with({"--certify=abc"}).find("--certify abc: it must be a number"),
              std::string::npos);
    const std::string apart = error_with({"--certify", "2"});
    EXPECT_NE(apart.find("unknown argument '2': did you mean --certify=2?"), std::string::npos)
        << apart;
  }
  const std::string before = run({"fit", "--certify", "2", "@pitprops"}).err;
  EXPECT_NE(before.find("did you mean --certify=2?"), std::string::npos) << before;
}

TEST(CommandCertify, HelpShowsThatItsValueIsOptional) {
  for (const char* command : {"fit", "path", "evaluate"})
    EXPECT_NE(run({command, "--help"}).out.find("\n  --certify[=SECONDS] "), std::string::npos)
        << command;
}

TEST(CommandCertify, RejectsAnIndefiniteCovarianceAsWithoutIt) {
  const Folder folder;
  const std::string data = folder.write("c.csv", "a,b,c\n1,0.9,-0.9\n0.9,1,0.9\n-0.9,0.9,1\n");
  const Words call = {"fit", data, "--covariance", "-r", "1"};
  Words certified = call;
  certified.emplace_back("--certify=1");
  const Outcome expected = run(call), found = run(certified);
  EXPECT_EQ(expected.status, 2);
  EXPECT_EQ(found.status, 2);
  EXPECT_EQ(found.err, expected.err);
}

}  // namespace
}  // namespace spcart::testing
