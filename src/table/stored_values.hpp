#pragma once

#include <cstdint>
#include <variant>

#include "spcart/table.hpp"
#include "table/file_blocks.hpp"
#include "table/with_scalar.hpp"

namespace spcart {

template <class T, class F>
void for_each_value(const DenseView& view, F& f) {
  const auto* data = static_cast<const T*>(view.data);
  const bool by_row = view.col_stride <= view.row_stride;
  const Index lines = by_row ? view.rows : view.cols, length = by_row ? view.cols : view.rows;
  for (Index line = 0; line < lines; ++line)
    for (Index k = 0; k < length; ++k) {
      const Index i = by_row ? line : k, j = by_row ? k : line;
      f(i, j, data[i * view.row_stride + j * view.col_stride]);
    }
}

template <class T, class I, class F>
void for_each_entry(const SparseView& view, F& f) {
  const auto* outer = static_cast<const I*>(view.outer);
  const auto* inner = static_cast<const I*>(view.inner);
  const auto* values = static_cast<const T*>(view.values);
  const bool by_row = view.major == SparseView::Major::row;
  const Index lines = by_row ? view.rows : view.cols;
  for (Index line = 0; line < lines; ++line)
    for (I k = outer[line]; k < outer[line + 1]; ++k) {
      const auto index = static_cast<Index>(inner[k]);
      by_row ? f(line, index, values[k]) : f(index, line, values[k]);
    }
}

template <class T, class F>
void for_each_value(const SparseView& view, F& f) {
  view.wide ? for_each_entry<T, std::int64_t>(view, f) : for_each_entry<T, std::int32_t>(view, f);
}

/// Calls f(row, column, value) for every value of a file, in storage order.
template <class F>
void for_each_value(const FileView& view, F&& f, const Tick& tick = {}) {
  with_scalar(widened(view.scalar), [&]<class T>(T) {
    const bool by_row = view.sparse || view.order == FileView::Order::row;
    const Index lines = by_row ? view.rows : view.cols;
    const auto visit = [&](const auto& block) {
      if (tick) tick(static_cast<double>(block.first) / static_cast<double>(lines));
      const Index row = by_row ? block.first : 0, col = by_row ? 0 : block.first;
      auto shifted = [&](Index i, Index j, const T& value) { f(row + i, col + j, value); };
      for_each_value<T>(block.values, shifted);
    };
    if (view.sparse)
      for (SparseBlocks blocks(view); const SparseBlock* block = blocks.next();) visit(*block);
    else
      for (DenseBlocks blocks(view, view.order); const DenseBlock* block = blocks.next();)
        visit(*block);
  });
}

/// Calls f(row, column, value) for every stored value, in storage order; `value` is a reference to
/// the stored number, which for a table in a file is in a buffer.
template <class F>
void for_each_value(const Table& table, F&& f, const Tick& tick = {}) {
  if (const auto* file = std::get_if<FileView>(&table.values))
    return for_each_value(*file, f, tick);
  const auto visit = [&](const auto& view) {
    with_scalar(view.scalar, [&]<class T>(T) { for_each_value<T>(view, f); });
  };
  if (const auto* dense = std::get_if<DenseView>(&table.values)) return visit(*dense);
  visit(std::get<SparseView>(table.values));
}

}  // namespace spcart
