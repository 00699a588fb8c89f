#include "command.hpp"

namespace spcart::testing {
namespace {

/// A fit of many seconds.
std::vector<std::string> long_fit(const std::string& json) {
  return {"fit", "@random:n=4000,p=4000", "-r", "2000", "--json", json, "--tolerance", "0"};
}

TEST(CommandManners, AnInterruptEndsALongFitWithinASecond) {
  const Folder folder;
  for (const int signal : {SIGINT, SIGTERM})
    for (const double delay : {0.3, 2.0}) {
      const Outcome outcome =
          run(long_fit(folder / "r.json"), {.signal = signal, .signal_after = delay});
      EXPECT_EQ(outcome.status, 1) << outcome.err;
      EXPECT_LT(outcome.seconds_after_signal, 1.0);
      EXPECT_EQ(outcome.out, "");
      EXPECT_TRUE(outcome.err.starts_with("spcart: interrupted while ")) << outcome.err;
      EXPECT_TRUE(outcome.err.ends_with("; nothing was written\n")) << outcome.err;
      EXPECT_EQ(folder.list(), std::vector<std::string>{});
    }
}

TEST(CommandManners, AnInterruptEndsWaitingForInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string silent = "/proc/self/fd/" + std::to_string(ends[0]);
  const Outcome outcome = run({"fit", silent}, {.signal = SIGINT, .signal_after = 0.3});
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_LT(outcome.seconds_after_signal, 1.0);
}

TEST(CommandManners, AClosedPipeEndsItQuietly) {
  const Outcome outcome = run({"fit", "@pitprops", "-r", "6"}, {.close_output = true});
  EXPECT_EQ(outcome.signal, SIGPIPE);
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandManners, FilesAreWrittenBeforeTheTable) {
  const Folder folder;
  run({"fit", "@pitprops", "--json", folder / "r.json"}, {.close_output = true});
  EXPECT_TRUE(nlohmann::json::accept(content_of(folder / "r.json")));
}

TEST(CommandManners, QuietSaysNothing) {
  const Folder folder;
  const Outcome outcome = run(
      {"fit", "@pitprops", "-r", "3", "--lambda", "0.99", "--quiet", "--json", folder / "r.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandManners, ProgressNeedsATerminal) {
  const Outcome outcome = run({"fit", "@patches:n=8000", "-r", "9", "--threads", "1"});
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos) << outcome.err;
}

TEST(CommandManners, AloneItShowsItsHelp) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, run({"--help"}).out);
  for (const char* name : {"fit", "evaluate", "transform", "datasets", "info", "demo"})
    EXPECT_NE(outcome.out.find(std::string("\n  ") + name + ' '), std::string::npos) << name;
}

TEST(CommandManners, HelpOfEachCommandHasAnExample) {
  for (const std::string name : {"fit", "evaluate", "transform", "datasets", "info", "demo"}) {
    const Outcome outcome = run({name, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(outcome.out.find("Usage: spcart " + name) != std::string::npos) << outcome.out;
    EXPECT_TRUE(outcome.out.find("Examples:\n  spcart ") != std::string::npos) << outcome.out;
  }
}

TEST(CommandManners, HelpOfFitListsEveryOption) {
  const std::string help = run({"fit", "--help"}).out;
  for (const char* flag :
       {"-r, --components", "--truncation", "--lambda",         "--nonzeros", "--start",
        "--refit",          "--tolerance",  "--max-iterations", "--order",    "--solver",
        "--seed",           "--threads",    "--json",           "--loadings", "--scores",
        "--quiet",          "--covariance", "--no-center",      "--scale",    "--remove-row-mean",
        "--missing",        "--exclude",    "--precision"})
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
}

TEST(CommandManners, PrintsItsVersion) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.out.starts_with("spcart ")) << outcome.out;
}

TEST(CommandManners, AFullDiskIsAnErrorOfItsOwnKind) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not here";
  const Outcome outcome = run({"fit", "@pitprops", "--json", "/dev/full"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.err.starts_with("spcart: error: ")) << outcome.err;
}

TEST(CommandManners, AnUnwritableOutputIsRejectedBeforeTheWork) {
  const Folder folder;
  const std::string json = folder / "missing/r.json";
  const Outcome outcome = run(long_fit(json), {.time_limit = 20});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("missing"), std::string::npos) << outcome.err;
  EXPECT_EQ(folder.list(), std::vector<std::string>{});
}

TEST(CommandManners, OutputsMayNotCollide) {
  const Folder folder;
  const std::string data = folder.write("d.csv", "a,b\n1,2\n2,4.1\n3,5.9\n");
  const std::vector<std::vector<std::string>> calls = {
      {"--json", "-", "--loadings", "-"},
      {"--json", "-", "--loadings", "/dev/stdout"},
      {"--json", folder / "x", "--loadings", folder / "x"},
      {"--json", folder / "x", "--scores", folder / "./x"},
      {"--loadings", data},
  };
  for (const auto& outputs : calls) {
    std::vector<std::string> call = {"fit", data, "-r", "1"};
    call.insert(call.end(), outputs.begin(), outputs.end());
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(outputs[0]), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(folder.list(), std::vector<std::string>{"d.csv"});
  EXPECT_TRUE(content_of(data).starts_with("a,b\n"));
}

TEST(CommandManners, StartsWithoutStandardDescriptors) {
  const Folder folder;
  const std::string gap = folder.write("d.csv", "a,b\n1,2\n2,4.1\n,3\n3,5.9\n");
  EXPECT_EQ(run({"fit", "no.csv"}, {.closed = {2}}).status, 2);
  EXPECT_EQ(run({"fit", "no.csv"}, {.closed = {0, 1, 2}}).status, 2);
  EXPECT_EQ(run({"fit", gap, "-r", "1", "--missing", "drop"}, {.closed = {2}}).status, 0);
  EXPECT_EQ(run({"fit", "@pitprops"}, {.closed = {1}}).status, 1);
  for (const std::vector<int>& closed : {std::vector{0}, std::vector{0, 1, 2}})
    EXPECT_EQ(run({"fit", "-", "-r", "1"}, {.time_limit = 10, .closed = closed}).status, 2);
  const std::string json = folder / "r.json";
  EXPECT_EQ(run({"fit", "@pitprops", "--quiet", "--json", json}, {.closed = {0, 1, 2}}).status, 0);
  EXPECT_TRUE(nlohmann::json::accept(content_of(json)));
}

TEST(CommandManners, InputsAreNotOverwritten) {
  const Folder folder;
  const std::string data = folder.write("d.csv", "a,b\n1,2\n2,4.1\n3,5.9\n");
  const std::string model = folder / "m.json", loadings = folder / "l.csv";
  ASSERT_EQ(run({"fit", data, "-r", "1", "--json", model, "--loadings", loadings}).status, 0);
  for (const auto& call : std::vector<std::vector<std::string>>{
           {"transform", data, "--model", model, "--scores", model},
           {"transform", data, "--model", model, "--scores", data},
           {"evaluate", data, "--loadings", loadings, "--json", loadings}}) {
    const std::string before = content_of(call.back());
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("input"), std::string::npos) << outcome.err;
    EXPECT_EQ(content_of(call.back()), before);
  }
}

TEST(CommandManners, IfOneOutputFailsNoneIsWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not here";
  const Folder folder;
  const Outcome outcome =
      run({"fit", "@pitprops", "--json", folder / "r.json", "--loadings", "/dev/full"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(folder.list(), std::vector<std::string>{});
}

}  // namespace
}  // namespace spcart::testing
