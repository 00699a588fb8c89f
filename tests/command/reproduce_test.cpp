#include <set>

#include "command.hpp"

namespace spcart::testing {
namespace {

using nlohmann::json;

/// Without real data, even if the environment names it.
Surroundings built_in(double time_limit = 240) {
  return {.time_limit = time_limit, .environment = {{"SPCART_DATA", ""}}};
}

TEST(CommandReproduce, QuicklyRunsEveryExperiment) {
  const Folder folder;
  const Outcome outcome = run({"reproduce", "--quick", "--out", folder / "out"}, built_in());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.ends_with(" of ours\n")) << outcome.out;
  EXPECT_HAS(outcome.out, " claims hold: ");

  const json document = json::parse(content_of(folder / "out/reproduction.json"));
  EXPECT_EQ(document["kind"], "reproduce");
  EXPECT_EQ(document["quick"], true);
  EXPECT_EQ(document["experiments"].size(), 15U);
  for (const json& experiment : document["experiments"]) {
    EXPECT_GT(experiment["records"].size(), 1U) << experiment["name"];
    for (const json& figure : experiment["figures"])
      EXPECT_TRUE(std::ranges::any_of(experiment["records"],
                                      [&](const json& record) {
                                        return record.contains(figure["x"]) &&
                                               record.contains(figure["y"]);
                                      }))
          << experiment["name"] << ": " << figure["title"];
  }

  const json claims = json::parse(content_of(folder / "out/claims.json"))["claims"];
  EXPECT_EQ(claims, document["claims"]);
  std::set<std::string> seen;
  for (const json& claim : claims) {
    seen.insert(claim["experiment"].get<std::string>());
    for (const char* field : {"claim", "paper", "measured"})
      EXPECT_FALSE(claim[field].get<std::string>().empty()) << claim;
    EXPECT_TRUE(claim["holds"].is_boolean()) << claim;
  }
  EXPECT_EQ(seen.size(), 15U);
  EXPECT_HAS(content_of(folder / "out/reproduction.md"), "## Table 4: Pitprops data");
}

/// The printed tables do not depend on the size of the run, nor on the machine.
TEST(CommandReproduce, PrintedTablesComeOut) {
  const Folder folder;
  const Outcome outcome =
      run({"reproduce", "synthetic", "pitprops", "--json", folder / "r.json"}, built_in());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json document = json::parse(content_of(folder / "r.json"));
  // Those that start from a tie, or whose penalty is in units of the authors' program.
  const std::set<std::string> differing = {
      "pitprops: The row of ALSPCA", "pitprops: The row of PathSPCA count",
      "pitprops: The row of rSVD-GP count", "pitprops: All methods are tuned to about 18 nonzeros",
      "pitprops: Of the T-sp methods, SPCArt ranks second by NOR"};
  std::set<std::string> found;
  for (const json& claim : document["claims"]) {
    if (claim["holds"]) continue;
    found.insert(claim["experiment"].get<std::string>() + ": " + claim["claim"].get<std::string>());
    EXPECT_FALSE(claim["note"].is_null()) << claim;
  }
  EXPECT_EQ(found, differing);
}

TEST(CommandReproduce, JsonAloneGoesToStandardOutput) {
  const Outcome outcome = run({"reproduce", "synthetic", "--json", "-"}, built_in());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["experiments"].size(), 1U);
  EXPECT_EQ(run({"reproduce", "synthetic", "--quiet"}, built_in()).out, "");
}

TEST(CommandReproduce, MakesAReport) {
  const Folder folder;
  const Outcome outcome =
      run({"reproduce", "synthetic", "--report", folder / "r.html"}, built_in());
  if (run({"info"}).out.find("reports  yes") == std::string::npos) {
    EXPECT_EQ(outcome.status, 2);
    EXPECT_HAS(outcome.err, "npm");
    return;
  }
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_HAS(content_of(folder / "r.html"), "id=\"result\"");
  run({"reproduce", "synthetic", "--out", folder / "out"}, built_in());
  EXPECT_HAS(content_of(folder / "out/report.html"), "id=\"result\"");
}

TEST(CommandReproduce, ListsItsExperiments) {
  const Outcome outcome = run({"reproduce", "--list"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* name :
       {"synthetic", "pitprops", "convergence", "bounds", "gpower", "block", "rsvd", "others",
        "dimension", "images", "genes", "random", "beyond-images", "beyond-genes", "restarts"})
    EXPECT_HAS(outcome.out, std::string("  ") + name + ' ');
}

TEST(CommandReproduce, AnUnknownNameIsRejectedWithASuggestion) {
  const Outcome near = run({"reproduce", "pitprop"});
  EXPECT_EQ(near.status, 2);
  EXPECT_EQ(near.err, "spcart: error: no experiment is called 'pitprop': did you mean pitprops?\n");
  const Outcome far = run({"reproduce", "everything"});
  EXPECT_EQ(far.status, 2);
  EXPECT_HAS(far.err, "there are synthetic, pitprops");
}

TEST(CommandReproduce, RejectsPlacesThatItCannotWriteTo) {
  const Folder folder;
  const std::string file = folder.write("file", "x");
  for (const std::string& path : {file, file + "/out"}) {
    const Outcome outcome = run({"reproduce", "synthetic", "--out", path}, built_in(20));
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_HAS(outcome.err, "--out " + path);
  }
  EXPECT_EQ(folder.list(), std::vector<std::string>{"file"});
  const Outcome missing =
      run({"reproduce", "synthetic", "--json", folder / "no/r.json"}, built_in(20));
  EXPECT_EQ(missing.status, 2) << missing.err;
}

TEST(CommandReproduce, AnInterruptLeavesNothing) {
  const Folder folder;
  Surroundings surroundings = built_in();
  surroundings.signal = SIGINT;
  surroundings.signal_after = 1.5;
  const Outcome outcome = run({"reproduce", "others", "--out", folder / "out"}, surroundings);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_LT(outcome.seconds_after_signal, 1.0);
  EXPECT_EQ(outcome.err, "spcart: interrupted while reproducing others; nothing was written\n");
  EXPECT_EQ(folder.list(), std::vector<std::string>{});
}

TEST(CommandReproduce, MissingRealDataIsAnError) {
  const Folder folder;
  const Outcome outcome = run({"reproduce", "convergence"},
                              {.time_limit = 20, .environment = {{"SPCART_DATA", folder.path()}}});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_HAS(outcome.err, "there is no bsds_patches_13x13.npy in it");
}

}  // namespace
}  // namespace spcart::testing
