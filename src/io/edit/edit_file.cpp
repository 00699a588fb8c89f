#include "io/edit/edit_file.hpp"

#include <algorithm>
#include <cmath>

#include "io/spool/spool.hpp"
#include "table/file_blocks.hpp"
#include "table/stored_values.hpp"

namespace spcart::io {

namespace {

Index kept(const std::vector<bool>& keep, Index all) {
  return keep.empty() ? all : std::count(keep.begin(), keep.end(), true);
}

bool is_kept(const std::vector<bool>& keep, Index line) {
  return keep.empty() || keep[static_cast<std::size_t>(line)];
}

template <class T>
T filled(T value, Index col, const Edit& edit) {
  if (edit.fill.empty() || !std::isnan(static_cast<double>(value))) return value;
  return static_cast<T>(edit.fill[static_cast<std::size_t>(col)]);
}

FileView edited_dense(const FileView& view, const Edit& edit, Cache& cache, const Tick& tick) {
  FileView layout = view;
  layout.rows = kept(edit.rows, view.rows);
  layout.cols = kept(edit.cols, view.cols);
  layout.lines.reset();
  layout.fill.reset();
  // Samples are left out after missing genotypes are filled in, or because of them: otherwise 0, 1
  // and 2 remain.
  const bool counts = view.scalar == FileScalar::genotype && !view.fill && layout.rows < view.rows;
  layout.scalar = counts ? FileScalar::uint8 : static_cast<FileScalar>(widened(view.scalar));
  layout.values = kCacheHeader;
  auto file = cache.new_file();
  FileStream values(*file, layout.values);
  const auto put_count = [&](std::uint8_t count) { values.put(&count, sizeof(count)); };
  // In the order of the file, which is also that of the copy.
  for_each_value(
      view,
      [&](Index row, Index col, auto value) {
        if (!is_kept(edit.rows, row) || !is_kept(edit.cols, col)) return;
        value = filled(value, col, edit);
        if (counts) return put_count(static_cast<std::uint8_t>(value));
        values.put(&value, sizeof(value));
      },
      tick);
  values.flush();
  return cache.adopt(std::move(file), layout);
}

std::vector<Index> new_indices(const std::vector<bool>& keep, Index count) {
  std::vector<Index> indices;
  Index next = 0;
  for (Index i = 0; i < count; ++i) indices.push_back(is_kept(keep, i) ? next++ : -1);
  return indices;
}

FileView edited_sparse(const FileView& view, const Edit& edit, Cache& cache, const Tick& tick) {
  const std::vector<Index> rows = new_indices(edit.rows, view.rows),
                           cols = new_indices(edit.cols, view.cols);
  SparseWriter writer(cache, kept(edit.rows, view.rows), kept(edit.cols, view.cols),
                      static_cast<std::uint64_t>(view.entries));
  for_each_value(
      view,
      [&](Index row, Index col, auto value) {
        const Index i = rows[static_cast<std::size_t>(row)],
                    j = cols[static_cast<std::size_t>(col)];
        if (i < 0 || j < 0) return;
        writer.put(i, static_cast<std::int32_t>(j), static_cast<double>(filled(value, col, edit)));
      },
      tick);
  return writer.finish();
}

}  // namespace

FileView edited(const FileView& view, const Edit& edit, Cache& cache, const Tick& tick) {
  if (view.scalar == FileScalar::genotype && view.order == FileView::Order::column &&
      edit.fill.empty() && kept(edit.rows, view.rows) == view.rows) {
    std::vector<Index> columns;
    for (Index j = 0; j < view.cols; ++j)
      if (is_kept(edit.cols, j)) columns.push_back(j);
    return selected_columns(view, columns);
  }
  return view.sparse ? edited_sparse(view, edit, cache, tick)
                     : edited_dense(view, edit, cache, tick);
}

}  // namespace spcart::io
