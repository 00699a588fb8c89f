#include "pca/krylov.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.hpp"
#include "data/stored/panels.hpp"
#include "linalg/lapack.hpp"

namespace spcart {
namespace {

/// A direction whose part outside the basis is below this fraction of |A'A| is only rounding error.
constexpr double kDependent = 1e-14;

/// Ritz values below this fraction of the first are too near its rounding error to be improved.
constexpr double kTooSmall = 1e-10;
constexpr double kOwnTolerance = 1e-4;

/// G = W R, where W replaces G: with fewer columns if those of G are dependent up to `threshold`.
/// By Cholesky if they are far from that: it is faster, and W is accurate enough if the same is
/// done to it once more.
struct Triangle {
  Matrix r;
  bool sound = false;  ///< no column was short or near the span of the others
};
Triangle orthonormalize(Matrix& g, double threshold) {
  constexpr double kIndependent = 1e-8, kSound = 0.25;
  const Matrix gram = g.transpose() * g;
  const Eigen::LLT<Matrix, Eigen::Upper> cholesky(gram);
  const auto pivots = cholesky.matrixLLT().diagonal().array();
  const auto outside = pivots.square() / gram.diagonal().array();
  if (cholesky.info() == Eigen::Success && (pivots > threshold / kIndependent).all() &&
      (outside > kIndependent).all()) {
    cholesky.matrixU().solveInPlace<Eigen::OnTheRight>(g);
    return {cholesky.matrixU(), (pivots.square() > kSound).all()};
  }
  RankRevealing qr = orthonormalized_above(std::move(g), threshold);
  g = std::move(qr.q);
  return {std::move(qr.r), false};
}

/// Number of vectors in a basis that needs at most a quarter of the table's memory: on a flat
/// spectrum every restart loses more than it saves.
Index affordable(const DataMatrix& a, Index r) {
  const double quarter = a.entries() / (4 * static_cast<double>(a.cols()));
  return static_cast<Index>(std::min(20 * static_cast<double>(r), quarter));
}

class BlockLanczos {
 public:
  BlockLanczos(const DataMatrix& a, Index r, const EigenOptions& options, bool hasty)
      : a_(a),
        options_(options),
        hasty_(hasty),
        r_(r),
        unit_(unit_of(a.squared_norm())),
        dimension_((a.column_squared_norms().array() > 0).count()),
        block_(std::min(dimension_, std::max(krylov_block(a, r), r / options.max_passes + 1))),
        most_(std::min(dimension_, std::max({7 * r, r + 6 * block_, affordable(a, r)}))),
        random_(options.seed),
        q_(a.cols(), most_ + block_),
        t_(Matrix::Zero(most_, most_)),
        due_((r + block_ - 1) / block_) {}

  Eigenpairs run(const Tick& tick) {
    seed();
    while (true) {
      if (tick) tick(progress());
      extend(tick);
      const bool complete = next_ == 0;  // nothing outside the basis
      const bool full = size_ + next_ > most_, last = passes_ >= options_.max_passes;
      if (!complete && !full && !last && passes_ < due_) continue;
      ritz(full ? kept() : r_);
      const bool good = converged() && (complete || passes_ >= enough_);
      if (size_ == dimension_ || (good && !may_hide())) return finish(true);
      if (last || (hasty_ && is_slow())) return finish(false);
      if (good || complete)
        reseed();
      else if (full)
        restart(kept());
      schedule();
    }
  }

 private:
  auto basis() { return q_.leftCols(size_); }
  auto next() { return q_.middleCols(size_, next_); }

  /// Appends the next block W to the basis Q, updates T = Q'A'AQ, and leaves as the next block the
  /// orthonormal part of A'A W outside Q, with its coefficients in coupling_. Everything is in
  /// units of unit_. Of the basis only W and the block before it have a part in A'A W beyond
  /// rounding, and set_next removes that.
  void extend(const Tick& tick) {
    const double done = progress();
    Matrix g = a_.gram_times(next(), [&](double) {
      if (tick) tick(done);
    });
    g /= unit_;
    ++passes_;
    columns_ += next_;
    const Index old = size_, width = next_;
    size_ += next_;
    const Matrix h = project(g, coupled_);
    t_.block(coupled_, old, h.rows(), width) = h;
    t_.block(old, coupled_, width, h.rows()) = h.transpose();
    coupled_ = old;
    norm_ = std::max(norm_, h.bottomRows(width).norm());
    coupling_ = orthonormalize(g, kDependent * norm_).r;
    set_next(std::move(g));
  }

