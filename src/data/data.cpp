#include "spcart/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/names.hpp"
#include "base/parallel.hpp"
#include "data/execution.hpp"
#include "data/preparation.hpp"
#include "spcart/error.hpp"
#include "spcart/not_finite.hpp"

namespace spcart {
namespace {

constexpr auto kPrecisionNames =
    std::to_array<Name<Precision>>({{Precision::full, "double"}, {Precision::single, "single"}});

/// Reading a number of A takes as long as this many products with it.
constexpr Index kReading = 8;

void check_height(const char* what, ConstBlock x, Index expected) {
  if (x.rows() != expected)
    throw Error(fmt::format("{}: the block has {} rows, but the matrix needs {}", what, x.rows(),
                            expected));
}

}  // namespace

std::string_view name(Precision value) { return name_in(kPrecisionNames, value); }
template <>
Precision parse<Precision>(std::string_view text) {
  return parse_name(kPrecisionNames, "precision", text);
}

NotFinite::NotFinite(std::string_view what, Index row, Index col, double value)
    : Error(fmt::format("{}row {}, column {}: {} is not a finite number", what, row + 1, col + 1,
                        std::isnan(value) ? "NaN" : fmt::format("{}", value))),
      row_(row),
      col_(col),
      number_(value) {}

void reject_not_finite(std::string_view what, Index row, Index col, double value) {
  throw NotFinite(what, row, col, value);
}

void check_preparation(const Preparation& preparation, Index p) {
  const auto check = [p](const char* what, const std::optional<Vector>& given) {
    if (given && given->size() != p)
      throw Error(fmt::format("{}: {} values for {} variables", what, given->size(), p));
    if (given && !given->allFinite()) throw Error(fmt::format("{}: not all are finite", what));
  };
  check("means", preparation.means);
  check("scales", preparation.scales);
  if (preparation.scales && preparation.scales->minCoeff() < 0)
    throw Error(fmt::format("scales: {} is negative", preparation.scales->minCoeff()));
}

Vector genotype_scales(const Vector& means) {
  return means.unaryExpr(
      [](double mean) { return std::sqrt(std::max(mean * (1 - mean / 2), 0.0)); });
}

Vector inverse_scales(const Vector& scales) {
  return scales.unaryExpr([](double s) { return s > 0 ? 1 / s : 0.0; });
}

DataMatrix::DataMatrix(Index rows, Index cols, std::optional<Index> samples, double entries)
    : rows_(rows),
      cols_(cols),
      samples_(samples),
      entries_(entries),
      subtracts_products_(entries < static_cast<double>(rows) * static_cast<double>(cols)) {
  if (rows < 1 || cols < 1)
    throw Error(
        fmt::format("the table is {} x {}: it needs at least one row and one column", rows, cols));
}

void DataMatrix::set_statistics(Preparation used, Vector column_squared_norms,
                                std::vector<Index> constant_columns) {
  preparation_ = std::move(used);
  column_squared_norms_ = std::move(column_squared_norms);
  constant_columns_ = std::move(constant_columns);
}

Matrix DataMatrix::times(ConstBlock x, const Tick& tick) const {
  check_height("times", x, cols());
  const ThreadScope scope(threads_for(rows(), cols(), x.cols() + kReading));
  Matrix y(rows(), x.cols());
  do_times(x, y, tick);
  return y;
}

Matrix DataMatrix::adjoint_times(ConstBlock y, const Tick& tick) const {
  check_height("adjoint_times", y, rows());
  const ThreadScope scope(threads_for(rows(), cols(), y.cols() + kReading));
  Matrix x(cols(), y.cols());
  do_adjoint_times(y, x, tick);
  return x;
}

Matrix DataMatrix::gram_times(ConstBlock x, const Tick& tick) const {
  check_height("gram_times", x, cols());
  const ThreadScope scope(threads_for(rows(), cols(), x.cols() + kReading));
  Matrix y(cols(), x.cols());
  do_gram_times(x, y, tick);
  return y;
}

Matrix DataMatrix::gram(const Tick& tick) const {
  const ThreadScope scope(threads_for(rows(), cols(), cols()));
  Matrix g(cols(), cols());
  do_gram(g, tick);
  return g;
}

Matrix DataMatrix::outer_gram(const Tick& tick) const {
  const ThreadScope scope(threads_for(rows(), cols(), rows()));
  Matrix g(rows(), rows());
  do_outer_gram(g, tick);
  return g;
}

Matrix DataMatrix::gram_of(std::span<const Index> variables, const Tick& tick) const {
  for (std::size_t k = 0; k < variables.size(); ++k)
    if (variables[k] < (k > 0 ? variables[k - 1] + 1 : 0) || variables[k] >= cols())
      throw Error(fmt::format("gram_of: variable {} is out of order or not below {}", variables[k],
                              cols()));
  const auto count = static_cast<Index>(variables.size());
  const ThreadScope scope(threads_for(rows(), cols(), count + kReading));
  Matrix g(count, count);
  do_gram_of(variables, g, tick);
  return g;
}

void DataMatrix::do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const {
  constexpr Index kTogether = 64;
  const std::vector<Index> rows(variables.begin(), variables.end());
  for (Index first = 0; first < g.cols(); first += kTogether) {
    const Index count = std::min(kTogether, g.cols() - first);
    Matrix units = Matrix::Zero(cols(), count), products(cols(), count);
    for (Index k = 0; k < count; ++k) units(rows[static_cast<std::size_t>(first + k)], k) = 1;
    do_gram_times(units, products, tick);
    g.middleCols(first, count) = products(rows, Eigen::all);
  }
}

const Execution& DataMatrix::do_execution() const { return local_execution(); }

std::unique_ptr<DataMatrix> make_matrix(const Table& table, const Preparation& preparation,
                                        const Tick& tick) {
  return make_matrix(table, preparation, tick, FormGram::no);
}

std::unique_ptr<DataMatrix> make_matrix(const Table& table, const Preparation& preparation,
                                        const Tick& tick, FormGram gram) {
  if (table.genotypes && !preparation.genotypes) {
    Preparation of_genotypes = preparation;
    of_genotypes.genotypes = true;
    return make_matrix(table, of_genotypes, tick, gram);
  }
  if (table.covariance) return make_covariance(to_matrix(table), preparation);
  if (const auto* file = std::get_if<FileView>(&table.values))
    return make_file(*file, preparation, tick, gram);
  if (const auto* dense = std::get_if<DenseView>(&table.values))
    return make_dense(*dense, preparation, tick, gram);
  return make_sparse(std::get<SparseView>(table.values), preparation);
}

}  // namespace spcart
