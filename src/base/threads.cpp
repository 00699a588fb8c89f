#include "spcart/threads.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "base/reject.hpp"

namespace spcart {

Index threads() { return omp_get_max_threads(); }

Index checked_threads(Index count) {
  constexpr Index kMost = 1024;
  if (count < 0 || count > kMost) reject("threads", count, "it must be from 0 to {}", kMost);
  return count;
}

ThreadScope::ThreadScope(Index count) : before_(threads()) {
  if (count > 0) omp_set_num_threads(static_cast<int>(count));
}

ThreadScope::~ThreadScope() { omp_set_num_threads(static_cast<int>(before_)); }

Index threads_for(double flops) {
  constexpr double kFlopsOfAThread = 4e6;
  const auto most = static_cast<double>(threads());
  return static_cast<Index>(std::clamp(flops / kFlopsOfAThread, 1.0, most));
}

void SharedTick::operator()(double fraction) {
  if (failed_) std::rethrow_exception(failure_);
  // Not by its number in a team, which differs within a nested team.
  if (!tick_ || std::this_thread::get_id() != caller_) return;
  try {
    tick_(fraction);
  } catch (...) {
    failure_ = std::current_exception();
    failed_ = true;
    throw;
  }
}

}  // namespace spcart
