#include "work.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "names.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"

namespace spcart::python {
namespace {

using std::chrono::milliseconds;

/// Between two looks at signals and at progress, and how long work may take to notice a signal.
constexpr milliseconds kInterval{50}, kGrace{500};

std::atomic<int> abandoned = 0;

/// The last that the work told of its progress.
struct State {
  std::string_view stage;
  double fraction = 0;
  std::string note;
};

/// One piece of work, owned by both threads.
class Job final : public Watch {
 public:
  explicit Job(std::function<void(Watch&)> work) : work_(std::move(work)) {}

  /// In the thread of the work.
  void run() {
    std::exception_ptr error;
    try {
      work_(*this);
    } catch (...) {
      error = std::current_exception();
    }
    work_ = nullptr;
    const std::scoped_lock lock(mutex_);
    error_ = error;
    done_ = true;
    if (kept_ != nullptr) {  // nobody waits any more
      Py_AddPendingCall(release, kept_);
      --abandoned;
    }
    ended_.notify_all();
  }

  bool ends_within(milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return done_; });
  }

  void stop() { stop_ = true; }

  /// Leaves the work alone unless it has ended: it then keeps the object until it ends.
  bool abandon(nb::handle keep) {
    const std::scoped_lock lock(mutex_);
    if (done_) return false;
    kept_ = keep.inc_ref().ptr();
    ++abandoned;
    return true;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

  State state() {
    const std::scoped_lock lock(mutex_);
    return state_;
  }

 private:
  static int release(void* object) {
    nb::handle(static_cast<PyObject*>(object)).dec_ref();
    return 0;
  }

  void tell(const Progress& progress) override {
    if (stop_) throw Cancelled();
    const std::scoped_lock lock(mutex_);
    state_ = {progress.stage, progress.fraction, std::string(progress.note)};
  }

  std::function<void(Watch&)> work_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  State state_;
  bool done_ = false;
  std::exception_ptr error_;
  PyObject* kept_ = nullptr;
};

/// Waits for the end of the job; throws what a signal or the progress raises meanwhile.
void listen(Job& job, const nb::object& progress) {
  while (true) {
    {
      const nb::gil_scoped_release others;
      if (job.ends_within(kInterval)) return;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (const State now = job.state(); !progress.is_none() && !now.stage.empty())
      progress(now.stage, now.fraction, now.note);
  }
}

/// The message for a number of that table.
std::string worded(const NotFinite& error, nb::handle table) {
  const auto& handle = nb::cast<const TableHandle&>(table);
  const std::string name =
      handle.names.is_none() ? "" : nb::str(nb::object(handle.names[error.col()])).c_str();
  return in_python(error, handle.is_covariance(), name);
}

}  // namespace

Tick Watch::tick(std::string_view stage) {
  return [this, stage](double fraction) { tell({.stage = stage, .fraction = fraction}); };
}

Observer Watch::observer() {
  return [this](const Progress& progress) {
    tell(progress);
    return true;
  };
}

void run(nb::handle keep, const nb::object& progress, Index threads,
         std::function<void(Watch&)> work) {
  const auto job = std::make_shared<Job>(std::move(work));
  const Index count = threads > 0 ? threads : spcart::threads();
  std::thread worker([job, count] {
    const ThreadScope scope(count);
    job->run();
  });
  try {
    listen(*job, progress);
  } catch (...) {
    job->stop();
    {
      const nb::gil_scoped_release others;
      job->ends_within(kGrace);
    }
    if (job->abandon(keep))
      worker.detach();
    else
      worker.join();
    throw;
  }
  worker.join();
  try {
    job->rethrow();
  } catch (const NotFinite& error) {
    throw Error(worded(error, keep));
  }
}

void wait_for_abandoned() {
  while (abandoned > 0) {
    {
      const nb::gil_scoped_release others;
      std::this_thread::sleep_for(kInterval);
    }
    if (PyErr_CheckSignals() == 0) continue;
    std::fflush(nullptr);
    std::_Exit(130);  // as a shell reports an interrupt
  }
}

}  // namespace spcart::python
