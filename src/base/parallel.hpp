#pragma once

#include <atomic>
#include <exception>
#include <thread>

#include "spcart/threads.hpp"
#include "spcart/types.hpp"

namespace spcart {

/// Number of entries below which waking other threads costs more than it saves.
inline constexpr Index kWorthThreads = Index{1} << 14;

/// How many threads this many floating-point operations are worth: threads that synchronise more
/// often than about every tenth of a millisecond spend their time waiting, especially on a busy
/// machine.
Index threads_for(double flops);

/// threads_for of a product of an m x k with a k x n matrix.
inline Index threads_for(Index m, Index k, Index n) {
  return threads_for(2.0 * static_cast<double>(m) * static_cast<double>(k) *
                     static_cast<double>(n));
}

/// Calls body(0), ..., body(count - 1), each once, spread over threads if that is worth it. The
/// first exception reaches the caller, which OpenMP alone would not allow; no body starts after it.
template <class Body>
void parallel_for(Index count, bool worth_threads, Body body) {
  if (!worth_threads) {  // not even a team of one: nested teams would be created anew each time
    for (Index i = 0; i < count; ++i) body(i);
    return;
  }
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
#pragma omp parallel for schedule(dynamic, 1)
  for (Index i = 0; i < count; ++i) {
    if (failed) continue;
    try {
      body(i);
    } catch (...) {
#pragma omp critical(spcart_failure)
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// A tick for the bodies of a parallel_for. Only the calling thread passes it on, as long as it has
/// a body of its own. If the tick throws there, the other threads throw the same as soon as they
/// call it.
class SharedTick {
 public:
  explicit SharedTick(const Tick& tick) : tick_(tick) {}
  void operator()(double fraction);

 private:
  const Tick& tick_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
};

}  // namespace spcart
