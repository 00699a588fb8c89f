#include "workers.hpp"

#include <atomic>
#include <csignal>
#include <exception>
#include <utility>

#include "spcart/error.hpp"

namespace spcart::command {
namespace {

std::atomic<bool> stop_asked = false;
extern "C" {
static void note_signal(int) { stop_asked = true; }
}

/// Ends the current product; the root then ends the program.
void stop_where_asked(double) {
  if (stop_asked) throw Cancelled();
}

}  // namespace

Workers::~Workers() {
  if (!ranks_.is_root()) return;
  try {
    ranks_.broadcast(Task::dismiss);
  } catch (const std::exception&) {  // if MPI is broken, it ends the others
  }
}

void Workers::serve() {
  // Only the root may end the program, because only it knows what is written.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note_signal);
  while (true) {
    const Task task = ranks_.broadcast(Task{});
    if (task == Task::dismiss) return;
    try {
      if (task == Task::read)
        share_ = mpi::read_share(ranks_, {}, {}, stop_where_asked);
      else
        mpi::prepare(ranks_, share_, {}, {}, stop_where_asked)->serve(stop_where_asked);
    } catch (const mpi::Abandoned&) {  // the root reports what went wrong
    }
  }
}

const mpi::Share& Workers::read(const std::string& source, const ReadOptions& options,
                                const Tick& tick) {
  ranks_.broadcast(Task::read);
  share_ = mpi::read_share(ranks_, source, options, tick);
  return share_;
}

std::unique_ptr<DataMatrix> Workers::prepare(const PrepareOptions& options,
                                             const mpi::CheckpointOptions& checkpoint,
                                             const Tick& tick) {
  if (share_.covariance) {
    if (!checkpoint.folder.empty())
      throw Error("checkpoint", checkpoint.folder.string(),
                  "DATA is a covariance matrix, and only tables that are spread over ranks have "
                  "checkpoints");
    Table& table = share_.parts.front();
    table.notes = share_.notes;
    table.seconds = share_.seconds;
    return spcart::prepare(table, options, tick);
  }
  ranks_.broadcast(Task::prepare);
  return mpi::prepare(ranks_, share_, options, checkpoint, tick);
}

}  // namespace spcart::command
