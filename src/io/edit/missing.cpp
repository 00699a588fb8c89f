#include "io/edit/missing.hpp"

#include <algorithm>
#include <cmath>

#include "io/edit/edit_file.hpp"
#include "io/plink/genotypes.hpp"
#include "io/text.hpp"
#include "table/stored_values.hpp"

namespace spcart::io {

namespace {

/// The table was just read: its memory belongs to the reader, and may be changed in place.
template <class T>
T* writable(const void* data) {
  return static_cast<T*>(const_cast<void*>(data));
}

std::string where(const Table& table, Index row, Index col) {
  const std::string& name = table.variables[static_cast<std::size_t>(col)];
  return fmt::format("row {}, column {} ('{}')", row + 1, col + 1, printable(name));
}

/// Whether there are missing values; rejects infinite ones, and missing ones if requested.
bool find_missing(const Table& table, Missing missing, std::string_view file, const Tick& tick) {
  bool found = false;
  const auto look = [&](Index row, Index col, auto value) {
    if (std::isfinite(static_cast<double>(value))) return;
    if (std::isinf(static_cast<double>(value)))
      fail({file}, "{} is infinite", where(table, row, col));
    if (missing == Missing::error || table.covariance)
      fail({file}, "{} is missing (NaN); {}", where(table, row, col),
           missing_hint(table.covariance));
    found = true;
  };
  for_each_value(table, look, tick);
  return found;
}

bool is_integer(FileScalar scalar) {
  return scalar != FileScalar::float32 && scalar != FileScalar::float64;
}

bool is_genotypes(const FileView& view) { return view.scalar == FileScalar::genotype; }

void drop_samples(Table& table, std::string_view file, Cache& cache, const Tick& tick) {
  std::vector<bool> keep(static_cast<std::size_t>(table.rows()), true);
  const auto look = [&](Index row, Index, auto value) {
    if (std::isnan(static_cast<double>(value))) keep[static_cast<std::size_t>(row)] = false;
  };
  for_each_value(table, look, tick);
  const Index all = table.rows();
  const auto dropped = static_cast<Index>(std::count(keep.begin(), keep.end(), false));
  if (dropped == all) fail({file}, "every sample has missing values: none is left");
  keep_only(table, keep, std::vector<bool>(static_cast<std::size_t>(table.cols()), true), cache,
            tick);
  table.notes.push_back(
      fmt::format("{} of {} samples dropped: they have missing values", dropped, all));
}

void fill_in(Table& table, const std::vector<double>& means, Cache& cache, const Tick& tick) {
  if (auto* view = std::get_if<FileView>(&table.values)) {
    if (is_genotypes(*view))
      view->fill = std::make_shared<const std::vector<double>>(means);
    else
      *view = edited(*view, {.fill = means}, cache, tick);
    return;
  }
  for_each_value(table, [&]<class T>(Index, Index col, const T& value) {
    if (std::isnan(static_cast<double>(value)))
      *writable<T>(&value) = static_cast<T>(means[static_cast<std::size_t>(col)]);
  });
}

/// Of each variable, the sum of the values that are not missing, and the number of those that are.
struct Sums {
  std::vector<double> sums;
  std::vector<Index> gaps;
};

Sums sums_of(const Table& table, const Tick& tick) {
  Sums s{std::vector<double>(static_cast<std::size_t>(table.cols()), 0),
         std::vector<Index>(static_cast<std::size_t>(table.cols()), 0)};
  const auto* view = std::get_if<FileView>(&table.values);
  if (view != nullptr && is_genotypes(*view) && view->order == FileView::Order::column) {
    for_each_variant(
        *view,
        [&](std::size_t j, const GenotypeCounts& counts) {
          s.sums[j] = static_cast<double>(counts.alleles);
          s.gaps[j] = counts.missing;
        },
        tick);
    return s;
  }
  const auto look = [&](Index, Index col, auto value) {
    const auto j = static_cast<std::size_t>(col);
    if (std::isnan(static_cast<double>(value)))
      ++s.gaps[j];
    else
      s.sums[j] += static_cast<double>(value);
  };
  for_each_value(table, look, tick);
  return s;
}

std::string note_of_means(const Table& table, Index missing) {
  if (const auto* view = std::get_if<FileView>(&table.values); view && is_genotypes(*view))
    return fmt::format("{} missing genotype{} ({:.2g} %) replaced by the mean of {}", missing,
                       missing == 1 ? "" : "s",
                       100 * static_cast<double>(missing) / table.entries(),
                       missing == 1 ? "its variable" : "their variables");
  return fmt::format("{} missing value{} replaced by the mean of {}", missing,
                     missing == 1 ? "" : "s", missing == 1 ? "its variable" : "their variables");
}

void fill_in_means(Table& table, std::string_view file, Cache& cache, const Tick& tick) {
  auto [sums, gaps] = sums_of(table, tick);
  Index all = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    if (gaps[j] == table.rows()) {
      fail({file}, "column {} ('{}') has missing values only: it has no mean", j + 1,
           printable(table.variables[j]));
    }
    all += gaps[j];
    // Entries that a sparse table does not store are zeros, and count as such.
    sums[j] /= static_cast<double>(table.rows() - gaps[j]);
  }
  if (all == 0) return;
  fill_in(table, sums, cache, tick);
  table.notes.push_back(note_of_means(table, all));
}

template <class T>
void keep_dense(T* data, const std::vector<bool>& outer, const std::vector<bool>& inner) {
  const T* from = data;
  for (const bool line : outer) {
    for (const bool entry : inner) {
      if (line && entry) *data++ = *from;
      ++from;
    }
  }
}

void keep_values(DenseView& view, const std::vector<bool>& rows, const std::vector<bool>& cols) {
  const bool by_rows = view.col_stride == 1;
  with_scalar(view.scalar, [&]<class T>(T) {
    keep_dense(writable<T>(view.data), by_rows ? rows : cols, by_rows ? cols : rows);
  });
  view.rows = std::count(rows.begin(), rows.end(), true);
  view.cols = std::count(cols.begin(), cols.end(), true);
  view.row_stride = by_rows ? view.cols : 1;
  view.col_stride = by_rows ? 1 : view.rows;
}

template <class I>
void keep_entries(SparseView& view, const std::vector<bool>& rows, const std::vector<bool>& cols) {
  std::vector<I> new_index(cols.size());
  I next = 0;
  for (std::size_t j = 0; j < cols.size(); ++j) new_index[j] = cols[j] ? next++ : -1;
  auto* outer = writable<I>(view.outer);
  auto* inner = writable<I>(view.inner);
  auto* values = writable<double>(view.values);
  I out = 0;
  std::size_t line = 0;
  I first = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const I last = outer[i + 1];
    for (I k = first; rows[i] && k < last; ++k) {
      const I col = new_index[static_cast<std::size_t>(inner[k])];
      if (col < 0) continue;
      inner[out] = col;
      values[out++] = values[k];
    }
    first = last;
    if (rows[i]) outer[++line] = out;
  }
  view.rows = static_cast<Index>(line);
  view.cols = static_cast<Index>(next);
}

