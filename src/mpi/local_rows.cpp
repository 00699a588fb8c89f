#include "mpi/local_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/resample.hpp"
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

/// What is done to a part before the means and scales of the whole table are known.
Preparation about_own_means(const Preparation& preparation) {
  return {.remove_row_mean = preparation.remove_row_mean, .precision = preparation.precision};
}

/// All tables except covariances, which are never spread, are matrices of this kind.
std::unique_ptr<StoredMatrix> take_stored(std::unique_ptr<DataMatrix> a) {
  auto& stored = dynamic_cast<StoredMatrix&>(*a);
  static_cast<void>(a.release());
  return std::unique_ptr<StoredMatrix>(&stored);
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

LocalRows::LocalRows(Index cols)
    : cols_(cols), moments_(no_moments(cols)), rounding_(Vector::Zero(cols)) {}

LocalRows::LocalRows(std::span<const Table> tables, std::span<const std::string> names, Index cols,
                     const Preparation& preparation, const Tick& tick, FormGram gram)
    : LocalRows(cols) {
  const Preparation own = about_own_means(preparation);
  if (tables.size() > 1) gram = FormGram::no;  // otherwise each part would keep a Gram matrix
  for (std::size_t k = 0; k < tables.size(); ++k)
    add(prepared(tables[k], own, tick, gram, k < names.size() ? names[k] : ""), tables[k].values);
}

void LocalRows::add(std::unique_ptr<DataMatrix> about_means, Values values) {
  Part part{take_stored(std::move(about_means)), std::move(values)};
  const StoredMatrix& a = *part.about_means;
  Moments moments(3, cols_);
  moments.row(0).setConstant(static_cast<double>(a.rows()));
  moments.row(1) = a.means().transpose();
  moments.row(2) = a.column_squared_norms().transpose();
  merge(moments, moments_);
  rounding_ = rounding_.cwiseMax(a.rounding());
  gram_seconds_ += a.plan().gram;
  rows_ += a.rows();
  entries_ += a.entries();
  parts_.push_back(std::move(part));
}

bool LocalRows::in_memory() const {
  return std::ranges::all_of(
      parts_, [](const Part& part) { return part.about_means->stored_samples() != nullptr; });
}

LocalRows LocalRows::select(std::span<const Index> rows, const Preparation& preparation,
                            const Tick& tick, FormGram gram) const {
  const Preparation own = about_own_means(preparation);
  if (parts_.size() > 1) gram = FormGram::no;
  LocalRows selected(cols_);
  Index first = 0;
  auto next = rows.begin();
  for (const Part& part : parts_) {
    const Index last = first + part.about_means->rows();
    std::vector<Index> chosen;
    for (; next != rows.end() && *next < last; ++next) chosen.push_back(*next - first);
    first = last;
    if (chosen.empty()) continue;
    if (const auto* sparse = std::get_if<SparseView>(&part.values)) {
      const SparseView view = selected_rows(*sparse, chosen);
      selected.add(make_sparse(view, own), view);
    } else {
      selected.add(select_rows(*part.about_means, std::move(chosen), own, tick, gram), {});
    }
  }
  return selected;
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
