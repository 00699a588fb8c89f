#include "spcart/memory.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <vector>

#include "command.hpp"
#include "numpy_file.hpp"
#include "spcart/io.hpp"
#include "verify.hpp"

namespace spcart::testing {
namespace {

using nlohmann::json;

void expect_same_fit(const json& got, const json& expected) {
  ASSERT_EQ(got["loadings"].size(), expected["loadings"].size());
  for (std::size_t i = 0; i < got["loadings"].size(); ++i) {
    const json &mine = got["loadings"][i], &other = expected["loadings"][i];
    ASSERT_EQ(mine["index"], other["index"]);
    for (std::size_t k = 0; k < mine["value"].size(); ++k)
      EXPECT_NEAR(mine["value"][k].get<double>(), other["value"][k].get<double>(), 1e-9);
  }
  EXPECT_NEAR(got["criteria"]["cpev"].get<double>(), expected["criteria"]["cpev"].get<double>(),
              1e-9);
  EXPECT_EQ(got["names"], expected["names"]);
  EXPECT_EQ(got["samples"], expected["samples"]);
}

/// Bytes that are just enough for this many variables and components, with some in addition.
std::string least(Index variables, Index components, double besides) {
  return std::to_string(least_working_memory(variables, components) +
                        static_cast<std::uint64_t>(besides));
}

/// Three groups of variables that go together, and noise, in single precision.
std::string write_large(const Folder& folder, Index rows, Index cols) {
  const std::string path = folder / "large.npy";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const std::string start = npy_of<float>(Matrix(0, cols), "<f4", false, rows);
  std::fwrite(start.data(), 1, start.size(), file);
  std::uint32_t state = 1;
  std::vector<float> row(static_cast<std::size_t>(cols));
  for (Index i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      state = state * 1664525 + 1013904223;
      row[j] = static_cast<float>(state >> 24) / 256;
      if (j < 60) row[j] += static_cast<float>(i % static_cast<Index>(7 + 4 * (j / 20)));
    }
    std::fwrite(row.data(), sizeof(float), row.size(), file);
  }
  std::fclose(file);
  return path;
}

TEST(CommandMemory, StaysWithinItsBudget) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory counts";
#endif
  const Folder folder;
  const std::string path = write_large(folder, 40000, 1000);  // 160 MB
  for (const char* solver : {"auto", "krylov"}) {
    const json whole = fit_json({path, "-r", "3", "--memory", "2G", "--solver", solver});
    EXPECT_EQ(whole["storage"], "memory");
    const double gram = std::string(solver) == "auto" ? static_cast<double>(gram_memory(1000)) : 0;
    const std::string memory = least(1000, 3, gram);
    EXPECT_GT(whole["memory_peak_bytes"].get<double>(), 1.1 * std::stod(memory))
        << "the test could not fail";
    const json part = fit_json({path, "-r", "3", "--memory", memory, "--solver", solver});
    EXPECT_EQ(part["storage"], "file");
    EXPECT_EQ(part["solver"], gram > 0 ? "gram" : "krylov");
    EXPECT_LE(part["memory_peak_bytes"].get<double>(), 1.1 * std::stod(memory));
    expect_same_fit(part, whole);
  }
}

TEST(CommandMemory, EveryCommandReadsFromFiles) {
  const Folder folder;
  const Matrix m = verify::decaying(9000, 300, 1);  // 21.6 MB
  const std::string path = folder.write("a.npy", npy_of<double>(m, "<f8"));
  const std::string model = folder / "model.json";
  const std::vector<std::string> small = {"--memory", least(300, 2, 10e6)};
  const auto with = [&](std::vector<std::string> arguments) {
    const Outcome memory = run(arguments);
    arguments.insert(arguments.end(), small.begin(), small.end());
    const Outcome file = run(arguments);
    EXPECT_EQ(memory.status, 0) << memory.err;
    EXPECT_EQ(file.status, 0) << file.err;
    return std::pair{memory.out, file.out};
  };
  ASSERT_EQ(run({"fit", path, "-r", "2", "--json", model, "--quiet"}).status, 0);
  const auto [info_memory, info_file] = with({"info", path});
  EXPECT_HAS(info_memory, "dense float64, 21.6 MB\n");
  EXPECT_HAS(info_file, "dense float64, 21.6 MB in a file\n");
  const auto [scores_memory, scores_file] = with({"transform", path, "--model", model});
  const auto numbers = [&](const std::string& csv) {
    return to_matrix(read_table(folder.write("scores.csv", csv)));
  };
  EXPECT_LE((numbers(scores_memory) - numbers(scores_file)).norm(), 1e-9);
  const auto [judged_memory, judged_file] =
      with({"evaluate", path, "--loadings", model, "--json", "-"});
  EXPECT_NEAR(json::parse(judged_memory)["cpev"].get<double>(),
              json::parse(judged_file)["cpev"].get<double>(), 1e-9);
  const auto [compared_memory, compared_file] =
      with({"compare", path, "-r", "2", "--methods", "spcart,tpower", "--csv", "-"});
  EXPECT_EQ(compared_memory.substr(0, compared_memory.find('.')),
            compared_file.substr(0, compared_file.find('.')));
}

