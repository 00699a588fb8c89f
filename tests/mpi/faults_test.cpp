#include <gtest/gtest.h>
#include <signal.h>

#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "mpi_command.hpp"

namespace spcart::testing {
namespace {

namespace fs = std::filesystem;

/// A table whose spectrum is so flat that the solver restarts many times.
std::string flat_table(const Folder& folder) {
  Matrix s(4000, 240);
  std::uint64_t state = 1;
  for (double& value : s.reshaped()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11) / 9007199254740992.0;
  }
  return folder.write("flat.npy", as_npy(s));
}

/// If eigenvalues are near each other, residuals of 1e-8 allow vectors to differ by more.
constexpr double kFlat = 1e-5;

Words fit_words(const std::string& data, const std::string& checkpoint) {
  return {"fit", data, "-r", "12", "--solver", "slepc", "--checkpoint", checkpoint, "--json", "-"};
}

/// Products that the solver had made when it wrote its state; 0 if there is none.
Index products_in(const fs::path& checkpoint) {
  const std::string text = content_of(checkpoint / "pca.checkpoint");
  const std::size_t begin = text.find('{'), end = text.find('\n', begin);
  if (end == std::string::npos) return 0;
  return json::parse(text.substr(begin, end - begin)).at("products");
}

/// The process of a rank of the command that works on `data`; 0 if there is none.
pid_t process_of_rank(int rank, const std::string& data) {
  const std::string mark = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::isdigit(static_cast<unsigned char>(name[0]))) continue;
    const std::string words = content_of(entry.path() / "cmdline");
    const std::string surroundings = content_of(entry.path() / "environ");
    if (has(words, data) && has(words, "spcart-mpi") && has(surroundings, mark + '\0'))
      return std::stoi(name);
  }
  return 0;
}

/// Calls `act` once the run on `data` has written its first checkpoint.
class OnFirstCheckpoint {
 public:
  OnFirstCheckpoint(const fs::path& checkpoint, std::function<void()> act)
      : watcher_([checkpoint, act = std::move(act)](std::stop_token stop) {
          while (!stop.stop_requested()) {
            if (fs::exists(checkpoint / "pca.checkpoint")) return act();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}

 private:
  std::jthread watcher_;
};

void expect_resumed(const Words& words, const std::string& data, const fs::path& checkpoint) {
  const Index before = products_in(checkpoint);
  EXPECT_GT(before, 0);
  const Outcome resumed = run_on(2, words + Words{"--resume"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_GT(products_in(checkpoint), before);
  const Outcome serial = run_on(0, {"fit", data, "-r", "12", "--json", "-"});
  expect_same_fit(json::parse(resumed.out, nullptr, false), json::parse(serial.out), kFlat);
}

TEST(MpiFaults, ARankThatIsKilledEndsTheRunWhichCanBeResumed) {
  const Folder folder;
  const std::string data = flat_table(folder), checkpoint = folder / "state";
  const Words words = fit_words(data, checkpoint);
  pid_t killed = 0;
  {
    const OnFirstCheckpoint kill_rank(checkpoint, [&] {
      killed = process_of_rank(1, data);
      if (killed > 0) kill(killed, SIGKILL);
    });
    const Outcome outcome = run_on(2, words, {.time_limit = 60});
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_HAS(outcome.err, "rank 1");
    EXPECT_LT(outcome.seconds, 30);
  }
  ASSERT_GT(killed, 0);
  expect_resumed(words, data, checkpoint);
}

TEST(MpiFaults, SigtermToAllLeavesAStateThatCanBeResumed) {
  const Folder folder;
  const std::string data = flat_table(folder), checkpoint = folder / "state";
  const Words words = fit_words(data, checkpoint);
  {
    const OnFirstCheckpoint stop(checkpoint, [&] {
      for (const int rank : {0, 1})
        if (const pid_t process = process_of_rank(rank, data)) kill(process, SIGTERM);
    });
    const Outcome outcome = run_on(2, words, {.time_limit = 60});
    EXPECT_NE(outcome.status, 0);
    EXPECT_HAS(outcome.err, "interrupted while finding principal components");
  }
  expect_resumed(words, data, checkpoint);
}

TEST(MpiFaults, AFullDiskAtTheCheckpointDoesNotEndTheWork) {
  const Folder folder;
  const std::string data = flat_table(folder), checkpoint = folder / "state";
  fs::create_directory(checkpoint);
  fs::create_symlink("/dev/full", fs::path(checkpoint) / "pca.checkpoint");
  const Outcome outcome = run_on(2, fit_words(data, checkpoint));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_HAS(outcome.err, "no checkpoint was written");
  EXPECT_HAS(outcome.err, "No space left on device");
  const Outcome serial = run_on(0, {"fit", data, "-r", "12", "--json", "-"});
  expect_same_fit(json::parse(outcome.out, nullptr, false), json::parse(serial.out), kFlat);
}

TEST(MpiFaults, ACheckpointOfOtherDataOrOptionsIsRejected) {
  const Folder folder;
  const std::string data = flat_table(folder), checkpoint = folder / "state";
  EXPECT_EQ(run_on(2, fit_words(data, checkpoint)).status, 0);
  const auto rejected = [&](const Words& more) {
    const Outcome outcome = run_on(2, fit_words(data, checkpoint) + Words{"--resume"} + more);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_HAS(rejected({"--scale"}), "scaled is false there, and true now");
  EXPECT_HAS(rejected({"--seed", "3"}), "seed is 0 there, and 3 now");
  fs::resize_file(fs::path(checkpoint) / "pca.checkpoint", 3000);
  EXPECT_HAS(rejected({}), "is no checkpoint: it is cut off");
}

TEST(MpiFaults, ResumingWithoutACheckpointIsRejectedBeforeAnythingIsRead) {
  const Folder folder;
  const Outcome outcome = run_on(2, {"fit", folder / "missing.npy", "--resume"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_HAS(outcome.err, "error: --resume: it needs --checkpoint");
}

}  // namespace
}  // namespace spcart::testing
