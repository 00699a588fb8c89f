#include "crew.hpp"

#include <atomic>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <utility>

#include "spcart/error.hpp"

namespace spcart::command {
namespace {

Crew* only = nullptr;

std::atomic<bool> stop_asked = false;
extern "C" {
static void note_signal(int) { stop_asked = true; }
}

/// Ends the product that is under way; the root then ends the program.
void stop_where_asked(double) {
  if (stop_asked) throw Cancelled();
}

}  // namespace

Crew::Crew() { only = this; }

Crew::~Crew() {
  only = nullptr;
  if (!ranks_.is_root()) return;
  try {
    ranks_.broadcast(Task::dismiss);
  } catch (const std::exception&) {  // where MPI is broken, it ends the others
  }
}

Crew& Crew::get() {
  if (only == nullptr) throw std::logic_error("there is no crew");
  return *only;
}

void Crew::serve() {
  // Only the root may end the program, since only it knows what is written.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note_signal);
  while (true) {
    const Task task = ranks_.broadcast(Task{});
    if (task == Task::dismiss) return;
    try {
      if (task == Task::read)
        share_ = mpi::read_share(ranks_, {}, {}, stop_where_asked);
      else
        mpi::distribute(ranks_, share_, {}, stop_where_asked)->serve(stop_where_asked);
    } catch (const mpi::Abandoned&) {  // the root says what went wrong
    }
  }
}

const mpi::Share& Crew::read(const std::string& source, const ReadOptions& options,
                             const Tick& tick) {
  ranks_.broadcast(Task::read);
  share_ = mpi::read_share(ranks_, source, options, tick);
  return share_;
}

std::unique_ptr<DataMatrix> Crew::prepare(const Preparation& preparation,
                                          const mpi::CheckpointOptions& checkpoint,
                                          const Tick& tick) {
  if (share_.covariance) return spcart::prepare(share_.parts.front(), preparation, tick);
  ranks_.broadcast(Task::prepare);
  auto matrix = mpi::distribute(ranks_, share_, preparation, tick);
  matrix->set_checkpoint(checkpoint);
  return matrix;
}

}  // namespace spcart::command
