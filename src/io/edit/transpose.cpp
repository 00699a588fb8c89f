#include "io/edit/transpose.hpp"

#include <utility>

namespace spcart::io {

namespace {

void exchange_axes(DenseView& view) {
  std::swap(view.rows, view.cols);
  std::swap(view.row_stride, view.col_stride);
}

void exchange_axes(FileView& view) {
  std::swap(view.rows, view.cols);
  view.order = view.order == FileView::Order::row ? FileView::Order::column : FileView::Order::row;
}

}  // namespace

void transpose(Table& table) {
  const bool named = table.variables != default_names(table.cols());
  if (auto* file = std::get_if<FileView>(&table.values))
    exchange_axes(*file);
  else
    exchange_axes(std::get<DenseView>(table.values));
  std::swap(table.variables, table.samples);
  if (!named) table.samples.clear();
  if (table.variables.empty()) table.variables = default_names(table.cols());
}

}  // namespace spcart::io
