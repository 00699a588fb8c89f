#include <fmt/format.h>

#include <chrono>

#include "arguments/data_arguments.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "spcart/solver_choice.hpp"

// How this program reads and prepares DATA: spcart-mpi does it otherwise.

namespace spcart::command {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Table read_source(const DataArguments& arguments, Index components, const Tick& tick) {
  const ReadOptions options = arguments.read_options(components);
  if (!arguments.source.starts_with('@')) return read_table(arguments.source, options, tick);
  if (!options.exclude.empty())
    throw Error(
        fmt::format("--exclude '{}': variables can only be left out of a file, not of the "
                    "built-in problem {}",
                    options.exclude.front(), arguments.source));
  Table table = load_dataset(arguments.source);
  table.covariance |= options.covariance;
  return table;
}

}  // namespace

Data read(const DataArguments& arguments, const Activity& activity, Index components) {
  const auto start = Clock::now();
  activity.enter("reading the data");
  Data data;
  data.title = arguments.title();
  arguments.preparation();  // a wrong word is refused before the work
  data.table = read_source(arguments, components, activity.tick());
  data.warnings = data.table.notes;
  if (!data.table.covariance && looks_like_covariance(data.table))
    data.warnings.push_back(fmt::format(
        "{} is square and symmetric; if it is a covariance or correlation matrix, add --covariance",
        data.title));
  data.seconds = seconds_since(start);
  return data;
}

Solver solver_for(const DataArguments& arguments, const Data& data, Index components,
                  Solver wanted) {
  std::optional<std::uint64_t> memory;
  if (arguments.memory) memory = parse_bytes("memory", *arguments.memory);
  return spcart::solver_for(data.table, components, wanted, memory);
}

void prepare(Data& data, const Preparation& preparation, Solver solver, const Activity& activity) {
  const auto start = Clock::now();
  activity.enter("preparing the data");
  with_title(data, [&] {
    data.matrix = spcart::prepare(data.table, preparation, solver, activity.tick());
  });
  data.seconds += seconds_since(start);
}

}  // namespace spcart::command