void keep_values(SparseView& view, const std::vector<bool>& rows, const std::vector<bool>& cols) {
  view.wide ? keep_entries<std::int64_t>(view, rows, cols)
            : keep_entries<std::int32_t>(view, rows, cols);
}

void keep_names(std::vector<std::string>& names, const std::vector<bool>& keep) {
  if (names.empty()) return;
  std::size_t out = 0;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) std::swap(names[out++], names[i]);
  names.resize(out);
}

}  // namespace

void handle_missing(Table& table, Missing missing, std::string_view file, Cache& cache,
                    const Tick& tick) {
  const auto* in_place = std::get_if<FileView>(&table.values);
  if (in_place && is_genotypes(*in_place)) {
    if (missing == Missing::mean) return fill_in_means(table, file, cache, tick);
  } else if (in_place && (missing == Missing::error || is_integer(in_place->scalar))) {
    return;
  }
  if (!find_missing(table, missing, file, tick)) return;
  if (missing == Missing::drop) drop_samples(table, file, cache, tick);
  if (missing == Missing::mean) fill_in_means(table, file, cache, tick);
}

void keep_only(Table& table, const std::vector<bool>& rows, const std::vector<bool>& cols,
               Cache& cache, const Tick& tick) {
  if (auto* view = std::get_if<FileView>(&table.values))
    *view = edited(*view, {.rows = rows, .cols = cols}, cache, tick);
  else if (auto* dense = std::get_if<DenseView>(&table.values))
    keep_values(*dense, rows, cols);
  else
    keep_values(std::get<SparseView>(table.values), rows, cols);
  keep_names(table.samples, rows);
  keep_names(table.labels, rows);
  keep_names(table.variables, cols);
}

}  // namespace spcart::io
