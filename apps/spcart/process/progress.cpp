#include "process/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "process/interrupt.hpp"
#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "spcart/error.hpp"

namespace spcart::command {
namespace {

using std::chrono::milliseconds;
constexpr double kUnknown = -1;
constexpr milliseconds kPatience{500}, kInterval{100};

std::atomic<const char*> stage = "";
std::atomic<double> finished = kUnknown;

std::mutex line_mutex;
bool line_shown = false, silent = false;
std::string note;  ///< of the work, in place of its fraction

const char* words(std::string_view stage_name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 11> kWords = {{
      {"pca", "finding principal components"},
      {"rotate", "finding sparse components"},
      {"refit", "refitting"},
      {"refine", "refining"},
      {"search", "searching for better ones"},
      {"score", "evaluating the components"},
      {"certify", "proving what is possible"},
      {"permute", "permuting columns"},
      {"read", "counting variables to read"},
      {"validate", "cross-validating"},
      {"bootstrap", "fitting resamples"},
  }};
  for (const auto& [name, text] : kWords)
    if (name == stage_name) return text;
  return "fitting";
}

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

std::string bar(double fraction) {
  constexpr int kWidth = 24;
  const int full = static_cast<int>(fraction * kWidth);
  const bool utf8 = terminal().utf8;
  return fmt::format("{}{} {:3.0f} %", repeated(utf8 ? "━" : "#", full),
                     repeated(utf8 ? "─" : ".", kWidth - full), 100 * fraction);
}

void draw() {
  const std::scoped_lock lock(line_mutex);
  if (silent) return;
  const double fraction = finished;
  const std::string line = fmt::format("{:<28} {}", stage.load(),
                                       !note.empty()  ? printable(note)
                                       : fraction < 0 ? "..."
                                                      : bar(std::min(fraction, 1.0)));
  // A line that wraps could not be erased.
  print_error(fmt::format("{}{}", kEraseLine, clipped(line, stderr_width() - 1)));
  line_shown = true;
}

void erase() {
  const std::scoped_lock lock(line_mutex);
  if (std::exchange(line_shown, false)) print_error(kEraseLine);
}

void draw_until_stopped(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  const auto asked = [&stop] { return stop.stop_requested(); };
  for (auto wait = kPatience; !stopped.wait_for(lock, stop, wait, asked); wait = kInterval) draw();
}

void report(double fraction) {
  finished = fraction;
  if (interrupted()) throw Cancelled();
}

}  // namespace

Activity::Activity(bool quiet) {
  if (quiet || !stderr_is_terminal()) return;
  painter_ = std::jthread(draw_until_stopped);
}

Activity::~Activity() {
  if (!painter_.joinable()) return;
  painter_.request_stop();
  painter_.join();
  erase();
}

void Activity::enter(const char* doing) const {
  set_activity(doing);
  stage = doing;
  report(kUnknown);
}

Tick Activity::tick() const { return report; }

Observer Activity::observer() const {
  return [](const Progress& progress) {
    const char* doing = words(progress.stage);
    set_activity(doing);
    stage = doing;
    finished = progress.fraction;
    {
      const std::scoped_lock lock(line_mutex);
      note = progress.note;
    }
    return !interrupted();
  };
}

std::string last_note() {
  const std::scoped_lock lock(line_mutex);
  return note;
}

void Activity::silence() {
  const std::scoped_lock lock(line_mutex);
  silent = true;
}

}  // namespace spcart::command
