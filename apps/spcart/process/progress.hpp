#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "spcart/fit.hpp"

namespace spcart::command {

/// Moves the cursor to the start of its line and clears the line.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";

/// What the command is doing, and its progress: one line on standard error that is updated while
/// this object lives, if a person watches and the work takes longer than half a second. An
/// interrupt also reaches the work through it.
class Activity {
 public:
  explicit Activity(bool quiet);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// Starts a stage, in words that follow "while": "reading the data". The text must outlive this
  /// object.
  void enter(const char* doing) const;

  Tick tick() const;
  Observer observer() const;

  /// No line is drawn from now on, by any of these objects.
  static void silence();

 private:
  std::jthread painter_;
};

/// What the work last said of itself, such as how near a proof is; empty if nothing.
std::string last_note();

}  // namespace spcart::command
