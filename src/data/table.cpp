#include "spcart/table.hpp"

#include <fmt/format.h>

#include <utility>

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
  Table plain = table;
  plain.covariance = false;
  // The stored numbers are the product of the unprepared table with the identity.
  const auto stored = plain.prepare({.center = false});
  return stored->times(Matrix::Identity(table.cols(), table.cols()));
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
