#include "io/read.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/clock.hpp"
#include "base/names.hpp"
#include "base/reject.hpp"
#include "io/byte_source.hpp"
#include "io/cache.hpp"
#include "io/column_moments.hpp"
#include "io/delimited/csv.hpp"
#include "io/edit/missing.hpp"
#include "io/edit/select_variables.hpp"
#include "io/edit/transpose.hpp"
#include "io/hdf5/read_hdf5.hpp"
#include "io/matrix_market.hpp"
#include "io/name_files.hpp"
#include "io/numpy/npy.hpp"
#include "io/numpy/npz.hpp"
#include "io/numpy/zip.hpp"
#include "io/plink/plink.hpp"
#include "io/text.hpp"
#include "spcart/io.hpp"
#include "table/stored_values.hpp"

namespace spcart {
namespace {

constexpr auto kPresenceNames = std::to_array<Name<Tristate>>(
    {{Tristate::automatic, "auto"}, {Tristate::yes, "yes"}, {Tristate::no, "no"}});

constexpr auto kMissingNames = std::to_array<Name<Missing>>({{Missing::automatic, "auto"},
                                                             {Missing::error, "error"},
                                                             {Missing::drop, "drop"},
                                                             {Missing::mean, "mean"}});

constexpr auto kDecimalNames = std::to_array<Name<Decimal>>(
    {{Decimal::automatic, "auto"}, {Decimal::point, "point"}, {Decimal::comma, "comma"}});

}  // namespace

std::string_view name(Tristate value) { return name_in(kPresenceNames, value); }
template <>
Tristate parse<Tristate>(std::string_view text) {
  return parse_name(kPresenceNames, "presence", text);
}

std::string_view name(Missing value) { return name_in(kMissingNames, value); }
template <>
Missing parse<Missing>(std::string_view text) {
  return parse_name(kMissingNames, "missing", text);
}

std::string_view name(Decimal value) { return name_in(kDecimalNames, value); }
template <>
Decimal parse<Decimal>(std::string_view text) {
  return parse_name(kDecimalNames, "decimal", text);
}

namespace io {

namespace {

enum class Format { csv, tsv, npy, npz, matrix_market, hdf5, plink };

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// By the name or, if that is not conclusive, by the first bytes.
Format format_of(const std::filesystem::path& path, std::string_view head) {
  std::string extension = lower_extension(path);
  if (extension == ".gz") extension = lower_extension(path.stem());
  if (extension == ".csv") return Format::csv;
  if (extension == ".tsv") return Format::tsv;
  if (extension == ".npy") return Format::npy;
  if (extension == ".npz") return Format::npz;
  if (extension == ".mtx") return Format::matrix_market;
  if (extension == ".h5ad" || extension == ".h5" || extension == ".hdf5" || extension == ".loom")
    return Format::hdf5;
  if (extension == ".bed") return Format::plink;
  if (head.starts_with(kNpyMagic)) return Format::npy;
  if (head.starts_with(kZipMagic)) return Format::npz;
  if (head.starts_with(kHdf5Magic)) return Format::hdf5;
  if (head.starts_with(kMatrixMarketBanner)) return Format::matrix_market;
  if (head.starts_with(kBedMagic)) return Format::plink;
  return Format::csv;
}

/// Keeps the selected variables; of a covariance their rows too.
void select_variables(Table& table, const ReadOptions& options, std::string_view file, Cache& cache,
                      const Tick& tick) {
  if (options.include.empty() && options.exclude.empty()) return;
  const std::vector<bool> cols = selected_variables(table.variables, options, file);
  std::vector<bool> rows(static_cast<std::size_t>(table.rows()), true);
  if (options.covariance)
    std::copy_n(cols.begin(), std::min(rows.size(), cols.size()), rows.begin());
  keep_only(table, rows, cols, cache, tick);
}

/// What is read, besides the options.
struct Reading {
  ByteSource& source;
  Format format = Format::csv;
  std::string part = {};  ///< of the file
  NameFiles names = {};
};

/// The options as they apply to a format. A .bed is small and used in place: what a choice of its
/// samples makes of it is not kept.
ReadOptions options_for(Format format, ReadOptions options) {
  const bool plink = format == Format::plink;
  if (options.missing == Missing::automatic)
    options.missing = plink ? Missing::mean : Missing::error;
  if (plink) options.cache.clear();
  return options;
}

/// Whether variables are variants, and not samples.
bool counts_alleles(Format format, const ReadOptions& options) {
  return format == Format::plink && !options.transpose;
}

bool is_text(Format format) { return format == Format::csv || format == Format::tsv; }

/// Whether the variables of a text are its columns, with the names that it gives them. Only then
/// can its reader choose among them, and leave out those that hold text.
bool has_own_variables(const Reading& reading, const ReadOptions& options) {
  return is_text(reading.format) && !options.transpose && !reading.names.name_variables();
}

Table read_text(Reading& reading, char separator, ReadOptions options, Cache& cache,
                const Tick& tick) {
  if (!has_own_variables(reading, options)) {
    options.include.clear();
    options.exclude.clear();
  }
  Table table = read_csv(reading.source, options, cache, separator, tick);
  if (options.transpose) transpose(table);
  return table;
}

/// The table with samples as rows, before variables are left out.
Table read_oriented(Reading& reading, const ReadOptions& options, Cache& cache, const Tick& tick) {
  ByteSource& source = reading.source;
  if (!reading.part.empty() && reading.format != Format::hdf5 && reading.format != Format::npz)
    fail({source.name()}, "has no part '{}': only .npz and HDF5 files have parts",
         printable(reading.part));
  switch (reading.format) {
    case Format::csv:
      return read_text(reading, 0, options, cache, tick);
    case Format::tsv:
      return read_text(reading, '\t', options, cache, tick);
    case Format::npy:
      return read_npy(source, options.transpose, cache);
    case Format::npz:
      return read_npz(source, reading.part, options, cache, tick);
    case Format::hdf5:
      return read_hdf5(source, reading.part, options, cache, tick);
    case Format::plink:
      return read_plink(source, options, cache);
    case Format::matrix_market:
      break;
  }
  return read_matrix_market(source, options, reading.names, cache);
}

Table read_stored(Reading reading, const ReadOptions& options, Cache& cache, const Tick& tick) {
  const bool selected = has_own_variables(reading, options);
  if (!options.labels_column.empty() && !selected)
    fail({reading.source.name()},
         "has no column '{}' for --labels-column: that is for text, neither transposed nor with "
         "--names",
         printable(options.labels_column));
  Table table = read_oriented(reading, options, cache, tick);
  // Rows of a covariance are its variables, which have other names now.
  if (options.covariance && reading.names.name_variables()) table.samples.clear();
  reading.names.apply(table);
  if (!selected) select_variables(table, options, reading.source.name(), cache, tick);
  return table;
}

void check_covariance(const ReadOptions& options) {
  if (options.transpose) reject("transpose", "", "a covariance is symmetric");
  if (!options.labels.empty())
    reject("labels", options.labels.string(), "a covariance matrix has no samples");
}

/// Rows of a covariance are variables: they must be the columns, and name them if the columns have
/// no names.
void mark_covariance(Table& table, std::string_view file) {
  table.covariance = true;
  if (!table.labels.empty())
    fail({file}, "a covariance has no samples, and so no labels (--labels-column)");
  if (table.rows() != table.cols())
    fail({file}, "a covariance must be square, and this is {} x {}", table.rows(), table.cols());
  const std::vector<std::string> rows = std::exchange(table.samples, {});
  if (rows.empty() || rows == table.variables) return;
  if (table.variables == default_names(table.cols())) {
    table.variables = rows;
    return;
  }
  const auto differ = std::mismatch(rows.begin(), rows.end(), table.variables.begin());
  fail({file}, "row '{}' of the covariance stands where column '{}' does", printable(*differ.first),
       printable(*differ.second));
}

/// Of a table whose columns are all variables.
std::vector<ColumnSummary> summaries_of(const Table& table, const Tick& tick) {
  std::vector<ColumnSummary> columns(table.variables.size());
  std::vector<ColumnMoments> moments(columns.size());
  std::vector<Index> stored(columns.size(), 0);
  const auto look = [&](Index, Index col, auto stored_value) {
    ColumnSummary& column = columns[at(col)];
    const auto value = static_cast<double>(stored_value);
    ++stored[at(col)];
    if (std::isnan(value))
      ++column.missing;
    else if (std::isinf(value))
      ++column.rejected;
    else
      moments[at(col)].add(value);
  };
  for_each_value(table, look, tick);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j].name = table.variables[j];
    moments[j].add_zeros(static_cast<double>(table.rows() - stored[j]));  // of a sparse table
    columns[j].mean = moments[j].mean();
    columns[j].deviation = moments[j].deviation();
  }
  return columns;
}

}  // namespace

