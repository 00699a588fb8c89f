#include <fmt/format.h>

#include <array>
#include <exception>

#include "checkpoint_arguments.hpp"
#include "commands/program.hpp"
#include "process/interrupt.hpp"
#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "workers.hpp"

namespace spcart::command {
namespace {

int run_root(int argc, char** argv) {
  constexpr std::array kCommands = {add_fit_with_checkpoint, add_path_with_checkpoint,
                                    add_evaluate_with_checkpoint, add_transform};
  const InterruptWatch watch;
  return run_program(
      {.name = "spcart-mpi",
       .summary = "Sparse principal components of a table that is spread over the ranks of MPI",
       .usage = "COMMAND [options]",
       .detail = "To be started by mpirun or srun. DATA is a file, or a pattern in quotes that "
                 "stands for several whose rows follow each other, such as 'part-*.npy'. Each rank "
                 "reads only its own rows. The commands are those of spcart.",
       .examples = {"mpirun -n 4 spcart-mpi fit samples.npy -r 20 --json result.json",
                    "mpirun -n 16 spcart-mpi fit 'part-*.mtx.gz' -r 20 --scale",
                    "mpirun -n 4 spcart-mpi transform 'new-*.npy' --model result.json"}},
      kCommands, argc, argv);
}

/// Ends all ranks after a failure on which they could not agree, e.g. of MPI itself: none is left
/// waiting.
[[noreturn]] void abort_all(int rank, const std::exception& failure) {
  print_error(fmt::format("spcart-mpi: error: rank {}: {}\n", rank, printable(failure.what())));
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

int run(int argc, char** argv) {
  Workers crew;
  try {
    if (crew.ranks().is_root()) return run_root(argc, argv);
    crew.serve();
    return 0;
  } catch (const std::exception& failure) {
    abort_all(crew.ranks().rank(), failure);
  }
}

}  // namespace
}  // namespace spcart::command

int main(int argc, char** argv) {
  spcart::command::arrange_process();
  const spcart::mpi::Session session(argc, argv);
  return spcart::command::run(argc, argv);
}
