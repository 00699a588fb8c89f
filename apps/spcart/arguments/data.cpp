#include <fmt/format.h>

#include "arguments/data_arguments.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"

// How this program reads and prepares DATA: spcart-mpi has its own version.

namespace spcart::command {
namespace {

Table read_source(const DataArguments& arguments, Index components, const Tick& tick) {
  const ReadOptions options = arguments.read_options(components);
  if (!arguments.source.starts_with('@')) return read_table(arguments.source, options, tick);
  if (!options.exclude.empty())
    throw Error(
        "exclude", options.exclude.front(),
        fmt::format("variables can only be left out of a file, not of the built-in data set {}",
                    arguments.source));
  Table table = load_dataset(arguments.source);
  table.covariance |= options.covariance;
  return table;
}

}  // namespace

Data read(const DataArguments& arguments, const Activity& activity, Index components) {
  activity.enter("reading the data");
  Data data;
  data.title = arguments.title();
  arguments.preparation();  // an invalid value is rejected before the work
  data.table = read_source(arguments, components, activity.tick());
  if (!data.table.covariance && looks_like_covariance(data.table))
    data.hints.push_back(fmt::format(
        "{} is square and symmetric; if it is a covariance or correlation matrix, add --covariance",
        data.title));
  return data;
}

void prepare(Data& data, const PrepareOptions& options, const Activity& activity) {
  activity.enter("preparing the data");
  data.table.notes.insert(data.table.notes.end(), data.hints.begin(), data.hints.end());
  with_title(data, [&] { data.matrix = spcart::prepare(data.table, options, activity.tick()); });
}

}  // namespace spcart::command
