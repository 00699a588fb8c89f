#include "data_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "print.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"
#include "spcart/route.hpp"
#include "text.hpp"

namespace spcart::command {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Two flags have these values, so that a message must say which of them is meant.
Presence presence(std::string_view flag, std::string_view text) {
  try {
    return parse<Presence>(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", flag, error.what()));
  }
}

bool is_dataset(const std::string& source) { return source.starts_with('@'); }

Table read_source(const DataArguments& arguments, Index components, const Tick& tick) {
  const ReadOptions options = arguments.read_options(components);
  if (!is_dataset(arguments.source)) return read_table(arguments.source, options, tick);
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

CLI::Option* DataArguments::add_reading(CLI::App& app) {
  CLI::Option* data = app.add_option("DATA", source,
                                     "a file (.csv, .tsv, .npy, .mtx, plain or gzipped) with a row "
                                     "a sample, - for CSV on standard "
                                     "input, or a built-in problem such as @pitprops");
  data->group("Data");
  app.add_option("--missing", missing,
                 fmt::format("cells that are empty or read NA: refuse them, drop their samples, or "
                             "put the variable's mean (default: {})",
                             missing))
      ->type_name("error|drop|mean")
      ->group("Data");
  app.add_option("--header", header,
                 "is the first line of a text file the variables' names? (default: auto)")
      ->type_name("auto|yes|no")
      ->group("Data");
  app.add_option("--row-labels", row_labels,
                 "is the first field of each line the sample's name? (default: auto)")
      ->type_name("auto|yes|no")
      ->group("Data");
  app.add_option("--exclude", exclude, "leave out this variable; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--memory", memory,
                 "bytes that the work may take, as 500M, 2G or 2GiB: a table that is too large for "
                 "that is left in its file and read in blocks (default: what the system has)")
      ->type_name("SIZE")
      ->group("Data");
  app.add_option("--cache", cache,
                 "keep the binary copy of a table that is too large for memory and no plain .npy "
                 "there, for the next time (default: a temporary file)")
      ->type_name("DIR")
      ->group("Data");
  return data;
}

void DataArguments::add_covariance(CLI::App& app) {
  app.add_flag("--covariance", covariance, "DATA is a covariance or correlation matrix")
      ->group("Data");
}

void DataArguments::add_preparation(CLI::App& app) {
  app.add_flag("--no-center", no_center, "do not subtract each variable's mean")->group("Data");
  app.add_flag("--scale", scale, "divide each variable by its standard deviation")->group("Data");
  app.add_flag("--remove-row-mean", remove_row_mean,
               "subtract from each sample its own mean, before all else")
      ->group("Data");
  app.add_option("--precision", precision,
                 fmt::format("of products with a dense table: single is about twice as fast, and "
                             "right to about 1e-4 (default: {})",
                             precision))
      ->type_name("double|single")
      ->group("Data");
}

ReadOptions DataArguments::read_options(Index components) const {
  if (cache && cache->empty()) throw Error("cache: the name of the folder is empty");
  return {
      .missing = parse<Missing>(missing),
      .header = presence("--header", header),
      .row_labels = presence("--row-labels", row_labels),
      .exclude = exclude,
      .covariance = covariance,
      .memory = memory ? parse_bytes("memory", *memory) : 0,
      .components = components,
      .cache = cache.value_or(""),
  };
}

Preparation DataArguments::preparation() const {
  return {.remove_row_mean = remove_row_mean,
          .center = !no_center,
          .scale = scale,
          .precision = parse<Precision>(precision)};
}

std::string DataArguments::title() const {
  return is_dataset(source) ? printable(source) : file_title(source);
}

std::string file_title(const std::string& path) {
  if (path == "-") return "standard input";
  return printable(std::filesystem::path(path).filename().string());
}

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

void with_title(const Data& data, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    // Of an option, messages begin with its name and value.
    const bool of_option = message.substr(0, message.find(':')).find(" = ") != std::string::npos;
    if (of_option || message.find(data.title) != std::string::npos) throw;
    throw Error(fmt::format("{}: {}", data.title, message));
  }
}

void prepare(Data& data, const Preparation& preparation, Solver solver, const Activity& activity) {
  const auto start = Clock::now();
  activity.enter("preparing the data");
  with_title(data, [&] {
    data.matrix = spcart::prepare(data.table, preparation, solver, activity.tick());
  });
  data.seconds += seconds_since(start);
}

std::string shape(const Table& table) {
  if (table.covariance) return fmt::format("covariance of {} variables", table.cols());
  return fmt::format("{} {} {} {}", table.rows(), table.rows() == 1 ? "sample" : "samples",
                     terminal().utf8 ? "×" : "x", fmt::format("{} variables", table.cols()));
}

bool has_names(std::span<const std::string> variables) {
  return !std::ranges::equal(variables, default_names(static_cast<Index>(variables.size())));
}

}  // namespace spcart::command