Table read_loadings_table(const std::filesystem::path& path) {
  ByteSource source(path);
  const Format format = format_of(path, source.head());
  ReadOptions options;
  options.missing = Missing::drop;  // the readers leave NaN
  options.strict = true;
  options.storage = Storage::memory;
  Cache cache(options, path, source);
  Table table = read_stored({.source = source, .format = format}, options, cache, {});
  for_each_value(table, [&](Index row, Index col, auto value) {
    if (std::isnan(static_cast<double>(value)))
      fail({source.name()},
           "row {}, column {} is missing; loadings must be complete, with 0 for none", row + 1,
           col + 1);
  });
  handle_missing(table, Missing::error, source.name(), cache);
  return table;
}

bool is_json(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".json" || (extension == ".gz" && is_json(path.stem()));
}

}  // namespace io

DataPath split_data_path(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return {path, ""};
  const std::string text = path.string();
  for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
       colon = text.rfind(':', colon - 1))
    if (const std::string file = text.substr(0, colon);
        std::filesystem::is_regular_file(file, ignored))
      return {file, text.substr(colon + 1)};
  return {path, ""};
}

Inspection inspect_table(const std::filesystem::path& path, const ReadOptions& given,
                         const Tick& tick) {
  const auto begin = Clock::now();
  if (given.covariance) io::check_covariance(given);
  const auto [file, part] = split_data_path(path);
  io::ByteSource source(file, tick);
  const io::Format format = io::format_of(file, source.head());
  const ReadOptions options = io::options_for(format, given);
  io::Cache cache(options, file, source);
  io::Reading reading{
      .source = source, .format = format, .part = part, .names = io::NameFiles(options, file)};
  Inspection found;
  if (part.empty() && io::has_own_variables(reading, options)) {
    const char separator = reading.format == io::Format::tsv ? '\t' : 0;
    found = io::inspect_csv(source, options, cache, separator, tick);
    if (found.table.cols() > 0) reading.names.apply(found.table);
  } else {
    ReadOptions lenient = options;
    lenient.missing = Missing::drop;  // the readers leave NaN
    found.table = io::read_stored(std::move(reading), lenient, cache, tick);
    found.columns = io::summaries_of(found.table, tick);
  }
  if (options.covariance) io::mark_covariance(found.table, source.name());
  found.missing = options.missing;
  found.table.genotypes = io::counts_alleles(format, options);
  found.table.seconds = seconds_since(begin);
  return found;
}

Table read_table(const std::filesystem::path& path, const ReadOptions& given, const Tick& tick) {
  const auto begin = Clock::now();
  if (given.covariance) io::check_covariance(given);
  const auto [file, part] = split_data_path(path);
  io::ByteSource source(file, tick);
  const io::Format format = io::format_of(file, source.head());
  const ReadOptions options = io::options_for(format, given);
  io::Reading reading{
      .source = source, .format = format, .part = part, .names = io::NameFiles(options, file)};
  io::Cache cache(options, file, source,
                  (part.empty() ? "" : fmt::format("\npart {}", part)) + reading.names.key());
  if (std::optional<Table> kept = cache.find()) {
    kept->seconds = seconds_since(begin);
    return std::move(*kept);
  }
  Table table = io::read_stored(std::move(reading), options, cache, tick);
  if (options.covariance) io::mark_covariance(table, source.name());
  io::handle_missing(table, options.missing, source.name(), cache, tick);
  cache.keep(table);
  table.genotypes = io::counts_alleles(format, options);
  table.seconds = seconds_since(begin);
  return table;
}

}  // namespace spcart
