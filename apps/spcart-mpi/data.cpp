#include <fmt/format.h>

#include <chrono>

#include "arguments/data_arguments.hpp"
#include "checkpoint_arguments.hpp"
#include "crew.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart::command {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A table of which only the shape is here: its numbers are on the ranks.
Table outline_of(const mpi::Share& share) {
  Table table;
  if (share.covariance)
    table.values = share.parts.front().values;
  else if (share.in_file)
    table.values = FileView{.file = {}, .rows = share.rows, .cols = share.cols};
  else
    table.values = DenseView{.rows = share.rows, .cols = share.cols};
  table.covariance = share.covariance;
  table.variables = share.variables;
  table.samples = share.samples;
  table.notes = share.notes;
  return table;
}

}  // namespace

Data read(const DataArguments& arguments, const Activity& activity, Index components) {
  const auto start = Clock::now();
  activity.enter("reading the data");
  Data data;
  data.title = arguments.title();
  arguments.preparation();  // a wrong word is refused before the work
  const ReadOptions options = arguments.read_options(components);
  if (arguments.source.starts_with('@') && !options.exclude.empty())
    throw Error(
        fmt::format("--exclude '{}': variables can only be left out of a file, not of the "
                    "built-in problem {}",
                    options.exclude.front(), arguments.source));
  data.table = outline_of(Crew::get().read(arguments.source, options, activity.tick()));
  data.warnings = data.table.notes;
  data.seconds = seconds_since(start);
  return data;
}

Solver solver_for(const DataArguments&, const Data& data, Index components, Solver wanted) {
  const bool checkpoint = !checkpoint_options().folder.empty();
  if (checkpoint && wanted != Solver::automatic && wanted != Solver::slepc)
    throw Error(fmt::format("solver = {}: only slepc keeps checkpoints", name(wanted)));
  if (data.table.covariance || wanted != Solver::automatic) return wanted;
  if (checkpoint) return Solver::slepc;
  const mpi::Share& share = Crew::get().share();
  return mpi::chosen_solver(share.rows, share.cols, share.entries, components,
                            Crew::get().ranks().size());
}

void prepare(Data& data, const Preparation& preparation, Solver solver, const Activity& activity) {
  const auto start = Clock::now();
  activity.enter("preparing the data");
  Preparation wished = preparation;
  wished.gram = solver == Solver::gram;
  with_title(data, [&] {
    data.matrix = Crew::get().prepare(wished, checkpoint_options(), activity.tick());
  });
  data.seconds += seconds_since(start);
}

}  // namespace spcart::command
