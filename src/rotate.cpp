#include "spcart/rotate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "basis_panels.hpp"
#include "lapack.hpp"
#include "polar.hpp"
#include "random.hpp"
#include "rotate_rows.hpp"
#include "selection.hpp"
#include "sliced_loadings.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spread_selection.hpp"

namespace spcart {
namespace {

/// How far V'V may be from the identity.
constexpr double kOrthonormal = 1e-6;

/// Whether a threshold depends on the whole of a rotated loading.
bool selects_all(TruncationType type) {
  return type == TruncationType::count || type == TruncationType::energy;
}

/// One setting on its way through Algorithm 1.
class Turning {
 public:
  Turning(const BasisPanels& basis, const RotateOptions& options, Matrix start,
          const OtherRows* others)
      : basis_(basis),
        others_(others),
        options_(options),
        rotation_(std::move(start)),
        truncated_from_(rotation_),
        polar_(basis.components()),
        x_(basis.slices(), basis.components()),
        before_(x_),
        thresholds_(static_cast<std::size_t>(basis.components())),
        parts_(static_cast<std::size_t>(basis.slices()),
               {Matrix(selects() ? 0 : basis.panel_size(basis.components()), basis.components()),
                Matrix(basis.transposed().rows(), basis.components()),
                Vector(basis.components()),
                {}}),
        product_(basis.components(), basis.components()) {
    if (selects()) z_.resize(basis.variables(), basis.components());
    const Truncation& t = options.truncation;
    if (!selects())
      std::ranges::fill(
          thresholds_,
          Threshold{.least = t.lambda, .shrink = t.type == TruncationType::soft ? t.lambda : 0});
  }

  bool done() const { return status_ != Status::not_run; }
  double progress() const {
    return static_cast<double>(history_.size()) / static_cast<double>(options_.max_iterations);
  }

  void turn() {
    begin();
    rotate();
    if (selects()) select();
    end();
  }

  void move_to(Rotated& result) {
    x_.loadings(basis_).swap(result.loadings);  // Eigen would copy what is moved
    result.rotation = std::move(rotation_);
    result.truncated_from = std::move(truncated_from_);
    result.history = std::move(history_);
    result.status = status_;
  }

 private:
  /// What a slice works on, and what it contributes.
  struct Part {
    Matrix panel;    ///< some rows of Z = V R'
    Matrix product;  ///< (X'V)' before X is normalised, with the basis's rows of zeros
    Vector zeroed;   ///< of each rotated loading |z|^2 over the entries set to zero
    std::vector<double> work;
  };
  Part& part(Index slice) { return parts_[static_cast<std::size_t>(slice)]; }

  bool selects() const { return selects_all(options_.truncation.type); }

  void begin() {
    std::swap(x_, before_);
    for (Index slice = 0; slice < basis_.slices(); ++slice) {
      x_.clear(slice);
      part(slice).product.setZero();
      part(slice).zeroed.setZero();
    }
  }

  void rotate() {
    basis_.for_panels(basis_.components(), [&](Index slice, Index first, Index count) {
      Eigen::Block<Matrix> z =
          selects() ? z_.middleRows(first, count) : part(slice).panel.topRows(count);
      z.noalias() = basis_.rows(first, count) * rotation_.transpose();
      if (!selects()) truncate(slice, first, z);
    });
  }

  /// Thresholds that depend on all of Z, the last ones being good guesses; then truncates.
  void select() {
    if (others_)
      select_spread(z_, options_.truncation, *others_, thresholds_);
    else
      parallel_for(basis_.slices(), basis_.slices() > 1, [&](Index slice) { select_some(slice); });
    basis_.for_panels(0, [&](Index slice, Index first, Index count) {
      truncate(slice, first, z_.middleRows(first, count));
    });
  }

  void select_some(Index slice) {
    for (Index i = slice; i < basis_.components(); i += basis_.slices()) {
      Threshold& threshold = thresholds_[static_cast<std::size_t>(i)];
      if (std::isinf(threshold.least)) continue;
      threshold = spcart::select({z_.col(i).data(), static_cast<std::size_t>(z_.rows())},
                                 options_.truncation, part(slice).work, threshold.least);
    }
  }

