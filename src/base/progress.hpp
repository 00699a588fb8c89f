#pragma once

#include <string_view>

#include "base/parallel.hpp"
#include "spcart/error.hpp"
#include "spcart/progress.hpp"

namespace spcart {

/// Tells the observer where a stage is, and lets it stop that.
inline void tell(const Observer& observer, std::string_view stage, double fraction) {
  if (observer && !observer({stage, fraction})) throw Cancelled();
}

/// A stage, or as much of it as lies between two fractions.
inline Tick tick_of(const Observer& observer, std::string_view stage, double from = 0,
                    double to = 1) {
  return [=, &observer](double fraction) { tell(observer, stage, from + (to - from) * fraction); };
}

/// For the i-th of `count` equal parts of some work.
inline Tick part_of(const Tick& tick, Index i, Index count) {
  return [=, &tick](double fraction) {
    if (tick) tick((static_cast<double>(i) + fraction) / static_cast<double>(count));
  };
}

/// body(i, tick) for i = 0, ..., count - 1. If `apart`, each is the work of one thread: threads
/// that share the work of a small body spend their time waiting for each other.
template <class Body>
void for_all(Index count, bool apart, const Tick& tick, Body body) {
  SharedTick shared(tick);
  parallel_for(count, apart && count > 1 && threads() > 1, [&](Index i) {
    const ThreadScope alone(apart ? 1 : 0);
    const Tick told = [&](double fraction) {
      shared((static_cast<double>(i) + fraction) / static_cast<double>(count));
    };
    body(i, told);
  });
}

}  // namespace spcart
