#pragma once

#include "data/panels.hpp"
#include "data/skinny.hpp"

namespace spcart {

/// A'(A x), summed over panels of A: each is used twice while it is near.
template <class Real>
class GramProduct {
 public:
  /// Vectors side by side: a column for each variable, or for each sample.
  using Rows = Eigen::MatrixX<Real>;

  explicit GramProduct(const Eigen::Ref<const Eigen::MatrixX<Real>>& x)
      : x_(Rows::Zero(skinny_width<Real>(x.cols()), x.rows())),
        total_(Matrix::Zero(x_.rows(), x_.cols())) {
    x_.topRows(x.cols()) = x.transpose();
  }

  const Rows& x() const { return x_; }

  /// Adds P t for t = P'x, after correct(first sample, t) for some samples at a time, from several
  /// threads: each has samples and a sum of its own, so that none waits for another. Returns t. The
  /// panel's columns are samples, or else variables.
  template <class Correct>
  const Rows& add(const SkinnyPanel<Real>& panel, bool by_sample, Correct correct) {
    const Index samples = by_sample ? panel.cols : panel.rows, width = x_.rows();
    t_.setZero(width, samples);
    const Index parts = threads_for(panel.rows, panel.cols, 2 * width);
    while (static_cast<Index>(sums_.size()) < parts) sums_.push_back(Rows::Zero(width, x_.cols()));
    parallel_for(parts, parts > 1, [&](Index part) {
      Real* sum = sums_[static_cast<std::size_t>(part)].data();
      const Index end = samples * (part + 1) / parts;
      for (Index i = samples * part / parts; i < end; i += kSkinnySamples) {
        auto t = t_.middleCols(i, std::min(kSkinnySamples, end - i));
        if (by_sample) {
          const SkinnyPanel<Real> few{panel.data + i * panel.stride, panel.stride, panel.rows,
                                      t.cols()};
          skinny_add_adjoint(few, x_.data(), width, t.data());
          correct(i, t);
          skinny_add_times(few, t.data(), width, sum);
        } else {
          const SkinnyPanel<Real> few{panel.data + i, panel.stride, t.cols(), panel.cols};
          skinny_add_times(few, x_.data(), width, t.data());
          correct(i, t);
          skinny_add_adjoint(few, t.data(), width, sum);
        }
      }
    });
    waiting_ += samples;
    constexpr Index kMostWaiting = 2048;  // in single precision
    if (sizeof(Real) < sizeof(double) && waiting_ >= kMostWaiting) collect();
    return t_;
  }

  void finish(Block y) {
    collect();
    y = total_.topRows(y.cols()).transpose();
  }

 private:
  void collect() {
#pragma omp parallel for schedule(static) if (total_.size() > kWorthThreads)
    for (Index j = 0; j < total_.cols(); ++j)
      for (Rows& sum : sums_) {
        total_.col(j) += sum.col(j).template cast<double>();
        sum.col(j).setZero();
      }
    waiting_ = 0;
  }

  Rows x_, t_;
  std::vector<Rows> sums_;  ///< one for each part of the samples
  Matrix total_;
  Index waiting_ = 0;  ///< samples in the sums
};

}  // namespace spcart
