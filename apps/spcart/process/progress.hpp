#pragma once

#include <string_view>
#include <thread>

#include "spcart/fit.hpp"

namespace spcart::command {

/// Takes the cursor to the start of its line and clears that.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";

/// What the command is doing, and how far it is: one line on standard error that is kept up to date
/// while this object lives, where a person watches and the work takes longer than half a second.
/// It is also the way by which an interrupt reaches the work.
class Activity {
 public:
  explicit Activity(bool quiet);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// Starts a stage in words that follow "while": "reading the data". The text must live on.
  void enter(const char* doing) const;

  Tick tick() const;
  Observer observer() const;

  /// No line is drawn from now on, by any of these objects.
  static void silence();

 private:
  std::jthread painter_;
};

}  // namespace spcart::command