  /// Removes from G its part within the basis from column `first` on; returns the coefficients.
  Matrix project(Matrix& g, Index first = 0) {
    const auto q = q_.middleCols(first, size_ - first);
    Matrix h = q.transpose() * g;
    g.noalias() -= q * h;
    return h;
  }

  /// Normalising amplifies what rounding left within the basis, so it is removed again. Twice is
  /// enough unless little is left of a direction.
  void set_next(Matrix w) {
    constexpr int kIterations = 4;
    const Index room = dimension_ - size_;
    if (w.cols() > room) {
      w.conservativeResize(Eigen::NoChange, room);
      coupling_.conservativeResize(room, Eigen::NoChange);
    }
    for (int iteration = 0; iteration < kIterations && w.cols() > 0; ++iteration) {
      project(w);
      const Triangle triangle = orthonormalize(w, kDependent);
      coupling_ = triangle.r * coupling_;
      if (triangle.sound) break;
    }
    next_ = w.cols();
    next() = w;
  }

  /// A random block outside the basis.
  void seed() {
    const Index width = std::min(block_, dimension_ - size_);
    Matrix w(a_.cols(), width);
    for (double& value : w.reshaped()) value = random_.uniform() - 0.5;
    // A constant variable must not enter by chance: A'A would never remove it.
    for (Index j = 0; j < a_.cols(); ++j)
      if (a_.column_squared_norms()[j] == 0) w.row(j).setZero();
    seeds_ += width;
    coupling_ = Matrix::Zero(width, 0);
    set_next(std::move(w));
  }

  /// Ritz pairs, and their residuals without another product: A'A Q S - Q S Theta lies in the next
  /// block only, except for what was within the tolerance when a search began anew.
  void ritz(Index count) {
    SymmetricEigen e = symmetric_eigen(t_.topLeftCorner(size_, size_), std::min(count, size_));
    values_ = std::move(e.values);
    coefficients_ = std::move(e.vectors);
    const Matrix tail = coupling_ * coefficients_.bottomRows(coupling_.cols());
    residuals_ = tail.rows() > 0 ? Vector(tail.colwise().norm()) : Vector::Zero(tail.cols());
  }
  double residual() const {
    return residuals_.head(std::min(r_, residuals_.size())).maxCoeff() / values_[0];
  }

  /// Ritz pairs are computed again halfway to where the residual should be small enough if it falls
  /// at the same rate, but soon, because it falls faster and faster.
  void schedule() {
    const double distance = std::log(std::max(residual() / options_.tolerance, 1.0));
    const double fall = (distance_ - distance) / static_cast<double>(passes_ - looked_);
    const double left = fall > 0 ? distance / fall : 0;
    const double wait = std::min(left / 2, static_cast<double>(passes_) / 6);
    due_ = passes_ + std::max<Index>(static_cast<Index>(wait), 1);
    distance_ = distance;
    looked_ = passes_;
  }

  /// The tolerance is relative to the first component; weak ones must also be accurate by
  /// themselves, as far as rounding allows.
  bool converged() const {
    if (size_ < r_) return false;
    for (Index i = 0; i < r_; ++i) {
      const bool weak = values_[i] < kTooSmall * values_[0];
      if (residuals_[i] > options_.tolerance / 2 * values_[0]) return false;
      if (!weak && residuals_[i] > kOwnTolerance * values_[i]) return false;
    }
    return true;
  }

  /// A random block finds each eigenvalue with at most as many copies as it has vectors. If that
  /// many Ritz values agree and a smaller one is wanted too, more copies may be hidden.
  bool may_hide() const {
    for (Index i = 0; i + seeds_ < r_; ++i) {
      const double same =
          std::min(4 * options_.tolerance * values_[0], 4 * kOwnTolerance * values_[i]);
      const double last = values_[i + seeds_ - 1];
      if (values_[i] - last <= same && values_[r_ - 1] < last - same) return true;
    }
    return false;
  }

