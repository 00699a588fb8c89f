#include "mpi/local_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "data/stored/stored.hpp"
#include "spcart/error.hpp"

namespace spcart::mpi {
namespace {

std::unique_ptr<DataMatrix> prepared(const Table& table, const Preparation& preparation,
                                     const Tick& tick, FormGram gram, const std::string& name) {
  try {
    return make_matrix(table, preparation, tick, gram);
  } catch (const Error& error) {
    throw error.in(name);
  }
}

}  // namespace

Moments no_moments(Index variables) { return Moments::Zero(3, variables); }

void merge(const Eigen::Ref<const Moments>& more, Eigen::Ref<Moments> into) {
  for (Index j = 0; j < into.cols(); ++j) {
    const auto from = more.col(j);
    auto to = into.col(j);
    if (from[0] == 0) continue;
    if (to[0] == 0) {
      to = from;
      continue;
    }
    const double count = to[0] + from[0], apart = from[1] - to[1];
    to[2] += from[2] + apart * apart * (to[0] * (from[0] / count));
    to[1] += apart * (from[0] / count);
    to[0] = count;
  }
}

LocalRows::LocalRows(std::span<const Table> tables, std::span<const std::string> names, Index cols,
                     const Preparation& preparation, const Tick& tick, FormGram gram)
    : cols_(cols), moments_(no_moments(cols)), rounding_(Vector::Zero(cols)) {
  const Preparation own{.remove_row_mean = preparation.remove_row_mean,
                        .precision = preparation.precision};
  if (tables.size() > 1) gram = FormGram::no;  // otherwise each part would keep a Gram matrix
  for (std::size_t k = 0; k < tables.size(); ++k) {
    std::unique_ptr<DataMatrix> a =
        prepared(tables[k], own, tick, gram, k < names.size() ? names[k] : "");
    Moments moments(3, cols);
    moments.row(0).setConstant(static_cast<double>(a->rows()));
    moments.row(1) = a->means().transpose();
    moments.row(2) = a->column_squared_norms().transpose();
    merge(moments, moments_);
    const auto& stored = dynamic_cast<const StoredMatrix&>(*a);
    rounding_ = rounding_.cwiseMax(stored.rounding());
    gram_seconds_ += a->plan().gram;
    rows_ += a->rows();
    entries_ += a->entries();
    parts_.push_back({std::move(a), {}});
  }
}

void LocalRows::prepare(const Vector& means, Vector inverse_scales) {
  inverse_scales_ = std::move(inverse_scales);
  for (Part& part : parts_) part.shift = part.about_means->means() - means;
}

Matrix LocalRows::times(ConstBlock x, const Tick& tick) const {
  const Matrix dx = inverse_scales_.asDiagonal() * x;
  Matrix y(rows_, x.cols());
  Index row = 0;
  for (const Part& part : parts_) {
    auto rows = y.middleRows(row, part.about_means->rows());
    rows = part.about_means->times(dx, tick);
    rows.rowwise() += part.shift.transpose() * dx;
    row += rows.rows();
  }
  return y;
}

Matrix LocalRows::adjoint_times(ConstBlock y, const Tick& tick) const {
  Matrix x = Matrix::Zero(cols_, y.cols());
  Index row = 0;
  for (const Part& part : parts_) {
    const auto rows = y.middleRows(row, part.about_means->rows());
    x += part.about_means->adjoint_times(rows, tick);
    x.noalias() += part.shift * rows.colwise().sum();
    row += rows.rows();
  }
  return inverse_scales_.asDiagonal() * x;
}

Matrix LocalRows::gram_times(ConstBlock x, const Tick& tick) const {
  const Matrix dx = inverse_scales_.asDiagonal() * x;
  Matrix y = Matrix::Zero(cols_, x.cols());
  for (const Part& part : parts_) {
    y += part.about_means->gram_times(dx, tick);
    const auto n = static_cast<double>(part.about_means->rows());
    y.noalias() += part.shift * (n * (part.shift.transpose() * dx));
  }
  return inverse_scales_.asDiagonal() * y;
}

Matrix LocalRows::gram(const Tick& tick) const {
  Matrix g = Matrix::Zero(cols_, cols_);
  for (const Part& part : parts_) {
    g += part.about_means->gram(tick);
    const Vector between = std::sqrt(static_cast<double>(part.about_means->rows())) * part.shift;
    g.noalias() += between * between.transpose();
  }
  return inverse_scales_.asDiagonal() * g * inverse_scales_.asDiagonal();
}

}  // namespace spcart::mpi
