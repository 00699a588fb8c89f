#pragma once

#include <type_traits>

#include "base/export_to_mpi.hpp"
#include "base/parallel.hpp"
#include "spcart/data.hpp"

namespace spcart {

/// Calls f with a number of the type that products are computed in; only its type matters.
template <class F>
decltype(auto) with_real(Precision precision, F&& f) {
  return precision == Precision::single ? f(float{}) : f(double{});
}

/// The power of two at or below x, or 1 if x is not above 0: division by it is exact.
SPCART_EXPORT_TO_MPI double unit_of(double x);

/// Rows to allocate for the columns of a panel: they begin on a cache line, but not all in the same
/// set of the cache.
inline Index padded(Index height) {
  constexpr Index kLine = 16, kConflict = 256;
  const Index whole = (height + kLine - 1) / kLine * kLine;
  return whole % kConflict == 0 ? whole + kLine : whole;
}

/// A block of vectors as a factor of products in Real. In single precision every column is divided
/// by a unit of its own, so that it does not overflow.
template <class Real>
struct Factor;

template <>
struct Factor<double> {
  Eigen::Ref<const Matrix> values;
  void finish(const Block&, double) const {}
};

template <>
struct Factor<float> {
  explicit Factor(ConstBlock x) : units(x.cols()) {
    for (Index k = 0; k < x.cols(); ++k)
      units[k] = unit_of(x.rows() > 0 ? x.col(k).cwiseAbs().maxCoeff() : 0);
    values = (x * units.cwiseInverse().asDiagonal()).cast<float>();
  }
  /// Multiplies the product by the units again.
  void finish(Block y, double unit) const { y *= (units * unit).asDiagonal(); }

  Vector units;
  Eigen::MatrixXf values;
};

/// G += P P' in the lower half.
template <class Panel, class Sum>
void add_outer(const Panel& panel, Sum&& g, double sign = 1) {
  using Real = typename Panel::Scalar;
  g.template selfadjointView<Eigen::Lower>().rankUpdate(panel, static_cast<Real>(sign));
}

/// Copies the lower half to the upper one.
void mirror(Block g);

/// A sum over panels that ends in double for either type of panels. In single precision only a few
/// panels are summed before they are added up in double.
template <class Real>
class PanelSum {
 public:
  explicit PanelSum(const Block& total) : total_(total) {
    total_.setZero();
    if constexpr (kSingle) part_ = Eigen::MatrixXf::Zero(total.rows(), total.cols());
  }

  /// add(sum) adds to the sum a product over this many samples.
  template <class Add>
  void add(Index samples, Add add) {
    if constexpr (kSingle) {
      constexpr Index kMost = 2048;
      add(part_);
      waiting_ += samples;
      if (waiting_ >= kMost) finish();
    } else {
      add(total_);
    }
  }

  Block total() { return total_; }

  void finish() {
    if (waiting_ == 0) return;
#pragma omp parallel for schedule(static) if (total_.size() > kWorthThreads)
    for (Index j = 0; j < total_.cols(); ++j) {
      total_.col(j) += part_.col(j).template cast<double>();
      part_.col(j).setZero();
    }
    waiting_ = 0;
  }

 private:
  static constexpr bool kSingle = std::is_same_v<Real, float>;

  Block total_;
  Eigen::MatrixX<Real> part_;
  Index waiting_ = 0;  ///< samples in the part that are not added up yet
};

}  // namespace spcart
