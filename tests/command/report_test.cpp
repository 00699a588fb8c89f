#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace spcart::testing {
namespace {

using Json = nlohmann::json;

/// Reports need the page, which only a build with npm has.
bool has_page() { return run({"info"}).out.find("reports  yes") != std::string::npos; }

#define REQUIRE_PAGE() \
  if (!has_page()) GTEST_SKIP() << "this build has no report page"

std::string bytes_of(std::string_view base64) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    if ((count += 6) < 8) continue;
    out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

std::string unzipped(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    std::array<char, 65536> part;
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(part.data(), part.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

/// Steps become positions again, as in what --json writes.
void restore_positions(Json& value) {
  if (value.is_object() && value.contains("steps")) {
    Json index = Json::array();
    std::int64_t at = 0;
    for (const Json& step : value["steps"]) index.push_back(at += step.get<std::int64_t>());
    value.erase("steps");
    value["index"] = std::move(index);
  }
  if (value.is_structured())
    for (Json& part : value) restore_positions(part);
}

Json document_of(const std::string& page) {
  constexpr std::string_view kPlace = "<script type=\"application/gzip+base64\" id=\"result\">";
  const std::size_t at = page.find(kPlace);
  EXPECT_NE(at, std::string::npos);
  const std::size_t start = at + kPlace.size();
  Json document = Json::parse(
      unzipped(bytes_of(std::string_view(page).substr(start, page.find('<', start) - start))),
      nullptr, false);
  restore_positions(document);
  return document;
}

/// The page that a command writes, and its JSON.
struct Reported {
  std::string page;
  Json document, json;
};

Reported reported(std::vector<std::string> arguments) {
  const Folder folder;
  const std::string page = folder / "r.html", document = folder / "r.json";
  arguments.insert(arguments.end(), {"--report", page, "--json", document, "--quiet"});
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string text = content_of(page);
  return {text, document_of(text), Json::parse(content_of(document), nullptr, false)};
}

/// Everything except what is measured anew in each run.
Json without_measures(Json document) {
  for (const char* field : {"report", "timing", "memory_peak_bytes"}) document.erase(field);
  return document;
}

TEST(CommandReport, HoldsExactlyTheJsonOfItsResult) {
  REQUIRE_PAGE();
  const std::vector<std::pair<std::string, std::vector<std::string>>> calls = {
      {"fit", {"fit", "@pitprops", "-r", "6"}},
      {"path", {"path", "@pitprops", "-r", "3,6", "--truncation", "all", "--points", "5"}},
      {"compare", {"compare", "@pitprops", "-r", "6", "--methods", "spcart,st:soft,pca"}},
      {"choose", {"choose", "@spiked:n=60", "--permutations", "5"}}};
  for (const auto& [kind, call] : calls) {
    SCOPED_TRACE(kind);
    const Reported found = reported(call);
    EXPECT_EQ(found.json["kind"], kind);
    EXPECT_EQ(without_measures(found.document), without_measures(found.json));
    EXPECT_EQ(found.document["report"]["data"], call[1]);
    EXPECT_HAS(found.document["report"]["command"].get<std::string>(),
               "spcart " + kind + ' ' + call[1]);
  }
}

TEST(CommandReport, HasNothingOfTheDataAsText) {
  REQUIRE_PAGE();
  const Folder folder;
  const std::string data = folder.write("hostile.csv",
                                        "\"</script><script>alert(1)</script>\",b,c\n"
                                        "1,2,3\n4,5,7\n7,8,8\n1,0,1\n");
  const Reported found = reported({"fit", data, "-r", "2"});
  EXPECT_EQ(found.document["names"][0], "</script><script>alert(1)</script>");
  EXPECT_EQ(found.page.find("alert(1)"), std::string::npos);
  EXPECT_EQ(found.page.find("hostile.csv"), std::string::npos);
}

TEST(CommandReport, NeedsNoNetwork) {
  REQUIRE_PAGE();
  const std::string page = reported({"fit", "@pitprops"}).page;
  EXPECT_HAS(page, "default-src 'none'");
  EXPECT_HAS(page, "script-src 'sha256-");
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST(CommandReport, ShowsRelationsOfComponentsToEachOtherAndToPca) {
  REQUIRE_PAGE();
  const Json document = reported({"fit", "@pitprops", "-r", "6"}).document;
  const Json& report = document["report"];
  EXPECT_EQ(report["scores"], nullptr);  // of a covariance
  double pca = 0, overlap = 0;
  for (const Json& share : report["pca_variances"]) pca += share.get<double>();
  EXPECT_NEAR(pca, document["criteria"]["cpev_pca"].get<double>(), 1e-12);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < i; ++j)
      overlap += std::abs(report["cosines"][i][j].get<double>()) / 15;
  EXPECT_NEAR(overlap, document["criteria"]["nonorthogonality"].get<double>(), 1e-12);
  EXPECT_EQ(report["angles"].size(), 6U);
  EXPECT_EQ(report["correlations"][2].size(), 6U);
}

TEST(CommandReport, ScoresComeWithLabelsAndNames) {
  REQUIRE_PAGE();
  const Folder folder;
  const std::string data = folder.write("d.csv", "id,x,y,z\na,1,2,3\nb,4,5,7\nc,7,8,8\nd,1,0,1\n");
  const std::string labels = folder.write("l.csv", "kind\n\"one \"\"x\"\"\"\r\ntwo\none\ntwo\n\n");
  const std::string scores = folder / "s.csv";
  const Reported found = reported({"fit", data, "-r", "2", "--labels", labels, "--scores", scores});
  const Json& shown = found.document["report"]["scores"];
  EXPECT_EQ(shown["names"], Json({"a", "b", "c", "d"}));
  EXPECT_EQ(shown["labels"], Json({"one \"x\"", "two", "one", "two"}));
  EXPECT_EQ(shown["index"], Json({0, 1, 2, 3}));
  const std::string text = content_of(scores);
  const double first = std::stod(text.substr(text.find("\na,") + 3));
  EXPECT_NEAR(shown["columns"][0][0].get<double>(), first, 1e-5 * std::abs(first));
}

TEST(CommandReport, LabelsStayWithTheirSamplesWhenOthersAreDropped) {
  REQUIRE_PAGE();
  const Folder folder;
  const std::string labels = folder.write("l.txt", "one\ntwo\nthree\nfour\nfive\n");
  for (const std::string names : {"id,", ""}) {
    const auto row = [&](const char* name, const char* numbers) {
      return (names.empty() ? "" : std::string(name) + ",") + numbers + "\n";
    };
    const std::string data =
        folder.write("d.csv", names + "x,y,z\n" + row("a", "1,2,3") + row("b", "4,,7") +
                                  row("c", "7,8,8") + row("d", "1,0,1") + row("e", "3,0,2"));
    const Reported found =
        reported({"fit", data, "-r", "2", "--labels", labels, "--missing", "drop"});
    const Json& shown = found.document["report"]["scores"];
    EXPECT_EQ(shown["labels"], Json({"one", "three", "four", "five"}));
    if (!names.empty()) EXPECT_EQ(shown["names"], Json({"a", "c", "d", "e"}));
  }
}

TEST(CommandReport, OfManySamplesShowsTheSameChoiceEachTime) {
  REQUIRE_PAGE();
  const std::vector<std::string> call = {"fit", "@random:n=6000,p=5", "-r", "2"};
  const Json index = reported(call).document["report"]["scores"]["index"];
  EXPECT_EQ(index.size(), 5000U);
  EXPECT_EQ(reported(call).document["report"]["scores"]["index"], index);
}

TEST(CommandReport, GivesTheCallOfEachPointOfAPath) {
  REQUIRE_PAGE();
  const Folder folder;
  const Json document =
      reported({"path", "@pitprops", "-r", "6", "--points", "4", "--seed", "3"}).document;
  const Json& calls = document["report"]["calls"];
  ASSERT_EQ(calls.size(), document["points"].size());
  for (std::size_t k = 0; k < calls.size(); ++k) {
    std::vector<std::string> words;
    std::istringstream text(calls[k].get<std::string>());
    for (std::string word; text >> word;)
      words.push_back(word == "loadings.csv" ? folder / "loadings.csv" : word);
    ASSERT_EQ(words[0], "spcart");
    words.erase(words.begin());
    ASSERT_EQ(run(words).status, 0) << calls[k];
    ASSERT_EQ(run({"evaluate", "@pitprops", "--loadings", folder / "loadings.csv", "--json",
                   folder / "criteria.json"})
                  .status,
              0);
    const Json found = Json::parse(content_of(folder / "criteria.json"));
    EXPECT_NEAR(found["cpev"].get<double>(),
                document["points"][k]["criteria"]["cpev"].get<double>(), 1e-12)
        << calls[k];
  }
}

TEST(CommandReport, QuotesTheCallForTheShell) {
  REQUIRE_PAGE();
  const Folder folder;
  const std::string data = folder.write("it's data.csv", "a,b\n1,2\n3,5\n4,4\n");
  const Json document = reported({"fit", data, "-r", "1"}).document;
  EXPECT_HAS(document["report"]["command"].get<std::string>(), "it'\\''s data.csv'");
}

TEST(CommandReport, WrongFlagsAreRejectedWithTheirRule) {
  const Folder folder;
  const std::string page = folder / "r.html";
  const std::string three = folder.write("three.txt", "a\nb\nc\n");
  const auto rejected = [&](std::vector<std::string> arguments, std::string_view words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_HAS(outcome.err, words);
    EXPECT_FALSE(std::filesystem::exists(page));
  };
  rejected({"fit", "@patches", "--image", "13x13"}, "--image 13x13: it is shown in a report");
  rejected({"fit", "@random", "--labels", three}, "--report");
  if (!has_page()) return rejected({"fit", "@pitprops", "--report", page}, "npm");
  rejected({"fit", "@patches", "--image", "13x12", "--report", page},
           "--image 13x12: rows times columns must be 169");
  for (const char* wrong : {"13", "13x", "x13", "13*13", "0x169", "-13x-13", "13x13x1", "1e1x3"})
    rejected({"fit", "@patches", "--image", wrong, "--report", page}, "rows and columns of pixels");
  rejected({"fit", "@random:n=20,p=5", "--labels", three, "--report", page},
           "it has 3 lines for 20 samples");
  rejected({"fit", "@random:n=20,p=5", "--labels", folder / "none", "--report", page},
           "no such file");
  rejected({"fit", "@pitprops", "--labels", three, "--report", page}, "has no samples");
  rejected({"fit", "@pitprops", "--json", page, "--report", page}, "same file");
  rejected({"path", "@pitprops", "--image", "1x13"}, "--image");
}

TEST(CommandReport, TheDemoWritesPagesToLookAt) {
  REQUIRE_PAGE();
  const Folder folder;
  const Outcome outcome = run({"demo", "--out", folder / "demo"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json document = document_of(content_of(folder / "demo/patches.html"));
  EXPECT_EQ(document["report"]["image"], Json({13, 13}));
  EXPECT_HAS(document["report"]["command"].get<std::string>(), "spcart fit @patches -r 16");
  EXPECT_EQ(document_of(content_of(folder / "demo/pitprops-hard.html"))["components"], 6);
}

}  // namespace
}  // namespace spcart::testing
