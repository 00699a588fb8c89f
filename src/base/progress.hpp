#pragma once

#include <string_view>

#include "base/parallel.hpp"
#include "spcart/error.hpp"
#include "spcart/progress.hpp"

namespace spcart {

/// Passes the progress of a stage to the observer. Throws Cancelled if the observer asks to stop.
inline void report_progress(const Observer& observer, std::string_view stage, double fraction) {
  if (observer && !observer({stage, fraction})) throw Cancelled();
}

/// A tick for a stage, or for the part of it between two fractions.
inline Tick tick_of(const Observer& observer, std::string_view stage, double from = 0,
                    double to = 1) {
  return [=, &observer](double fraction) {
    report_progress(observer, stage, from + (to - from) * fraction);
  };
}

/// A tick for the i-th of `count` equal parts of some work.
inline Tick part_of(const Tick& tick, Index i, Index count) {
  return [=, &tick](double fraction) {
    if (tick) tick((static_cast<double>(i) + fraction) / static_cast<double>(count));
  };
}

/// An observer for a fit that is one step of some work, so that the work can be stopped within it.
inline Observer observer_of(const Tick& tick) {
  return [&tick](const Progress&) {
    if (tick) tick(0);
    return true;
  };
}

/// Calls body(i, tick) for i = 0, ..., count - 1. If `apart`, each is the work of one thread:
/// threads that share the work of a small body spend their time waiting for each other.
template <class Body>
void for_all(Index count, bool apart, const Tick& tick, Body body) {
  SharedTick shared(tick);
  parallel_for(count, apart && count > 1 && threads() > 1, [&](Index i) {
    const ThreadScope alone(apart ? 1 : 0);
    const Tick tick_of_body = [&](double fraction) {
      shared((static_cast<double>(i) + fraction) / static_cast<double>(count));
    };
    body(i, tick_of_body);
  });
}

}  // namespace spcart
