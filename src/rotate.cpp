#include "spcart/rotate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
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

/// One setting on its way through Algorithm 1. A turn is begin(), what the sweep over the basis
/// does, and end().
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
        x_(basis.slices(), basis.variables(), basis.components()),
        before_(x_),
        thresholds_(static_cast<std::size_t>(basis.components())),
        sums_(static_cast<std::size_t>(basis.slices()),
              {Matrix(basis.transposed().rows(), basis.components()),
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

  const Matrix& rotation() const { return rotation_; }
  bool done() const { return status_ != Status::not_run; }
  double progress() const {
    return static_cast<double>(history_.size()) / static_cast<double>(options_.max_iterations);
  }

  /// Whether a threshold depends on the whole of a rotated loading.
  bool selects() const {
    return options_.truncation.type == TruncationType::count ||
           options_.truncation.type == TruncationType::energy;
  }

  void begin() {
    std::swap(x_, before_);
    for (Index slice = 0; slice < basis_.slices(); ++slice) {
      x_.clear(slice);
      sums(slice).product.setZero();
      sums(slice).zeroed.setZero();
    }
  }

  /// Takes a panel of Z = V R' from variable `first` on.
  void take(Index slice, Index first, ConstBlock z) {
    if (selects())
      z_.middleRows(first, z.rows()) = z;
    else
      truncate(slice, first, z);
  }

  /// Thresholds of all components, where they depend on rows that others have.
  void select_spread() { spcart::select_spread(z_, options_.truncation, *others_, thresholds_); }

  /// Thresholds of some of the components, the last ones being good guesses.
  void select_some(Index slice) {
    for (Index i = slice; i < basis_.components(); i += basis_.slices()) {
      Threshold& threshold = thresholds_[static_cast<std::size_t>(i)];
      if (std::isinf(threshold.least)) continue;
      threshold = select({z_.col(i).data(), static_cast<std::size_t>(z_.rows())},
                         options_.truncation, sums(slice).work, threshold.least);
    }
  }

  void truncate_kept(Index slice, Index first, Index count) {
    truncate(slice, first, z_.middleRows(first, count));
  }

  void end() {
    x_.measure(lengths_, l1_);
    Matrix& sum = sums_.front().product;
    for (std::size_t s = 1; s < sums_.size(); ++s) sum += sums_[s].product;
    double zeroed = 0;
    for (const Sums& s : sums_) zeroed += s.zeroed.sum();
    auto nonzeros = static_cast<double>(x_.nonzeros());
    if (others_) sum_with_others(zeroed, nonzeros);
    Matrix change(1, 1);
    change(0) = x_.normalize(lengths_, before_);
    if (others_) others_->sum(change);
    divide_products();
    std::swap(truncated_from_, rotation_);
    const double trace_norm = turn();
    const auto r = static_cast<double>(basis_.components());
    const auto p = static_cast<double>(others_ ? others_->all() : basis_.variables());
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

  Rotated result() && {
    return {x_.loadings(), std::move(rotation_), std::move(truncated_from_), std::move(history_),
            status_};
  }

 private:
  /// What a slice contributes.
  struct Sums {
    Matrix product;  ///< (X'V)' before X is normalised, with the basis's rows of zeros
    Vector zeroed;   ///< of each rotated loading |z|^2 over the entries set to zero
    std::vector<double> work;
  };
  Sums& sums(Index slice) { return sums_[static_cast<std::size_t>(slice)]; }

  void truncate(Index slice, Index first, ConstBlock z) {
    Sums& s = sums(slice);
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
    all.topRows(r) = sums_.front().product.topRows(r);
    all.row(r) = lengths_.cwiseAbs2().transpose();
    all.row(r + 1) = l1_.transpose();
    all(r + 2, 0) = zeroed;
    all(r + 3, 0) = nonzeros;
    others_->sum(all);
    sums_.front().product.topRows(r) = all.topRows(r);
    lengths_ = all.row(r).transpose().cwiseSqrt();
    l1_ = all.row(r + 1).transpose();
    zeroed = all(r + 2, 0);
    nonzeros = all(r + 3, 0);
  }

  /// The polar step, and the trace norm of X'V.
  double turn() {
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
    const Matrix& sum = sums_.front().product;
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
  std::vector<Sums> sums_;
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

/// Turns all settings that go on, their rotations side by side in one product with V.
class Sweep {
 public:
  Sweep(const BasisPanels& basis, std::size_t settings, const OtherRows* others)
      : basis_(basis),
        others_(others),
        rotations_(basis.components() * static_cast<Index>(settings), basis.components()),
        panels_(static_cast<std::size_t>(basis.slices()),
                Matrix(basis.panel_size(rotations_.rows()), rotations_.rows())) {}

  void operator()(std::span<Turning*> settings) {
    const Index r = basis_.components();
    const auto width = r * static_cast<Index>(settings.size());
    for (std::size_t k = 0; k < settings.size(); ++k) {
      settings[k]->begin();
      rotations_.middleRows(static_cast<Index>(k) * r, r) = settings[k]->rotation();
    }
    basis_.for_panels(rotations_.rows(), [&](Index slice, Index first, Index count) {
      auto z = panels_[static_cast<std::size_t>(slice)].topLeftCorner(count, width);
      z.noalias() = basis_.rows(first, count) * rotations_.topRows(width).transpose();
      for (std::size_t k = 0; k < settings.size(); ++k)
        settings[k]->take(slice, first, z.middleCols(static_cast<Index>(k) * r, r));
    });
    select(settings);
    parallel_for(static_cast<Index>(settings.size()), settings.size() > 1 && !others_,
                 [&](Index k) { settings[static_cast<std::size_t>(k)]->end(); });
  }

 private:
  void select(std::span<Turning*> settings) {
    for (Turning* setting : settings) {
      if (!setting->selects()) continue;
      if (others_)
        setting->select_spread();
      else
        parallel_for(basis_.slices(), basis_.slices() > 1,
                     [&](Index slice) { setting->select_some(slice); });
      basis_.for_panels(0, [&](Index slice, Index first, Index count) {
        setting->truncate_kept(slice, first, count);
      });
    }
  }

  const BasisPanels& basis_;
  const OtherRows* others_;
  Matrix rotations_;            ///< R of each setting
  std::vector<Matrix> panels_;  ///< of each slice
};

/// Turns all settings to their ends, side by side.
std::vector<Rotated> turn(const BasisPanels& basis, std::vector<Turning> turnings, const Tick& tick,
                          const OtherRows* others) {
  Sweep sweep(basis, turnings.size(), others);
  std::vector<Turning*> active;
  active.reserve(turnings.size());
  for (Turning& turning : turnings) active.push_back(&turning);
  while (!active.empty()) {
    tell(tick, active.front()->progress(), others);
    sweep(active);
    std::erase_if(active, [](const Turning* turning) { return turning->done(); });
  }
  std::vector<Rotated> results;
  results.reserve(turnings.size());
  for (Turning& turning : turnings) results.push_back(std::move(turning).result());
  return results;
}

std::vector<Rotated> rotate_all(ConstBlock v, std::span<const RotateOptions> settings,
                                const Tick& tick, const OtherRows* others) {
  const ThreadScope scope(threads_for(v.rows(), v.cols(), v.cols()));
  const BasisPanels basis(v);
  if (!others && !basis.gram().isIdentity(kOrthonormal))
    throw Error("basis: its columns are not orthonormal");
  const Index p = others ? others->all() : v.rows();
  const auto step = static_cast<std::size_t>(settings_together(p, v.cols()));
  Matrix varimax;
  std::vector<Rotated> results;
  for (std::size_t first = 0; first < settings.size(); first += step) {
    std::vector<Turning> turnings;
    for (const RotateOptions& options :
         settings.subspan(first, std::min(step, settings.size() - first))) {
      Matrix start = starting_rotation(basis, options, varimax, tick, others);
      if (others) others->take_from_first(start);
      turnings.emplace_back(basis, options, std::move(start), others);
    }
    std::ranges::move(turn(basis, std::move(turnings), tick, others), std::back_inserter(results));
  }
  return results;
}

}  // namespace

Rotated rotate_and_truncate(ConstBlock v, const RotateOptions& options, const Tick& tick) {
  return std::move(rotate_and_truncate_all(v, std::span(&options, 1), tick).front());
}

std::vector<Rotated> rotate_and_truncate_all(ConstBlock v, std::span<const RotateOptions> settings,
                                             const Tick& tick) {
  if (settings.empty()) return {};
  for (const RotateOptions& options : settings) check(v, options);
  return rotate_all(v, settings, tick, nullptr);
}

std::vector<Rotated> rotate_rows(ConstBlock rows, std::span<const RotateOptions> settings,
                                 const Tick& tick, const OtherRows& others) {
  return rotate_all(rows, settings, tick, &others);
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
