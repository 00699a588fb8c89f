#include "process/interrupt.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "process/progress.hpp"
#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "spcart/io.hpp"

namespace spcart::command {
namespace {

constexpr int kGraceMilliseconds = 500;
constexpr char kSignal = 's', kDone = 'd';

std::atomic<bool> stop_asked = false;
std::atomic<const char*> activity = "starting";
std::atomic<bool> reported = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait");

std::array<int, 2> wake_pipe = {-1, -1};

std::mutex written_mutex;
std::string written;

extern "C" void ask_to_stop(int) {
  const int saved = errno;
  stop_asked = true;
  [[maybe_unused]] const auto sent = write(wake_pipe[1], &kSignal, 1);
  errno = saved;
}

/// The next byte of the pipe, or none after this many milliseconds (-1: wait forever).
char next_event(int milliseconds) {
  pollfd ready = {wake_pipe[0], POLLIN, 0};
  const int count = poll(&ready, 1, milliseconds);
  char event = 0;
  if (count > 0 && read(wake_pipe[0], &event, 1) == 1) return event;
  return 0;
}

void watch() {
  char event = 0;
  while (event == 0) event = next_event(-1);
  if (event == kSignal) event = next_event(kGraceMilliseconds);
  if (event == kDone) return;
  remove_unfinished_files();
  report_interruption();
  std::_Exit(1);
}

/// Replaces one handler of the signals that end programs by another. A signal that is ignored, as
/// by nohup, stays ignored.
void replace_handlers(void (*before)(int), void (*after)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != before) continue;
    action.sa_handler = after;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

InterruptWatch::InterruptWatch() {
  if (pipe(wake_pipe.data()) != 0) throw std::runtime_error("no pipe could be opened");
  watcher_ = std::thread(watch);
  replace_handlers(SIG_DFL, ask_to_stop);
}

InterruptWatch::~InterruptWatch() {
  replace_handlers(ask_to_stop, SIG_DFL);
  [[maybe_unused]] const auto sent = write(wake_pipe[1], &kDone, 1);
  watcher_.join();
  close(wake_pipe[0]);
  close(wake_pipe[1]);
}

bool interrupted() { return stop_asked; }

void set_activity(const char* doing) { activity = doing; }

void note_written(const std::string& name) {
  const std::scoped_lock lock(written_mutex);
  written += (written.empty() ? "" : ", ") + name;
}

void report_interruption() {
  if (reported.exchange(true)) return;
  Activity::silence();
  const std::scoped_lock lock(written_mutex);
  const std::string outcome =
      written.empty() ? "nothing was written" : fmt::format("already written: {}", written);
  const std::string note = last_note();
  print_error(fmt::format("{}spcart: interrupted while {}{}; {}\n",
                          stderr_is_terminal() ? kEraseLine : "", activity.load(),
                          note.empty() ? "" : fmt::format(" ({})", note), printable(outcome)));
}

}  // namespace spcart::command
