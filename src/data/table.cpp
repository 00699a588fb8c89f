#include "spcart/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/stored_values.hpp"

namespace spcart {

Index Table::rows() const {
  return std::visit([](const auto& view) { return view.rows; }, values);
}

Index Table::cols() const {
  return std::visit([](const auto& view) { return view.cols; }, values);
}

std::unique_ptr<DataMatrix> Table::prepare(const Preparation& preparation) const {
  if (covariance) return make_covariance(to_matrix(*this), preparation);
  if (const auto* dense = std::get_if<DenseView>(&values)) return make_dense(*dense, preparation);
  return make_sparse(std::get<SparseView>(values), preparation);
}

Matrix to_matrix(const Table& table) {
  Matrix matrix = Matrix::Zero(table.rows(), table.cols());
  for_each_value(table,
                 [&](Index i, Index j, auto value) { matrix(i, j) += static_cast<double>(value); });
  return matrix;
}

TableSummary summarize(const Table& table) {
  TableSummary s;
  for_each_value(table, [&](Index, Index, auto stored) {
    const auto value = static_cast<double>(stored);
    s.least = s.stored == 0 ? value : std::min(s.least, value);
    s.greatest = s.stored == 0 ? value : std::max(s.greatest, value);
    s.nonzeros += value != 0 ? 1 : 0;
    ++s.stored;
  });
  if (s.stored < table.rows() * table.cols()) {  // the others are zeros
    s.least = std::min(s.least, 0.0);
    s.greatest = std::max(s.greatest, 0.0);
  }
  s.scalar = std::visit([](const auto& view) { return view.scalar; }, table.values);
  s.bytes = s.stored * with_scalar(s.scalar, [](auto zero) { return Index{sizeof(zero)}; });
  if (const auto* view = std::get_if<SparseView>(&table.values)) {
    const Index lines = view->major == SparseView::Major::row ? view->rows : view->cols;
    s.sparse = true;
    s.bytes += (s.stored + lines + 1) * (view->wide ? 8 : 4);
  }
  return s;
}

bool looks_like_covariance(const Table& table) {
  constexpr double kRounding = 1e-6;
  const auto* view = std::get_if<DenseView>(&table.values);
  if (view == nullptr || view->rows != view->cols || view->rows < 2) return false;
  return with_scalar(view->scalar, [&]<class T>(T) {
    const auto at = [&](Index i, Index j) {
      return static_cast<double>(
          static_cast<const T*>(view->data)[i * view->row_stride + j * view->col_stride]);
    };
    for (Index i = 0; i < view->rows; ++i)
      for (Index j = 0; j < i; ++j)
        if (std::abs(at(i, j) - at(j, i)) > kRounding * std::abs(at(i, j))) return false;
    return true;
  });
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
