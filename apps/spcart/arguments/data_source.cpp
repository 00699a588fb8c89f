#include "arguments/data_source.hpp"

#include <fmt/format.h>

#include "spcart/datasets.hpp"
#include "spcart/error.hpp"

namespace spcart::command {

Data DataSource::read(const DataArguments& arguments, const PrepareOptions& planned,
                      const Activity& activity) {
  activity.enter("reading the data");
  Data data;
  data.title = arguments.title();
  const ReadOptions options = arguments.read_options(planned);
  if (arguments.source.starts_with('@') && !options.exclude.empty())
    throw Error(
        "exclude", options.exclude.front(),
        fmt::format("variables can only be left out of a file, not of the built-in data set {}",
                    arguments.source));
  if (arguments.source.starts_with('@') && (options.transpose || !arguments.names.empty()))
    throw Error(options.transpose ? "transpose" : "names", arguments.names,
                fmt::format("it is for files, not for the built-in data set {}", arguments.source));
  do_read(arguments.source, options, activity.tick(), data);
  return data;
}

void DataSource::prepare(Data& data, const PrepareOptions& options, const Activity& activity) {
  activity.enter("preparing the data");
  data.table.notes.insert(data.table.notes.end(), data.hints.begin(), data.hints.end());
  with_title(data, [&] { data.matrix = do_prepare(data.table, options, activity.tick()); });
}

void LocalData::do_read(const std::string& source, const ReadOptions& options, const Tick& tick,
                        Data& data) {
  data.table = source.starts_with('@') ? load_dataset(source) : read_table(source, options, tick);
  data.table.covariance |= options.covariance;
  if (!data.table.covariance && looks_like_covariance(data.table))
    data.hints.push_back(fmt::format(
        "{} is square and symmetric; if it is a covariance or correlation matrix, add --covariance",
        data.title));
}

std::unique_ptr<DataMatrix> LocalData::do_prepare(const Table& table, const PrepareOptions& options,
                                                  const Tick& tick) {
  return spcart::prepare(table, options, tick);
}

}  // namespace spcart::command
