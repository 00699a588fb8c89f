#pragma once

#include "data/stored/panels.hpp"
#include "linalg/thin_products.hpp"

namespace spcart {

/// A'(A x), summed over panels of A: each is used twice while it is in cache.
template <class Real>
class GramProduct {
 public:
  /// Interleaved vectors: one column per variable, or per sample.
  using Rows = Eigen::MatrixX<Real>;

  /// Summed in this many parts, so that no thread waits for another.
  GramProduct(const Eigen::Ref<const Eigen::MatrixX<Real>>& x, Index parts)
      : x_(Rows::Zero(skinny_width<Real>(x.cols()), x.rows())),
        sums_(static_cast<std::size_t>(parts)) {
    x_.topRows(x.cols()) = x.transpose();
    for (Rows& sum : sums_) sum.setZero(x_.rows(), x_.cols());
  }

  const Rows& x() const { return x_; }

  /// Adds P t for t = P'x to one of the parts. Samples are the panel's columns.
  template <class Panel>
  void add(Index part, const Panel& panel) {
    Rows t;
    for (Index i = 0; i < panel.cols(); i += kSkinnySamples) {
      const auto few = panel.middleCols(i, std::min(kSkinnySamples, panel.cols() - i));
      t.setZero(x_.rows(), few.cols());
      const SkinnyPanel<Real> view{few.data(), few.outerStride(), few.rows(), few.cols()};
      skinny_add_adjoint(view, x_.data(), x_.rows(), t.data());
      skinny_add_times(view, t.data(), x_.rows(), sum(part));
    }
  }

  /// The same for a panel that all parts share, after correct(first sample, t) for some samples at
  /// a time, from several threads. Returns t. The panel's columns are samples, otherwise variables.
  template <class Correct>
  const Rows& add(const SkinnyPanel<Real>& panel, bool by_sample, Correct correct) {
    const Index samples = by_sample ? panel.cols : panel.rows, width = x_.rows();
    t_.setZero(width, samples);
    const auto parts = static_cast<Index>(sums_.size());
    parallel_for(parts, parts > 1, [&](Index part) {
      const Index end = samples * (part + 1) / parts;
      for (Index i = samples * part / parts; i < end; i += kSkinnySamples) {
        auto t = t_.middleCols(i, std::min(kSkinnySamples, end - i));
        if (by_sample) {
          const SkinnyPanel<Real> few{panel.data + i * panel.stride, panel.stride, panel.rows,
                                      t.cols()};
          skinny_add_adjoint(few, x_.data(), width, t.data());
          correct(i, t);
          skinny_add_times(few, t.data(), width, sum(part));
        } else {
          const SkinnyPanel<Real> few{panel.data + i, panel.stride, t.cols(), panel.cols};
          skinny_add_times(few, x_.data(), width, t.data());
          correct(i, t);
          skinny_add_adjoint(few, t.data(), width, sum(part));
        }
      }
    });
    count(samples);
    return t_;
  }

  /// To be called when this many samples were added to all parts.
  void count(Index samples) {
    waiting_ += samples;
    constexpr Index kMostWaiting = 2048;  // in single precision
    if (sizeof(Real) < sizeof(double) && waiting_ >= kMostWaiting) collect();
  }

  void finish(Block y) const {
#pragma omp parallel for schedule(static) if (x_.size() > kWorthThreads)
    for (Index j = 0; j < y.rows(); ++j)
      for (Index k = 0; k < y.cols(); ++k) {
        y(j, k) = total_.size() > 0 ? total_(k, j) : 0;
        for (const Rows& sum : sums_) y(j, k) += static_cast<double>(sum(k, j));
      }
  }

 private:
  Real* sum(Index part) { return sums_[static_cast<std::size_t>(part)].data(); }

  void collect() {
    if (total_.size() == 0) total_.setZero(x_.rows(), x_.cols());
#pragma omp parallel for schedule(static) if (total_.size() > kWorthThreads)
    for (Index j = 0; j < total_.cols(); ++j)
      for (Rows& sum : sums_) {
        total_.col(j) += sum.col(j).template cast<double>();
        sum.col(j).setZero();
      }
    waiting_ = 0;
  }

  Rows x_;
  std::vector<Rows> sums_;  ///< of each part
  Matrix total_;            ///< what has been collected from them, if anything
  Rows t_;
  Index waiting_ = 0;  ///< samples in the sums that are not collected yet
};

}  // namespace spcart
