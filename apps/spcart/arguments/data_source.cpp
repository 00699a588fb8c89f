#include "arguments/data_source.hpp"

#include <fmt/format.h>

#include "spcart/datasets.hpp"
#include "spcart/error.hpp"

namespace spcart::command {

namespace {

void check_dataset(const std::string& source, const ReadOptions& options) {
  const auto reject_lists = [&](std::string_view option, const std::vector<std::string>& lists) {
    if (!lists.empty())
      throw Error(option, lists.front(),
                  fmt::format("variables are chosen from a file, not from the built-in data set {}",
                              source));
  };
  reject_lists("include", options.include);
  reject_lists("exclude", options.exclude);
  if (options.transpose || !options.names.empty())
    throw Error(options.transpose ? "transpose" : "names", options.names.string(),
                fmt::format("it is for files, not for the built-in data set {}", source));
  if (!options.labels_column.empty())
    throw Error("labels-column", options.labels_column,
                fmt::format("it is a column of a file; DATA is the built-in data set {}", source));
}

}  // namespace

Data DataSource::read(const DataArguments& arguments, const PrepareOptions& planned,
                      const Activity& activity) {
  activity.enter("reading the data");
  Data data;
  data.title = arguments.title();
  const ReadOptions options = arguments.read_options(planned);
  if (arguments.source.starts_with('@')) check_dataset(arguments.source, options);
  do_read(arguments.source, options, activity.tick(), data);
  return data;
}

void DataSource::prepare(Data& data, const PrepareOptions& options, const Activity& activity) {
  activity.enter("preparing the data");
  data.notes = data.table.notes;
  data.table.notes.insert(data.table.notes.end(), data.hints.begin(), data.hints.end());
  with_title(data, [&] { data.matrix = do_prepare(data.table, options, activity.tick()); });
}

void LocalData::do_read(const std::string& source, const ReadOptions& options, const Tick& tick,
                        Data& data) {
  data.table = source.starts_with('@') ? load_dataset(source) : read_table(source, options, tick);
  data.table.covariance |= options.covariance;
  if (!data.table.covariance && looks_like_covariance(data.table))
    data.hints.push_back(covariance_hint(data.title));
}

std::unique_ptr<DataMatrix> LocalData::do_prepare(const Table& table, const PrepareOptions& options,
                                                  const Tick& tick) {
  return spcart::prepare(table, options, tick);
}

}  // namespace spcart::command