  void end() {
    x_.measure(lengths_, l1_);
    Matrix& sum = parts_.front().product;
    for (std::size_t s = 1; s < parts_.size(); ++s) sum += parts_[s].product;
    double zeroed = basis_.left_out();
    for (const Part& part : parts_) zeroed += part.zeroed.sum();
    auto nonzeros = static_cast<double>(x_.nonzeros());
    if (others_) sum_with_others(zeroed, nonzeros);
    Matrix change(1, 1);
    change(0) = x_.normalize(lengths_, before_);
    if (others_) others_->sum(change);
    divide_products();
    std::swap(truncated_from_, rotation_);
    const double trace_norm = update();
    const auto r = static_cast<double>(basis_.components());
    const auto p = static_cast<double>(others_ ? others_->all() : basis_.all_variables());
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

  void truncate(Index slice, Index first, ConstBlock z) {
    Part& s = part(slice);
    const Matrix& vt = basis_.transposed();
    for (Index i = 0; i < z.cols(); ++i) {
      SlicedLoadings::Part& x = x_.part(slice, i);
      const std::size_t kept = x.append(z.col(i).data(), static_cast<std::int32_t>(first),
                                        static_cast<std::int32_t>(z.rows()),
                                        thresholds_[static_cast<std::size_t>(i)], &s.zeroed[i]);
      const std::size_t old = x.size - kept;
      add_columns(vt.data(), vt.rows(), x.rows.data() + old, x.values.data() + old, kept,
                  s.product.col(i).data());
    }
  }

  /// All that a turn needs to know of the other rows, in one sum of about r x r numbers.
  void sum_with_others(double& zeroed, double& nonzeros) {
    const Index r = basis_.components();
    Matrix all = Matrix::Zero(r + 4, r);
    all.topRows(r) = parts_.front().product.topRows(r);
    all.row(r) = lengths_.cwiseAbs2().transpose();
    all.row(r + 1) = l1_.transpose();
    all(r + 2, 0) = zeroed;
    all(r + 3, 0) = nonzeros;
    others_->sum(all);
    parts_.front().product.topRows(r) = all.topRows(r);
    lengths_ = all.row(r).transpose().cwiseSqrt();
    l1_ = all.row(r + 1).transpose();
    zeroed = all(r + 2, 0);
    nonzeros = all(r + 3, 0);
  }

  /// The polar step, and the trace norm of X'V.
  double update() {
    if (!others_) return polar_(product_, rotation_);
    Matrix trace_norm(1, 1);
    if (others_->is_first()) trace_norm(0) = polar_(product_, rotation_);
    others_->take_from_first(rotation_);
    others_->take_from_first(trace_norm);
    return trace_norm(0);
  }

  /// X'V of the normalised X. A loading that is emptied once stays zero: the objective could rise
  /// if it came back.
  void divide_products() {
    const Matrix& sum = parts_.front().product;
    for (Index i = 0; i < basis_.components(); ++i) {
      const bool empty = !(lengths_[i] > 0);
      if (empty)
        thresholds_[static_cast<std::size_t>(i)].least = std::numeric_limits<double>::infinity();
      product_.row(i) =
          sum.col(i).head(basis_.components()).transpose() / (empty ? 1 : lengths_[i]);
    }
  }

  /// What Algorithm 1 lowers, after the polar step: |V - X R|^2 / 2 = (r + |X|^2) / 2 - tr(R'X'V),
  /// and tr(R'X'V) is the trace norm of X'V. Soft and hard add their penalties; count and energy
  /// have none.
  double objective(double nonzeros, double trace_norm) const {
    const auto r = static_cast<double>(basis_.components());
    const auto columns = static_cast<double>((lengths_.array() > 0).count());
    const double distance = (r + columns) / 2 - trace_norm, lambda = options_.truncation.lambda;
    if (options_.truncation.type == TruncationType::hard)
      return distance + lambda * lambda / 2 * nonzeros;
    if (options_.truncation.type == TruncationType::soft)
      return distance +
             lambda * (lengths_.array() > 0).select(l1_.array() / lengths_.array(), 0.0).sum();
    return distance;
  }

  const BasisPanels& basis_;
  const OtherRows* others_;  ///< null where all rows are here
  const RotateOptions& options_;
  Matrix rotation_, truncated_from_;
  PolarSteps polar_;
  SlicedLoadings x_, before_;
  std::vector<Threshold> thresholds_;
  std::vector<Part> parts_;
  Matrix product_;  ///< X'V
  Matrix z_;        ///< Z, where thresholds depend on all of it
  Vector lengths_, l1_;
  std::vector<Iteration> history_;
  Status status_ = Status::not_run;
};

/// Of several settings that start by varimax it is found once, and kept in `varimax`.
Matrix starting_rotation(const BasisPanels& basis, const RotateOptions& options, Matrix& varimax,
                         const Tick& tick, const OtherRows* others) {
  const Index r = basis.components();
  if (options.from.size() > 0) return options.from;
  switch (options.start) {
    case Start::identity:
      return Matrix::Identity(r, r);
    case Start::varimax:
      if (varimax.size() == 0) varimax = varimax_of_rows(basis, tick, others);
      return varimax;
    case Start::random:
      return random_rotation(r, options.seed);
    default:
      throw Error(fmt::format("start = {}: it is no rotation", name(options.start)));
  }
}

void check(ConstBlock v, const RotateOptions& options) {
  if (v.cols() < 1 || v.rows() < v.cols())
    throw Error(
        fmt::format("basis: it is {} x {}; it needs at least one column, and no more columns "
                    "than rows",
                    v.rows(), v.cols()));
  if (v.rows() > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("basis: it has {} rows, more than 2^31 - 1", v.rows()));
  const Matrix& from = options.from;
  if (from.size() > 0 && (from.rows() != v.cols() || from.cols() != v.cols() ||
                          !(from.transpose() * from).isIdentity(kOrthonormal)))
    throw Error(fmt::format("from: it must be an orthogonal {} x {} matrix", v.cols(), v.cols()));
  if (!(options.tolerance >= 0))
    throw Error(fmt::format("tolerance = {}: it must be at least 0", options.tolerance));
  if (options.max_iterations < 1)
    throw Error(fmt::format("max-iterations = {}: it must be at least 1", options.max_iterations));
  spcart::check(options.truncation, v.rows());
}

/// Turns a setting to its end.
void turn(const BasisPanels& whole, const RotateOptions& options, Matrix start, const Tick& tick,
          const OtherRows* others, Rotated& result) {
  const Truncation& t = options.truncation;
  const auto fewer = selects_all(t.type) ? std::nullopt : whole.above(t.lambda);
  Turning turning(fewer ? *fewer : whole, options, std::move(start), others);
  while (!turning.done()) {
    tell(tick, turning.progress(), others);
    turning.turn();
  }
  turning.move_to(result);
}

}  // namespace

Rotated rotate_and_truncate(ConstBlock v, const RotateOptions& options, const Tick& tick) {
  return std::move(rotate_and_truncate_all(v, std::span(&options, 1), tick).front());
}

std::vector<Rotated> rotate_and_truncate_all(ConstBlock v, std::span<const RotateOptions> settings,
                                             const Tick& tick) {
  if (settings.empty()) return {};
  for (const RotateOptions& options : settings) check(v, options);
  const BasisPanels basis(v);
  if (!basis.gram().isIdentity(kOrthonormal)) throw Error("basis: its columns are not orthonormal");
  return rotate_rows(basis, settings, tick, nullptr);
}

std::vector<Rotated> rotate_rows(const BasisPanels& rows, std::span<const RotateOptions> settings,
                                 const Tick& tick, const OtherRows* others) {
  constexpr Index kTurns = 20;  // that a setting takes, more or less
  const auto count = static_cast<Index>(settings.size());
  const Index r = rows.components(), threads_each = threads_for(rows.variables(), r, r);
  const bool apart = !others && count > 1 && count >= threads_each &&
                     threads_for(rows.variables() * kTurns * count, r, r) > 1;
  const ThreadScope scope(apart ? 0 : threads_each);
  Matrix varimax;
  std::vector<Matrix> starts;
  for (const RotateOptions& options : settings) {
    starts.push_back(starting_rotation(rows, options, varimax, tick, others));
    if (others) others->take_from_first(starts.back());
  }
  std::vector<Rotated> results(settings.size());
  SharedTick shared(tick);
  parallel_for(count, apart, [&](Index k) {
    const ThreadScope alone(apart ? 1 : 0);
    const auto place = static_cast<std::size_t>(k);
    turn(rows, settings[place], std::move(starts[place]), std::ref(shared), others, results[place]);
  });
  return results;
}

void check_rotation(ConstBlock v, std::span<const RotateOptions> settings) {
  for (const RotateOptions& options : settings) check(v, options);
  if (!settings.empty() && !(v.transpose() * v).isIdentity(kOrthonormal))
    throw Error("basis: its columns are not orthonormal");
}

Index settings_together(Index variables, Index components) {
  constexpr Index kMost = 16, kNumbers = Index{1} << 25, kOfASetting = 4;
  return std::clamp<Index>(kNumbers / (kOfASetting * variables * components), 1, kMost);
}

Matrix random_rotation(Index r, std::uint64_t seed) {
  return orthonormalized(Random(seed).normal(r, r));
}

}  // namespace spcart
