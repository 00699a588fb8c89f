#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/stored_values.hpp"
#include "io/byte_source.hpp"
#include "io/cache.hpp"
#include "io/csv.hpp"
#include "io/matrix_market.hpp"
#include "io/missing.hpp"
#include "io/npy.hpp"
#include "io/text.hpp"
#include "spcart/io.hpp"

namespace spcart {

namespace io {

namespace {

enum class Format { csv, tsv, npy, matrix_market };

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// By the name, and where that does not tell by the first bytes.
Format format_of(const std::filesystem::path& path, std::string_view head) {
  std::string extension = lower_extension(path);
  if (extension == ".gz") extension = lower_extension(path.stem());
  if (extension == ".csv") return Format::csv;
  if (extension == ".tsv") return Format::tsv;
  if (extension == ".npy") return Format::npy;
  if (extension == ".mtx") return Format::matrix_market;
  if (head.starts_with(kNpyMagic)) return Format::npy;
  if (head.starts_with(kMatrixMarketBanner)) return Format::matrix_market;
  return Format::csv;
}

/// Leaves out variables of tables without names in them; of a covariance their rows too.
void leave_out(Table& table, const std::vector<std::string>& names, bool rows_too,
               std::string_view file, Cache& cache, const Tick& tick) {
  if (names.empty()) return;
  std::vector<bool> cols(table.variables.size(), true);
  for (const std::string& name : names) {
    const auto found = std::find(table.variables.begin(), table.variables.end(), name);
    if (found == table.variables.end())
      fail({file}, "has no variable '{}' to leave out", printable(name));
    cols[static_cast<std::size_t>(found - table.variables.begin())] = false;
  }
  if (std::count(cols.begin(), cols.end(), true) == 0) fail({file}, "no variables are left");
  std::vector<bool> rows(static_cast<std::size_t>(table.rows()), true);
  if (rows_too) std::copy_n(cols.begin(), std::min(rows.size(), cols.size()), rows.begin());
  keep_only(table, rows, cols, cache, tick);
}

Table read_stored(ByteSource& source, Format format, const ReadOptions& options, Cache& cache,
                  const Tick& tick) {
  switch (format) {
    case Format::csv:
      return read_csv(source, options, cache);
    case Format::tsv:
      return read_csv(source, options, cache, '\t');
    case Format::npy:
    case Format::matrix_market:
      break;
  }
  Table table =
      format == Format::npy ? read_npy(source, cache) : read_matrix_market(source, options, cache);
  leave_out(table, options.exclude, options.covariance, source.name(), cache, tick);
  return table;
}

/// Rows of a covariance are variables: they must be the columns, and name them where those have no
/// names.
void mark_covariance(Table& table, std::string_view file) {
  table.covariance = true;
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

/// A table of loadings: what is missing there can neither be dropped nor filled in.
Table read_loadings_table(const std::filesystem::path& path) {
  ByteSource source(path);
  const Format format = format_of(path, source.head());
  ReadOptions options;
  options.missing = Missing::drop;  // the readers leave NaN
  options.storage = Storage::memory;
  Cache cache(options, path, source);
  Table table = read_stored(source, format, options, cache, {});
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

using Names = std::span<const std::string>;
using Places = std::unordered_map<std::string_view, Index>;

Places places_of(Names names) {
  Places places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], static_cast<Index>(i));
  return places;
}

/// The first few of the names that are not among the others, and how many there are besides.
std::string absent(Names names, const Places& among) {
  constexpr std::size_t kShown = 5;
  std::string list;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (!among.contains(name) && ++count <= kShown)
      list += fmt::format("{}'{}'", list.empty() ? "" : ", ", printable(name));
  return count > kShown ? fmt::format("{} and {} more", list, count - kShown) : list;
}

void refuse_twins(Names names, const Places& places, std::string_view whose,
                  std::string_view owner) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (places.at(names[i]) != static_cast<Index>(i))
      fail({owner}, "cannot be matched with the data: {} two variables named '{}'", whose,
           printable(names[i]));
}

bool are_default(Names names) {
  return std::ranges::equal(names, default_names(static_cast<Index>(names.size())));
}

std::vector<Index> by_position(std::size_t count) {
  std::vector<Index> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<Index>(i));
  return order;
}

}  // namespace

}  // namespace io

Table read_table(const std::filesystem::path& path, const ReadOptions& options, const Tick& tick) {
  io::ByteSource source(path, tick);
  io::Cache cache(options, path, source);
  if (std::optional<Table> kept = cache.find()) return std::move(*kept);
  Table table = io::read_stored(source, io::format_of(path, source.head()), options, cache, tick);
  if (options.covariance) io::mark_covariance(table, source.name());
  io::handle_missing(table, options.missing, source.name(), cache, tick);
  cache.keep(table);
  return table;
}

std::vector<Index> match_variables(std::span<const std::string> data,
                                   std::span<const std::string> others, std::string_view owner) {
  if (std::ranges::equal(data, others)) return io::by_position(data.size());
  const io::Places in_data = io::places_of(data), in_others = io::places_of(others);
  const std::string missing = io::absent(data, in_others),
                    superfluous = io::absent(others, in_data);
  const bool same = missing.empty() && superfluous.empty();
  if (!same && (io::are_default(data) || io::are_default(others))) {
    if (data.size() == others.size()) return io::by_position(data.size());
    io::fail({owner}, "has {} variables, and the data has {}", others.size(), data.size());
  }
  if (!superfluous.empty()) io::fail({owner}, "has variables that the data lacks: {}", superfluous);
  if (!missing.empty())
    io::fail({owner}, "lacks variables of the data: {} (--exclude leaves them out)", missing);
  io::refuse_twins(data, in_data, "the data has", owner);
  io::refuse_twins(others, in_others, "it has", owner);
  std::vector<Index> order;
  for (const std::string& name : data) order.push_back(in_others.at(name));
  return order;
}

void reorder(Model& model, const std::vector<Index>& order) {
  const auto pick = [&order](std::optional<Vector>& values) {
    if (values && values->size() > 0) values = Vector((*values)(order));
  };
  pick(model.preparation.means);
  pick(model.preparation.scales);
  std::vector<std::string> names;
  names.reserve(order.size());
  for (const Index from : order)
    names.push_back(std::move(model.variables[static_cast<std::size_t>(from)]));
  model.variables = std::move(names);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> places(
      static_cast<Index>(order.size()));
  std::ranges::copy(order, places.indices().data());
  model.loadings = Loadings(places.transpose() * model.loadings);
}

Loadings read_loadings(const std::filesystem::path& path, std::span<const std::string> variables) {
  Model model;
  if (io::is_json(path)) {
    model = read_model(path);
  } else {
    Table table = io::read_loadings_table(path);
    model.loadings = to_matrix(table).sparseView();
    model.variables =
        table.samples.empty() ? default_names(table.rows()) : std::move(table.samples);
  }
  reorder(model, match_variables(variables, model.variables, path.string()));
  return model.loadings;
}

}  // namespace spcart
