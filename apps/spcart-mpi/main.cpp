#include <fmt/format.h>

#include <array>
#include <exception>

#include "commands/program.hpp"
#include "data_on_ranks.hpp"
#include "process/interrupt.hpp"
#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "workers.hpp"

namespace spcart::command {
namespace {

int run_root(Workers& workers, int argc, char** argv) {
  DataOnRanks data(workers);
  const auto with_pca = [&data](auto add) -> AddCommand {
    return [&data, add](CLI::App& program) { return data.with_checkpoint(add(program, data)); };
  };
  const std::array<AddCommand, 6> commands = {
      with_pca(add_fit),      with_pca(add_path),
      with_pca(add_choose),   with_pca(add_compare),
      with_pca(add_evaluate), [&data](CLI::App& program) { return add_transform(program, data); }};
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
      commands, argc, argv);
}

/// Ends all ranks after a failure on which they could not agree, e.g. of MPI itself: none is left
/// waiting.
[[noreturn]] void abort_all(int rank, const std::exception& failure) {
  print_error(fmt::format("spcart-mpi: error: rank {}: {}\n", rank, printable(failure.what())));
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

int run(int argc, char** argv) {
  Workers workers;
  try {
    if (workers.ranks().is_root()) return run_root(workers, argc, argv);
    workers.serve();
    return 0;
  } catch (const std::exception& failure) {
    abort_all(workers.ranks().rank(), failure);
  }
}

}  // namespace
}  // namespace spcart::command

int main(int argc, char** argv) {
  spcart::command::arrange_process();
  const spcart::mpi::Session session(argc, argv);
  return spcart::command::run(argc, argv);
}
