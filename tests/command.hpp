#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "temporary.hpp"

namespace spcart::testing {

/// How a run of the command ended.
struct Outcome {
  int status = -1;  ///< exit status; -1 if a signal ended it
  int signal = 0;   ///< that ended it, or 0
  std::string out, err;
  double seconds = 0;               ///< from start to end
  double seconds_after_signal = 0;  ///< from the signal that was sent to the end
};

/// How the command is run.
struct Surroundings {
  std::string input = {};   ///< its standard input
  double time_limit = 120;  ///< seconds after which it is killed
  int signal = 0;           ///< sent to it `signal_after` seconds after its start
  double signal_after = 0;
  bool close_output = false;     ///< its standard output is a pipe that nobody reads
  std::vector<int> closed = {};  ///< descriptors that it starts without
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< besides LC_ALL=C
};

/// A temporary directory as the command's arguments name it.
class Folder {
 public:
  std::string path() const { return (directory_ / "").parent_path().string(); }
  std::string operator/(std::string_view name) const { return (directory_ / name).string(); }

  std::string write(std::string_view name, std::string_view content) const {
    return directory_.file(name, content).string();
  }

  /// Names of what is in it, hidden files too.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }

 private:
  TemporaryDirectory directory_;
};

/// The child's side of `run`: never returns.
[[noreturn]] inline void become_command(const std::vector<std::string>& arguments,
                                        const Surroundings& surroundings, int in, int out,
                                        int err) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  // They may be ignored if the tests run in the background.
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  setenv("LC_ALL", "C", 1);
  for (const auto& [name, value] : surroundings.environment) setenv(name.c_str(), value.c_str(), 1);
  for (const int descriptor : surroundings.closed) close(descriptor);
  std::string program = SPCART_COMMAND;
  std::vector<char*> words = {program.data()};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

struct Pipe {
  int read = -1, write = -1;

  static Pipe open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    return {ends[0], ends[1]};
  }
};

/// One run of the command: writes its input, reads its output and sends it signals in time.
class Run {
 public:
  Run(const std::vector<std::string>& arguments, const Surroundings& surroundings)
      : surroundings_(surroundings), start_(Clock::now()), signalled_(start_) {
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("no fork");
    if (child_ == 0) {
      if (surroundings.close_output) close(out_.read);
      become_command(arguments, surroundings, in_.read, out_.write, err_.write);
    }
    for (const int end : {in_.read, out_.write, err_.write}) close(end);
    if (surroundings.close_output) close(std::exchange(out_.read, -1));
  }

  Outcome outcome() {
    std::thread writer([this] { write_input(); });
    listen();
    int status = 0;
    waitpid(child_, &status, 0);
    writer.join();
    outcome_.seconds = seconds_since(start_);
    outcome_.seconds_after_signal = seconds_since(signalled_);
    outcome_.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return outcome_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds_since(Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  }

  void write_input() {
    ::signal(SIGPIPE, SIG_IGN);
    std::string_view left = surroundings_.input;
    while (!left.empty()) {
      const ssize_t sent = write(in_.write, left.data(), left.size());
      if (sent <= 0) break;
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    close(in_.write);
  }

  void listen() {
    std::array<pollfd, 2> ends = {{{out_.read, POLLIN, 0}, {err_.read, POLLIN, 0}}};
    const std::array<std::string*, 2> texts = {&outcome_.out, &outcome_.err};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
      send_signals();
      if (poll(ends.data(), ends.size(), 10) <= 0) continue;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i].fd < 0 || ends[i].revents == 0) continue;
        std::array<char, 65536> buffer;
        const ssize_t count = ::read(ends[i].fd, buffer.data(), buffer.size());
        if (count > 0)
          texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
        else
          close(std::exchange(ends[i].fd, -1));
      }
    }
  }

  void send_signals() {
    if (!signal_sent_ && surroundings_.signal != 0 &&
        seconds_since(start_) >= surroundings_.signal_after) {
      kill(child_, surroundings_.signal);
      signalled_ = Clock::now();
      signal_sent_ = true;
    }
    if (!killed_ && seconds_since(start_) > surroundings_.time_limit) {
      kill(child_, SIGKILL);
      killed_ = true;
      ADD_FAILURE() << "the command took longer than " << surroundings_.time_limit << " s";
    }
  }

  const Surroundings& surroundings_;
  Pipe in_ = Pipe::open(), out_ = Pipe::open(), err_ = Pipe::open();
  Clock::time_point start_, signalled_;
  pid_t child_ = -1;
  bool signal_sent_ = false, killed_ = false;
  Outcome outcome_;
};

/// Runs the command and waits for its end.
inline Outcome run(const std::vector<std::string>& arguments,
                   const Surroundings& surroundings = {}) {
  return Run(arguments, surroundings).outcome();
}

/// The JSON that `fit ... --json -` writes, with further arguments.
inline nlohmann::json fit_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "fit");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

}  // namespace spcart::testing
