#include "spcart/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/names.hpp"
#include "table/file_scalar.hpp"
#include "table/stored_values.hpp"

namespace spcart {
namespace {

constexpr auto kScalarNames = std::to_array<Name<Scalar>>({{Scalar::uint8, "uint8"},
                                                           {Scalar::int32, "int32"},
                                                           {Scalar::float32, "float32"},
                                                           {Scalar::float64, "float64"}});

/// Whether lower(i, j) = upper(j, i + first), up to rounding, for the rows i of `lower` and all j
/// before the diagonal.
bool are_transposed(const DenseView& lower, const DenseView& upper, Index first) {
  constexpr double kRounding = 1e-6;
  return with_scalar(lower.scalar, [&]<class T>(T) {
    const auto at = [](const DenseView& view, Index i, Index j) {
      return static_cast<double>(
          static_cast<const T*>(view.data)[i * view.row_stride + j * view.col_stride]);
    };
    for (Index i = 0; i < lower.rows; ++i)
      for (Index j = 0; j < first + i; ++j) {
        const double value = at(lower, i, j);
        if (std::abs(value - at(upper, j, i)) > kRounding * std::abs(value)) return false;
      }
    return true;
  });
}

/// Reads rows and columns side by side.
bool is_symmetric(FileView view) {
  view.memory /= 2;
  // A step that fills the buffers, so that blocks of rows and of columns have the same size.
  const std::uint64_t line = stored_bytes(view) / static_cast<std::uint64_t>(view.rows);
  const Index step = std::clamp(static_cast<Index>(view.memory / line), Index{1}, view.rows);
  DenseBlocks rows(view, FileView::Order::row, step), columns(view, FileView::Order::column, step);
  while (const DenseBlock* lower = rows.next())
    if (!are_transposed(lower->values, columns.next()->values, lower->first)) return false;
  return true;
}

}  // namespace

std::string_view name(Scalar value) { return name_in(kScalarNames, value); }

Index Table::rows() const {
  return std::visit([](const auto& view) { return view.rows; }, values);
}

Index Table::cols() const {
  return std::visit([](const auto& view) { return view.cols; }, values);
}

double Table::entries() const {
  if (const auto* view = std::get_if<SparseView>(&values)) {
    const Index lines = view->major == SparseView::Major::row ? view->rows : view->cols;
    return view->wide ? static_cast<double>(static_cast<const std::int64_t*>(view->outer)[lines])
                      : static_cast<double>(static_cast<const std::int32_t*>(view->outer)[lines]);
  }
  if (const auto* view = std::get_if<FileView>(&values); view != nullptr && view->sparse)
    return static_cast<double>(view->entries);
  return static_cast<double>(rows()) * static_cast<double>(cols());
}

bool Table::has_samples_at_hand() const {
  const auto* file = std::get_if<FileView>(&values);
  return !covariance && (file == nullptr || file->scalar == FileScalar::genotype);
}

Matrix to_matrix(const Table& table) {
  Matrix matrix = Matrix::Zero(table.rows(), table.cols());
  for_each_value(table,
                 [&](Index i, Index j, auto value) { matrix(i, j) += static_cast<double>(value); });
  return matrix;
}

TableSummary summarize(const Table& table) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TableSummary s{.least = kInfinity, .greatest = -kInfinity};
  for_each_value(table, [&](Index, Index, auto stored) {
    const auto value = static_cast<double>(stored);
    s.nonzeros += value != 0 ? 1 : 0;
    ++s.stored;
    if (!std::isfinite(value)) return;
    s.least = std::min(s.least, value);
    s.greatest = std::max(s.greatest, value);
  });
  if (s.stored < table.rows() * table.cols()) {  // the others are zeros
    s.least = std::min(s.least, 0.0);
    s.greatest = std::max(s.greatest, 0.0);
  }
  s.bytes = static_cast<Index>(stored_bytes(table));
  if (const auto* file = std::get_if<FileView>(&table.values)) {
    s.scalar = widened(file->scalar);
    s.sparse = file->sparse;
  } else if (const auto* dense = std::get_if<DenseView>(&table.values)) {
    s.scalar = dense->scalar;
  } else {
    s.scalar = std::get<SparseView>(table.values).scalar;
    s.sparse = true;
  }
  return s;
}

std::uint64_t stored_bytes(const Table& table) {
  if (const auto* file = std::get_if<FileView>(&table.values)) return stored_bytes(*file);
  if (const auto* dense = std::get_if<DenseView>(&table.values))
    return static_cast<std::uint64_t>(dense->rows * dense->cols) * size_of(dense->scalar);
  const auto& sparse = std::get<SparseView>(table.values);
  const auto lines = sparse.major == SparseView::Major::row ? sparse.rows : sparse.cols;
  const auto bytes = [&]<class I>(I) {
    const auto entries = static_cast<std::uint64_t>(static_cast<const I*>(sparse.outer)[lines]);
    return entries * (size_of(sparse.scalar) + sizeof(I)) +
           (static_cast<std::uint64_t>(lines) + 1) * sizeof(I);
  };
  return sparse.wide ? bytes(std::int64_t{}) : bytes(std::int32_t{});
}

bool looks_like_covariance(const Table& table) {
  if (table.rows() != table.cols() || table.rows() < 2) return false;
  if (const auto* dense = std::get_if<DenseView>(&table.values))
    return are_transposed(*dense, *dense, 0);
  if (const auto* file = std::get_if<FileView>(&table.values);
      file && !file->sparse && file->scalar != FileScalar::genotype)
    return is_symmetric(*file);
  return false;
}

Table make_table(Matrix values, std::vector<std::string> variables,
                 std::vector<std::string> samples) {
  const auto owner = std::make_shared<const Matrix>(std::move(values));
  DenseView view = view_of(*owner);
  view.owner = owner;
  if (variables.empty()) variables = default_names(owner->cols());
  return {view, false, std::move(variables), std::move(samples)};
}

std::vector<std::string> default_names(Index count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (Index j = 1; j <= count; ++j) names.push_back(fmt::format("x{}", j));
  return names;
}

}  // namespace spcart
