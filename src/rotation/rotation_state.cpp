#include "rotation/rotation_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "rotation/spread_threshold.hpp"
#include "rotation/threshold.hpp"

namespace spcart {

RotationState::RotationState(const BasisPanels& whole, const RowPartition& partition,
                             const RotateOptions& options, Matrix start)
    : whole_(whole),
      partition_(partition),
      options_(options),
      r_(whole.components()),
      rotation_(std::move(start)),
      truncated_from_(rotation_),
      polar_(r_),
      thresholds_(static_cast<std::size_t>(r_)),
      x_(whole.slices(), r_),
      before_(x_),
      product_(r_, r_) {
  const Truncation& t = options.truncation;
  if (selects()) {
    work_on({}, 0);
    return;
  }
  std::ranges::fill(
      thresholds_,
      Threshold{.least = t.lambda, .shrink = t.type == TruncationType::soft ? t.lambda : 0});
  work_on(whole.above(t.lambda), t.lambda);
}

void RotationState::iterate() {
  std::swap(x_, before_);
  if (selects() && partition_.is_whole() && history_.size() > 1 &&
      std::has_single_bit(history_.size()))
    leave_out_rows();
  clear();
  rotate();
  if (selects()) {
    if (!select()) {
      work_on({}, 0);
      clear();
      rotate();
      select();
    }
    basis_->for_panels(0, [&](Index slice, Index first, Index count) {
      truncate(slice, first, z_.middleRows(first, count));
    });
  }
  end();
}

void RotationState::move_to(RotationResult& result) {
  x_.loadings(*basis_).swap(result.loadings);  // Eigen would copy what is moved
  result.rotation = std::move(rotation_);
  result.truncated_from = std::move(truncated_from_);
  result.history = std::move(history_);
  result.status = status_;
}

/// Continues with the given rows, or with all: no entry of the others can reach the bound.
void RotationState::work_on(std::optional<BasisPanels> fewer, double bound) {
  const BasisPanels& next = fewer ? *fewer : whole_;
  SlicedLoadings moved(next.slices(), r_);
  if (!history_.empty()) moved.take(before_.loadings(*basis_), next);
  before_ = std::move(moved);
  x_ = SlicedLoadings(next.slices(), r_);
  fewer_.reset();
  if (fewer) fewer_.emplace(std::move(*fewer));
  basis_ = fewer_ ? &*fewer_ : &whole_;
  bound_ = fewer_ ? bound : 0;
  if (selects()) z_.resize(basis_->variables(), r_);
  if (fewer_ && options_.truncation.type == TruncationType::energy)
    left_gram_ = whole_.gram() - fewer_->gram();
  const Index panel = selects() ? 0 : basis_->panel_size(r_);
  parts_.assign(static_cast<std::size_t>(basis_->slices()),
                {Matrix(panel, r_), Matrix(basis_->transposed().rows(), r_), Vector(r_), {}});
}

/// Thresholds change little between iterations: rows well below all of them can be left out until a
/// threshold falls below that.
void RotationState::leave_out_rows() {
  constexpr double kWell = 0.7;
  double least = std::numeric_limits<double>::infinity();
  for (const Threshold& t : thresholds_) least = std::min(least, t.least);
  if (!(least > 0) || std::isinf(least)) return;
  if (auto fewer = whole_.above(kWell * least)) work_on(std::move(fewer), kWell * least);
}

void RotationState::clear() {
  for (Index slice = 0; slice < basis_->slices(); ++slice) {
    x_.clear(slice);
    part(slice).product.setZero();
    part(slice).zeroed.setZero();
  }
}

void RotationState::rotate() {
  basis_->for_panels(r_, [&](Index slice, Index first, Index count) {
    Eigen::Block<Matrix> z =
        selects() ? z_.middleRows(first, count) : part(slice).panel.topRows(count);
    z.noalias() = basis_->rows(first, count) * rotation_.transpose();
    if (!selects()) truncate(slice, first, z);
  });
}

/// Thresholds that depend on all of Z; false if rows that are left out may be above one of them.
bool RotationState::select() {
  if (partition_.is_whole())
    parallel_for(basis_->slices(), basis_->slices() > 1, [&](Index slice) { select_some(slice); });
  else
    select_spread(z_, options_.truncation, partition_, thresholds_);
  return std::ranges::all_of(thresholds_, [&](const Threshold& t) { return t.least >= bound_; });
}

/// The last thresholds are good initial guesses.
void RotationState::select_some(Index slice) {
  LeftOut left{.count = static_cast<std::size_t>(basis_->all_variables() - basis_->variables())};
  for (Index i = slice; i < r_; i += basis_->slices()) {
    if (std::isinf(threshold(i).least)) continue;
    if (fewer_ && options_.truncation.type == TruncationType::energy)
      left.energy = std::max(rotation_.row(i).dot(rotation_.row(i) * left_gram_), 0.0);
    threshold(i) = spcart::select({z_.col(i).data(), static_cast<std::size_t>(z_.rows())},
                                  options_.truncation, part(slice).work, threshold(i).least, left);
  }
}

void RotationState::end() {
  x_.measure(lengths_, l1_);
  Matrix& sum = parts_.front().product;
  for (std::size_t s = 1; s < parts_.size(); ++s) sum += parts_[s].product;
  double zeroed = basis_->left_out();
  for (const Part& part : parts_) zeroed += part.zeroed.sum();
  auto nonzeros = static_cast<double>(x_.nonzeros());
  sum_over_ranks(zeroed, nonzeros);
  Matrix change(1, 1);
  change(0) = x_.normalize(lengths_, before_);
  partition_.sum(change);
  divide_products();
  std::swap(truncated_from_, rotation_);
  const double trace_norm = update();
  const auto r = static_cast<double>(r_);
  const auto p = static_cast<double>(partition_.total_rows());
  change(0) = std::sqrt(change(0) / r);
  history_.push_back({.change = change(0),
                      .truncated_energy = zeroed / r,
                      .sparsity = 1 - nonzeros / (r * p),
                      .objective = objective(nonzeros, trace_norm)});
  if (change(0) < options_.tolerance)
    status_ = Status::converged;
  else if (static_cast<Index>(history_.size()) == options_.max_iterations)
    status_ = Status::iteration_limit;
}

void RotationState::truncate(Index slice, Index first, ConstBlock z) {
  Part& s = part(slice);
  const Matrix& vt = basis_->transposed();
  for (Index i = 0; i < z.cols(); ++i) {
    SlicedLoadings::Part& x = x_.part(slice, i);
    const std::size_t kept =
        x.append(z.col(i).data(), static_cast<std::int32_t>(first),
                 static_cast<std::int32_t>(z.rows()), threshold(i), &s.zeroed[i]);
    const std::size_t old = x.size - kept;
    add_columns(vt.data(), vt.rows(), x.rows.data() + old, x.values.data() + old, kept,
                s.product.col(i).data());
  }
}

/// Everything that an iteration needs from the other rows, in one sum of about r x r numbers.
void RotationState::sum_over_ranks(double& zeroed, double& nonzeros) {
  if (partition_.is_whole()) return;
  const Index r = r_;
  Matrix all = Matrix::Zero(r + 4, r);
  all.topRows(r) = parts_.front().product.topRows(r);
  all.row(r) = lengths_.cwiseAbs2().transpose();
  all.row(r + 1) = l1_.transpose();
  all(r + 2, 0) = zeroed;
  all(r + 3, 0) = nonzeros;
  partition_.sum(all);
  parts_.front().product.topRows(r) = all.topRows(r);
  lengths_ = all.row(r).transpose().cwiseSqrt();
  l1_ = all.row(r + 1).transpose();
  zeroed = all(r + 2, 0);
  nonzeros = all(r + 3, 0);
}

/// The polar step, and the trace norm of X'V.
double RotationState::update() {
  Matrix trace_norm(1, 1);
  if (partition_.is_root()) trace_norm(0) = polar_(product_, rotation_);
  partition_.broadcast(rotation_);
  partition_.broadcast(trace_norm);
  return trace_norm(0);
}

/// X'V of the normalised X. A loading that became empty stays zero: the objective could rise if it
/// came back.
void RotationState::divide_products() {
  const Matrix& sum = parts_.front().product;
  for (Index i = 0; i < r_; ++i) {
    const bool empty = !(lengths_[i] > 0);
    if (empty) threshold(i).least = std::numeric_limits<double>::infinity();
    product_.row(i) = sum.col(i).head(r_).transpose() / (empty ? 1 : lengths_[i]);
  }
}

/// What Algorithm 1 minimises, after the polar step: |V - X R|^2 / 2 = (r + |X|^2) / 2 - tr(R'X'V),
/// where tr(R'X'V) is the trace norm of X'V. Soft and hard add their penalties; count and energy
/// have none.
double RotationState::objective(double nonzeros, double trace_norm) const {
  const auto r = static_cast<double>(r_);
  const auto columns = static_cast<double>((lengths_.array() > 0).count());
  const double distance = (r + columns) / 2 - trace_norm, lambda = options_.truncation.lambda;
  if (options_.truncation.type == TruncationType::hard)
    return distance + lambda * lambda / 2 * nonzeros;
  if (options_.truncation.type == TruncationType::soft)
    return distance +
           lambda * (lengths_.array() > 0).select(l1_.array() / lengths_.array(), 0.0).sum();
  return distance;
}

}  // namespace spcart
