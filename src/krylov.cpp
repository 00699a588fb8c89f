#include "krylov.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lapack.hpp"
#include "random.hpp"

namespace spcart {
namespace {

/// A direction whose part outside the basis is below this fraction of |A'A| holds only rounding.
constexpr double kDependent = 1e-14;

/// Ritz values below this part of the first are too near its rounding to be improved.
constexpr double kRounding = 1e-10;
constexpr double kOwnTolerance = 1e-4;

class BlockLanczos {
 public:
  BlockLanczos(const DataMatrix& a, Index r, const PcaOptions& options)
      : a_(a),
        options_(options),
        r_(r),
        dimension_((a.column_squared_norms().array() > 0).count()),
        block_(std::min(dimension_, std::max<Index>(r + 4, 8))),
        most_(std::min(dimension_, std::max<Index>(6 * block_, r + 4 * block_))),
        random_(options.seed),
        q_(a.cols(), most_),
        t_(Matrix::Zero(most_, most_)) {}

  KrylovResult run(const Tick& tick) {
    Matrix next = random_block();
    while (true) {
      if (tick) tick(progress());
      extend(next, tick);
      next = std::move(remainder_);
      ritz();
      // Nothing outside the basis: it holds every component, as the first block was wide enough.
      const bool complete = next.cols() == 0;
      if (complete || converged()) return finish(true);
      if (passes_ >= options_.max_passes) return finish(false);
      if (size_ + next.cols() > most_) restart(next);
    }
  }

 private:
  /// Adds the orthonormal columns w to the basis Q, keeps T = Q'A'AQ, and leaves in remainder_ the
  /// orthonormal part of A'A w outside Q, and in coupling_ its coefficients.
  void extend(const Matrix& w, const Tick& tick) {
    const Index k = w.cols();
    q_.middleCols(size_, k) = w;
    const double done = progress();
    Matrix g = a_.gram_times(w, [&](double) {
      if (tick) tick(done);
    });
    ++passes_;
    const Index old = size_;
    size_ += k;
    const auto q = q_.leftCols(size_);
    Matrix h = q.transpose() * g;
    g.noalias() -= q * h;
    const Matrix again = q.transpose() * g;  // twice is enough
    g.noalias() -= q * again;
    h += again;
    t_.block(0, old, size_, k) = h;
    t_.block(old, 0, k, size_) = h.transpose();
    norm_ = std::max(norm_, h.bottomRows(k).norm());
    orthonormalize_remainder(std::move(g));
  }

  void orthonormalize_remainder(Matrix g) {
    RankRevealing outside = orthonormalized_above(std::move(g), kDependent * norm_);
    const Index rank = std::min(outside.q.cols(), dimension_ - size_);
    remainder_ = outside.q.leftCols(rank);
    coupling_ = outside.r.topRows(rank);
    reorthogonalize(remainder_);
  }

  void reorthogonalize(Matrix& w) const {
    const auto q = q_.leftCols(size_);
    for (int turn = 0; turn < 2 && w.cols() > 0; ++turn) {
      w -= q * (q.transpose() * w).eval();
      w = orthonormalized(std::move(w));
    }
  }

  Matrix random_block() {
    Matrix w = random_.normal(a_.cols(), block_);
    // A variable that does not vary must not come in by chance: A'A would never take it out.
    for (Index j = 0; j < a_.cols(); ++j)
      if (a_.column_squared_norms()[j] == 0) w.row(j).setZero();
    return orthonormalized(std::move(w));
  }

  /// Ritz pairs, and their residuals without another product: A'A Q S - Q S Theta lies in the
  /// remainder alone.
  void ritz() {
    const Matrix t = t_.topLeftCorner(size_, size_);
    SymmetricEigen e = symmetric_eigen(t, size_);
    values_ = std::move(e.values);
    coefficients_ = std::move(e.vectors);
    const Matrix tail = coupling_ * coefficients_.bottomRows(coupling_.cols());
    residuals_ = tail.rows() > 0 ? Vector(tail.colwise().norm()) : Vector::Zero(size_);
  }

  /// The tolerance is relative to the first component; weak ones must also be right by themselves,
  /// as far as rounding allows.
  bool converged() const {
    if (size_ < r_) return false;
    for (Index i = 0; i < r_; ++i) {
      const bool weak = values_[i] < kRounding * values_[0];
      if (residuals_[i] > options_.tolerance / 2 * values_[0]) return false;
      if (!weak && residuals_[i] > kOwnTolerance * values_[i]) return false;
    }
    return true;
  }
  double residual() const { return residuals_.head(std::min(r_, size_)).maxCoeff(); }

  /// The residual falls about geometrically from 1 to the tolerance.
  double progress() const {
    if (size_ == 0 || values_[0] <= 0) return 0;
    const double done =
        std::log(std::max(residual() / values_[0], 1e-300)) / std::log(options_.tolerance);
    return std::clamp(done, 0.0, 1.0);
  }

  void restart(const Matrix& next) {
    const Index keep = std::min({r_ + block_ / 2, size_, most_ - next.cols()});
    const Matrix kept = q_.leftCols(size_) * coefficients_.leftCols(keep);
    q_.leftCols(keep) = kept;
    size_ = keep;
    t_.setZero();
    t_.diagonal().head(keep) = values_.head(keep);
  }

  KrylovResult finish(bool good) {
    const Index found = std::min(r_, size_);
    return {q_.leftCols(size_) * coefficients_.leftCols(found), values_.head(found).cwiseMax(0.0),
            good, passes_};
  }

  const DataMatrix& a_;
  const PcaOptions& options_;
  Index r_;
  Index dimension_;  ///< variables that vary
  Index block_;      ///< vectors that are multiplied at a time
  Index most_;       ///< vectors in the basis at the most
  Random random_;
  Matrix q_, t_;
  Index size_ = 0, passes_ = 0;
  double norm_ = 0;
  Matrix remainder_, coupling_;
  Vector values_, residuals_;
  Matrix coefficients_;
};

}  // namespace

KrylovResult krylov_eigenpairs(const DataMatrix& a, Index r, const PcaOptions& options,
                               const Tick& tick) {
  return BlockLanczos(a, r, options).run(tick);
}

}  // namespace spcart
