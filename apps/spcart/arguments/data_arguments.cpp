#include "arguments/data_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"

namespace spcart::command {
namespace {

/// Two options have these values, so an error must say which of them is meant.
Tristate tristate(std::string_view option, std::string_view text) {
  try {
    return parse<Tristate>(text);
  } catch (const Error& error) {
    throw Error(option, text, error.rule());
  }
}

bool is_dataset(const std::string& source) { return source.starts_with('@'); }

}  // namespace

CLI::Option* DataArguments::add_reading(CLI::App& app) {
  CLI::Option* data =
      app.add_option("DATA", source,
                     "a file (.csv, .tsv, .npy, .mtx, plain or gzipped; .npz, "
                     ".h5ad, .h5, .loom, .bed) with one row per sample, or a part of it "
                     "(cells.h5ad:layers/counts), - for CSV on standard input, or "
                     "a built-in data set such as @pitprops");
  data->group("Data");
  app.add_option("--missing", missing,
                 "cells that are empty or read NA: reject them, drop their samples, or put the "
                 "variable's mean (default: error; for genotypes, mean)")
      ->type_name("error|drop|mean")
      ->group("Data");
  app.add_option("--na", na, "cells that read TEXT are missing too; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--decimal", decimal,
                 "the decimal sign of numbers in a text file (default: auto, by its first lines)")
      ->type_name("auto|point|comma")
      ->group("Data");
  app.add_option("--header", header,
                 "is the first line of a text file the variables' names? (default: auto)")
      ->type_name("auto|yes|no")
      ->group("Data");
  app.add_option("--row-labels", row_labels,
                 "is the first field of each line the sample's name? (default: auto)")
      ->type_name("auto|yes|no")
      ->group("Data");
  app.add_flag(
         "--strict", strict,
         "reject a text file with columns that are not numbers, instead of setting them aside")
      ->group("Data");
  app.add_option("--include", include,
                 "take these variables only: names, indices from 1, ranges (3-7, a:c) and patterns "
                 "(gene*), separated by commas; may be repeated")
      ->type_name("LIST")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--exclude", exclude, "leave out these variables; may be repeated")
      ->type_name("LIST")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_flag("--transpose", transpose, "exchange samples and variables")->group("Data");
  app.add_option("--names", names, "file with the variables' names, one per line")
      ->type_name("F")
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

void DataArguments::add_labels_column(CLI::App& app) {
  app.add_option("--labels-column", labels_column,
                 "column of a text file that names each sample's group: the report colours by it")
      ->type_name("NAME")
      ->group("Data");
}

void DataArguments::add_labels(CLI::App& app) {
  app.add_option("--labels", labels,
                 "file with the label of each sample, one per line: their names if DATA has none; "
                 "a report colours by them")
      ->type_name("F")
      ->group("Data");
}

void DataArguments::add_preparation(CLI::App& app) {
  app.add_flag("--no-center", no_center, "do not subtract each variable's mean")->group("Data");
  app.add_flag("--scale", scale,
               "divide each variable by its standard deviation; genotypes by sqrt(2 f (1 - f)) for "
               "an allele of frequency f")
      ->group("Data");
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

ReadOptions DataArguments::read_options(const PrepareOptions& planned) const {
  if (cache && cache->empty()) throw Error("cache", "", "the name of the folder is empty");
  return reserve_work({.missing = parse<Missing>(missing),
                       .header = tristate("header", header),
                       .row_labels = tristate("row-labels", row_labels),
                       .decimal = parse<Decimal>(decimal),
                       .na = na,
                       .strict = strict,
                       .labels_column = labels_column,
                       .include = include,
                       .exclude = exclude,
                       .covariance = covariance,
                       .transpose = transpose,
                       .names = names,
                       .labels = labels,
                       .cache = cache.value_or("")},
                      planned);
}

Preparation DataArguments::preparation() const {
  return {.remove_row_mean = remove_row_mean,
          .center = !no_center,
          .scale = scale,
          .precision = parse<Precision>(precision)};
}

PrepareOptions DataArguments::prepare_options(Index components, Solver solver) const {
  PrepareOptions options{.preparation = preparation(), .components = components, .solver = solver};
  if (memory) options.memory = parse_bytes("memory", *memory);
  return options;
}

std::vector<std::string> DataArguments::files() const {
  return {split_data_path(source).file.string(), names, labels};
}

std::string DataArguments::title() const {
  if (is_dataset(source)) return printable(source);
  const DataPath path = split_data_path(source);
  const std::string title = file_title(path.file.string());
  return path.part.empty() ? title : fmt::format("{}:{}", title, printable(path.part));
}

std::string file_title(const std::string& path) {
  if (path == "-") return "standard input";
  return printable(std::filesystem::path(path).filename().string());
}

void with_title(const Data& data, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    throw error.in(data.title);
  }
}

std::string covariance_hint(std::string_view title) {
  return fmt::format(
      "{} is square and symmetric; if it is a covariance or correlation matrix, add --covariance",
      title);
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
