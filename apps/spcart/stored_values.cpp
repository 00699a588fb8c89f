#include "stored_values.hpp"

#include <algorithm>
#include <cmath>

namespace spcart::command {
namespace {

/// Calls f with the data as a pointer to its own type.
template <class F>
auto with_type(Scalar scalar, const void* data, F f) {
  switch (scalar) {
    case Scalar::uint8:
      return f(static_cast<const std::uint8_t*>(data));
    case Scalar::int32:
      return f(static_cast<const std::int32_t*>(data));
    case Scalar::float32:
      return f(static_cast<const float*>(data));
    case Scalar::float64:
      break;
  }
  return f(static_cast<const double*>(data));
}

std::uint64_t size_of(Scalar scalar) {
  return with_type(scalar, nullptr, [](auto* data) -> std::uint64_t { return sizeof(*data); });
}

void take(StoredValues& seen, double value) {
  seen.least = seen.stored == 0 ? value : std::min(seen.least, value);
  seen.greatest = seen.stored == 0 ? value : std::max(seen.greatest, value);
  seen.nonzeros += value != 0;
  ++seen.stored;
}

StoredValues look_at(const DenseView& view) {
  StoredValues seen;
  with_type(view.scalar, view.data, [&](auto* data) {
    for (Index i = 0; i < view.rows; ++i)
      for (Index j = 0; j < view.cols; ++j)
        take(seen, static_cast<double>(data[i * view.row_stride + j * view.col_stride]));
  });
  seen.bytes = static_cast<std::uint64_t>(seen.stored) * size_of(view.scalar);
  return seen;
}

Index stored_entries(const SparseView& view) {
  const Index lines = view.major == SparseView::Major::row ? view.rows : view.cols;
  return view.wide ? static_cast<const std::int64_t*>(view.outer)[lines]
                   : static_cast<const std::int32_t*>(view.outer)[lines];
}

StoredValues look_at(const SparseView& view) {
  StoredValues seen;
  const Index count = stored_entries(view);
  with_type(view.scalar, view.values, [&](auto* values) {
    for (Index k = 0; k < count; ++k) take(seen, static_cast<double>(values[k]));
  });
  if (count < view.rows * view.cols) {
    seen.least = std::min(seen.least, 0.0);
    seen.greatest = std::max(seen.greatest, 0.0);
  }
  const Index lines = view.major == SparseView::Major::row ? view.rows : view.cols;
  const std::uint64_t place = view.wide ? 8 : 4;
  seen.bytes = static_cast<std::uint64_t>(count) * (size_of(view.scalar) + place) +
               static_cast<std::uint64_t>(lines + 1) * place;
  return seen;
}

bool is_symmetric(const DenseView& view) {
  constexpr double kRounding = 1e-6;
  return with_type(view.scalar, view.data, [&](auto* data) {
    const auto at = [&](Index i, Index j) {
      return static_cast<double>(data[i * view.row_stride + j * view.col_stride]);
    };
    for (Index i = 0; i < view.rows; ++i)
      for (Index j = 0; j < i; ++j)
        if (std::abs(at(i, j) - at(j, i)) > kRounding * std::abs(at(i, j))) return false;
    return true;
  });
}

}  // namespace

StoredValues look_at(const Table& table) {
  return std::visit([](const auto& view) { return look_at(view); }, table.values);
}

Scalar scalar(const Table& table) {
  return std::visit([](const auto& view) { return view.scalar; }, table.values);
}

bool is_sparse(const Table& table) { return std::holds_alternative<SparseView>(table.values); }

Vector sample(const DenseView& view, Index row) {
  Vector values(view.cols);
  with_type(view.scalar, view.data, [&](auto* data) {
    for (Index j = 0; j < view.cols; ++j)
      values[j] = static_cast<double>(data[row * view.row_stride + j * view.col_stride]);
  });
  return values;
}

bool is_symmetric(const Table& table) {
  const auto* dense = std::get_if<DenseView>(&table.values);
  return dense && dense->rows == dense->cols && dense->rows > 1 && is_symmetric(*dense);
}

}  // namespace spcart::command