  /// Number of Ritz vectors to continue with: more than are wanted, so that less has to be found
  /// again.
  Index kept() const { return std::min(3 * r_, most_ - next_); }

  /// Converged vectors stay; a new search begins outside them, and may take as long as the first.
  /// The part of A'A times the new blocks within the kept vectors is no larger than their
  /// residuals.
  void reseed() {
    enough_ = 2 * passes_;
    restart(r_);
    seed();
  }

  /// The residual falls about geometrically from 1 to the tolerance.
  double progress() const {
    if (values_.size() == 0 || values_[0] <= 0) return 0;
    const double done = std::log(std::max(residual(), 1e-300)) / std::log(options_.tolerance);
    return std::clamp(done, 0.0, 1.0);
  }

  bool is_slow() const {
    constexpr Index kTrial = 5;
    return passes_ >= kTrial &&
           static_cast<double>(passes_) > progress() * static_cast<double>(options_.max_passes);
  }

  /// Continues from the first Ritz vectors, in place.
  void restart(Index keep) {
    constexpr Index kRows = 1024;
    keep = std::min(keep, values_.size());
    Matrix kept;
    for (Index row = 0; row < q_.rows(); row += kRows) {
      auto rows = q_.middleRows(row, std::min(kRows, q_.rows() - row));
      kept.noalias() = rows.leftCols(size_) * coefficients_.leftCols(keep);
      rows.leftCols(keep) = kept;
    }
    for (Index i = 0; i < next_; ++i) q_.col(keep + i) = q_.col(size_ + i);
    size_ = keep;
    coupled_ = 0;
    t_.setZero();
    t_.diagonal().head(keep) = values_.head(keep);
  }

  Eigenpairs finish(bool good) {
    const Index found = std::min(r_, size_);
    return {basis() * coefficients_.leftCols(found),
            unit_ * values_.head(found).cwiseMax(0.0),
            unit_ * residuals_.head(found),
            good,
            passes_,
            columns_};
  }

  const DataMatrix& a_;
  const EigenOptions& options_;
  bool hasty_;
  Index r_;
  double unit_;      ///< about |A|_F^2, so that no square of a product overflows or underflows
  Index dimension_;  ///< variables that are not constant
  Index block_;      ///< vectors that are multiplied at a time
  Index most_;       ///< maximum number of vectors in the basis
  Random random_;
  Matrix q_;  ///< the basis, followed by the next block
  Matrix t_;
  Index size_ = 0, next_ = 0, seeds_ = 0;
  Index coupled_ = 0;  ///< A'A times the next block is within the basis only from here on
  Index passes_ = 0, columns_ = 0;
  Index enough_ = 0;        ///< passes before a result is trusted
  Index due_, looked_ = 0;  ///< passes at the next and at the last computation of Ritz pairs
  double distance_ = 0;     ///< from the tolerance, at the last one
  double norm_ = 0;
  Matrix coupling_;
  Vector values_, residuals_;
  Matrix coefficients_;
};

}  // namespace

Index krylov_block(const DataMatrix& a, Index r) {
  // A pass over b columns costs as much as b + kFixed single ones, and about 3 r / b + 11 passes
  // are needed on a decaying spectrum: this b minimises the product of the two.
  constexpr double kDense = 16, kSparse = 10, kColumns = 3, kPasses = 11;
  const auto n = static_cast<double>(a.rows()), p = static_cast<double>(a.cols());
  const double fixed = a.entries() < n * p ? kSparse : kDense;
  const double best = std::sqrt(kColumns / kPasses * fixed * static_cast<double>(r));
  return std::max<Index>(4 * std::lround(best / 4), 4);
}

Eigenpairs krylov_eigenpairs(const DataMatrix& a, Index r, const EigenOptions& options,
                             const Tick& tick, bool hasty) {
  return BlockLanczos(a, r, options, hasty).run(tick);
}

}  // namespace spcart
