#include <fmt/format.h>

#include "arguments/data_arguments.hpp"
#include "checkpoint_arguments.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "workers.hpp"

namespace spcart::command {
namespace {

/// A table of which only the shape is known here: its numbers are on the ranks.
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
  table.seconds = share.seconds;
  return table;
}

}  // namespace

Data read(const DataArguments& arguments, const Activity& activity, Index components) {
  activity.enter("reading the data");
  Data data;
  data.title = arguments.title();
  arguments.preparation();  // an invalid value is rejected before the work
  const ReadOptions options = arguments.read_options(components);
  if (arguments.source.starts_with('@') && !options.exclude.empty())
    throw Error(
        "exclude", options.exclude.front(),
        fmt::format("variables can only be left out of a file, not of the built-in data set {}",
                    arguments.source));
  data.table = outline_of(Workers::get().read(arguments.source, options, activity.tick()));
  return data;
}

void prepare(Data& data, const PrepareOptions& options, const Activity& activity) {
  activity.enter("preparing the data");
  with_title(data, [&] {
    data.matrix = Workers::get().prepare(options, checkpoint_options(), activity.tick());
  });
}

}  // namespace spcart::command
