#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "spcart/table.hpp"

namespace spcart::io {

/// The numbers of a table that was just read: its memory is still the reader's own, so that it may
/// be changed where it lies.
template <class T>
T* writable(const void* data) {
  return static_cast<T*>(const_cast<void*>(data));
}

/// Calls f with a null pointer of the stored type.
template <class F>
void with_scalar(Scalar scalar, F&& f) {
  switch (scalar) {
    case Scalar::uint8:
      return f(static_cast<std::uint8_t*>(nullptr));
    case Scalar::int32:
      return f(static_cast<std::int32_t*>(nullptr));
    case Scalar::float32:
      return f(static_cast<float*>(nullptr));
    case Scalar::float64:
      return f(static_cast<double*>(nullptr));
  }
}

namespace detail {

template <class T, class F>
void for_each(const DenseView& view, F& f) {
  auto* data = writable<T>(view.data);
  if (view.col_stride == 1) {
    for (Index i = 0; i < view.rows; ++i) {
      for (Index j = 0; j < view.cols; ++j) f(i, j, *data++);
    }
  } else {
    for (Index j = 0; j < view.cols; ++j) {
      for (Index i = 0; i < view.rows; ++i) f(i, j, *data++);
    }
  }
}

template <class T, class I, class F>
void for_each_entry(const SparseView& view, F& f) {
  const auto* outer = static_cast<const I*>(view.outer);
  const auto* inner = static_cast<const I*>(view.inner);
  auto* values = writable<T>(view.values);
  for (Index i = 0; i < view.rows; ++i) {
    for (I k = outer[i]; k < outer[i + 1]; ++k) f(i, static_cast<Index>(inner[k]), values[k]);
  }
}

template <class T, class F>
void for_each(const SparseView& view, F& f) {
  view.wide ? for_each_entry<T, std::int64_t>(view, f) : for_each_entry<T, std::int32_t>(view, f);
}

}  // namespace detail

/// Calls f(row, column, value&) for every stored value of a table that the readers made: dense
/// without gaps, or sparse by rows.
template <class F>
void for_each_value(const Table& table, F&& f) {
  std::visit(
      [&](const auto& view) {
        with_scalar(view.scalar, [&]<class T>(T*) { detail::for_each<T>(view, f); });
      },
      table.values);
}

}  // namespace spcart::io
