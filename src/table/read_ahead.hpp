#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace spcart {

/// Fills buffers in a thread of its own, ahead of their use. The thread ends with this object, even
/// if not everything was read.
template <class Buffer>
class ReadAhead {
 public:
  static constexpr std::size_t kBuffers = 3;  ///< one in use, one ready, one being filled

  /// Fills the buffer with what comes next; false if there is no more. It runs in the other thread,
  /// and may return early if a stop is requested.
  using Fill = std::function<bool(Buffer&, const std::stop_token&)>;

  explicit ReadAhead(Fill fill)
      : thread_([this, fill = std::move(fill)](const std::stop_token& stop) { run(fill, stop); }) {}

  /// The next buffer, or null after the last; the previous one is released. What was thrown while
  /// it was filled is thrown here.
  const Buffer* next() {
    std::unique_lock lock(mutex_);
    if (std::exchange(in_use_, false)) ++used_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return filled_ > used_ || ended_; });
    if (filled_ > used_) {
      in_use_ = true;
      return &buffers_[used_ % kBuffers];
    }
    if (failure_) std::rethrow_exception(failure_);
    return nullptr;
  }

 private:
  void run(const Fill& fill, const std::stop_token& stop) {
    try {
      while (wait_for_room(stop) && fill(buffers_[filled_ % kBuffers], stop)) {
        const std::scoped_lock lock(mutex_);
        ++filled_;
        changed_.notify_all();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  bool wait_for_room(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return filled_ < used_ + kBuffers; });
    return !stop.stop_requested();
  }

  std::array<Buffer, kBuffers> buffers_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t filled_ = 0, used_ = 0;  ///< buffers so far; only their difference is in memory
  bool in_use_ = false;                ///< the caller has buffer `used_`
  bool ended_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;  ///< last, so that it ends before what it uses
};

}  // namespace spcart