TEST(CommandMemory, TextGoesThroughACopyThatIsKeptIfRequested) {
  const Folder folder;
  const std::string text = csv_of(verify::decaying(4000, 100, 1));  // 3.2 MB of numbers
  const std::string path = folder.write("a.csv", text), cache = folder / "cache";
  const json expected = fit_json({path, "-r", "2"});
  const std::string memory = least(100, 2, 1e6);
  const std::vector<std::string> small = {path, "-r", "2", "--memory", memory};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), small.begin(), small.end());
    return fit_json(more);
  };
  const json temporary = with({});
  EXPECT_EQ(temporary["storage"], "file");
  expect_same_fit(temporary, expected);
  const auto copies = [&] {
    return std::distance(std::filesystem::directory_iterator(cache),
                         std::filesystem::directory_iterator());
  };
  expect_same_fit(with({"--cache", cache}), expected);
  EXPECT_EQ(copies(), 1);
  expect_same_fit(with({"--cache", cache}), expected);
  EXPECT_EQ(copies(), 1);

  const Outcome piped =
      run({"fit", "-", "-r", "2", "--memory", memory, "--json", "-", "--cache", cache},
          {.input = text});
  ASSERT_EQ(piped.status, 0) << piped.err;
  expect_same_fit(json::parse(piped.out), expected);
  EXPECT_EQ(copies(), 1) << "a copy of standard input can serve no second time";
}

TEST(CommandMemory, LeavesNothingInTheTemporaryFolder) {
  const Folder folder;
  std::filesystem::create_directory(folder / "tmp");
  const std::string path = folder.write("a.csv", csv_of(verify::decaying(4000, 100, 1)));
  const Surroundings surroundings{.environment = {{"TMPDIR", folder / "tmp"}}};
  const Outcome outcome =
      run({"fit", path, "--memory", least(100, 2, 1e6), "--quiet"}, surroundings);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST(CommandMemory, InterruptedLeavesNoCopy) {
  const Folder folder;
  const std::string cache = folder / "cache";
  const std::string path = folder.write("a.csv", csv_of(verify::random_matrix(30000, 100, 1)));
  for (const double after : {0.1, 0.3, 0.6}) {
    const Outcome outcome =
        run({"fit", path, "--memory", least(100, 2, 1e6), "--cache", cache, "--quiet"},
            {.signal = SIGINT, .signal_after = after});
    if (outcome.status == 0) break;  // it was quicker
    // If it had just started, the signal was not handled yet.
    EXPECT_TRUE(outcome.status == 1 || outcome.signal == SIGINT) << outcome.err;
    if (!std::filesystem::exists(cache)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(cache))
      EXPECT_EQ(entry.path().extension(), ".spcart") << "a copy is there whole or not at all";
  }
}

TEST(CommandMemory, WrongSizesAreNamed) {
  for (const char* wrong : {"", "0", "-5", "2X", "G", "1.5.2G", "nan", "1e300", "2Gx", " 2G"}) {
    const Outcome outcome = run({"fit", "@pitprops", "--memory", wrong});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_HAS(outcome.err, "memory");
  }
  EXPECT_HAS(run({"fit", "@pitprops", "--memory", "2X"}).err,
             "--memory 2X: it must be a number of bytes, or one with a unit as in 500M, 1.5G or "
             "2GiB");
  for (const char* good : {"1000000000", "500M", "1.5G", "2gb", "2GiB", "1T", "1e9", "3000000k"})
    EXPECT_EQ(run({"fit", "@pitprops", "--memory", good, "--quiet"}).status, 0) << good;
}

TEST(CommandMemory, FolderOfCopiesMustBeUsable) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "1,2\n3,4\n5,7\n");
  for (const std::string& wrong : {std::string(), path, folder / "no/such"}) {
    const Outcome outcome = run({"fit", path, "--cache", wrong});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_HAS(outcome.err, "cache");
  }
}

TEST(CommandMemory, TooLittleIsRejectedWithWhatIsNeeded) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "1,2\n3,4\n5,7\n");
  const Outcome outcome = run({"fit", path, "-r", "1", "--memory", "10M"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_HAS(outcome.err, "--memory 10.0 MB: work on 2 variables takes at least");
  const std::string large = folder.write(
      "b.npy", npy_of<std::uint8_t>(verify::random_matrix(50, 6000, 1).cwiseAbs(), "|u1"));
  const Outcome gram = run({"fit", large, "-r", "2", "--memory", "200M", "--solver", "gram"});
  EXPECT_EQ(gram.status, 2);
  EXPECT_HAS(gram.err, "--solver gram: it takes 1.2 GB");
}

}  // namespace
}  // namespace spcart::testing
