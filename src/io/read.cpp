#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/byte_source.hpp"
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
               std::string_view file) {
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
  keep_only(table, rows, cols);
}

Table read_stored(ByteSource& source, Format format, const ReadOptions& options) {
  switch (format) {
    case Format::csv:
      return read_csv(source, options);
    case Format::tsv:
      return read_csv(source, options, '\t');
    case Format::npy:
    case Format::matrix_market:
      break;
  }
  Table table = format == Format::npy ? read_npy(source) : read_matrix_market(source, options);
  leave_out(table, options.exclude, options.covariance, source.name());
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

/// For each variable its row of the loadings, where both have names; else nothing.
std::vector<Index> match(std::span<const std::string> variables,
                         const std::vector<std::string>& rows, std::string_view file) {
  const auto unnamed = default_names(static_cast<Index>(rows.size()));
  const auto are = [&](const auto& names) {
    return std::equal(names.begin(), names.end(), variables.begin(), variables.end());
  };
  if (rows.empty() || rows == unnamed || are(unnamed) || are(rows)) return {};
  std::unordered_map<std::string_view, Index> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!places.emplace(rows[i], static_cast<Index>(i)).second) {
      fail({file}, "has two rows named '{}', and its rows are not in the order of the data",
           printable(rows[i]));
    }
  }
  std::vector<Index> order;
  for (const std::string& variable : variables) {
    const auto found = places.find(variable);
    if (found == places.end())
      fail({file}, "has no loading of the variable '{}'", printable(variable));
    order.push_back(found->second);
  }
  return order;
}

Loadings reordered(const Loadings& x, const std::vector<Index>& order, std::string_view file) {
  if (order.empty()) return x;
  std::vector<Index> place(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Index& to = place[static_cast<std::size_t>(order[i])];
    if (to >= 0) fail({file}, "the data has two variables that match row {}", order[i] + 1);
    to = static_cast<Index>(i);
  }
  std::vector<Eigen::Triplet<double, Index>> entries;
  for (Index j = 0; j < x.outerSize(); ++j)
    for (Loadings::InnerIterator entry(x, j); entry; ++entry)
      entries.emplace_back(place[static_cast<std::size_t>(entry.row())], j, entry.value());
  Loadings out(x.rows(), x.cols());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

bool is_json(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".json" || (extension == ".gz" && is_json(path.stem()));
}

}  // namespace

}  // namespace io

Table read_table(const std::filesystem::path& path, const ReadOptions& options, const Tick& tick) {
  io::ByteSource source(path, tick);
  Table table = io::read_stored(source, io::format_of(path, source.head()), options);
  if (options.covariance) io::mark_covariance(table, source.name());
  io::handle_missing(table, options.missing, source.name());
  return table;
}

Loadings read_loadings(const std::filesystem::path& path, std::span<const std::string> variables) {
  Loadings x;
  std::vector<std::string> rows;
  if (io::is_json(path)) {
    Model model = read_model(path);
    x.swap(model.loadings);
    rows = std::move(model.variables);
  } else {
    Table table = read_table(path);
    x = to_matrix(table).sparseView();
    rows = std::move(table.samples);
  }
  const std::string file = path.string();
  if (x.rows() != static_cast<Index>(variables.size())) {
    io::fail({file}, "has loadings of {} variables, and the data has {}", x.rows(),
             variables.size());
  }
  return io::reordered(x, io::match(variables, rows, file), file);
}

}  // namespace spcart
