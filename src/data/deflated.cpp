#include <fmt/format.h>

#include <cmath>

#include "spcart/data.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// A P_1 P_2 ... with P_i = I - x_i x_i'. Only products are corrected: A stays as it is.
class DeflatedMatrix final : public DataMatrix {
 public:
  DeflatedMatrix(const DataMatrix& a, ConstBlock x)
      : DataMatrix(a.rows(), a.cols(), a.samples(), a.entries()), a_(a), x_(x) {
    if (x.rows() != a.cols())
      throw Error(
          fmt::format("deflate: vectors of length {} for {} variables", x.rows(), a.cols()));
    for (Index i = 0; i < x.cols(); ++i)
      if (!(std::abs(x.col(i).norm() - 1) < 1e-8))
        throw Error(fmt::format("deflate: vector {} has length {}, not 1", i + 1, x.col(i).norm()));
    if (a.subtracts_products()) set_subtracts_products();
    set_statistics(a.preparation(), deflated_norms(), a.constant_columns());
  }

 private:
  void project(Block x) const {  // P_1 P_2 ... x
    for (Index i = x_.cols() - 1; i >= 0; --i) x -= x_.col(i) * (x_.col(i).transpose() * x).eval();
  }
  void project_adjoint(Block x) const {  // ... P_2 P_1 x
    for (Index i = 0; i < x_.cols(); ++i) x -= x_.col(i) * (x_.col(i).transpose() * x).eval();
  }

  Vector projected_by_earlier(Index i) const {  // P_1 ... P_(i-1) x_i
    Vector x = x_.col(i);
    for (Index k = i - 1; k >= 0; --k) x -= x_.col(k) * x_.col(k).dot(x);
    return x;
  }

  /// With B the matrix before step i and g = B'B x_i, |b_j|^2 falls by 2 g_j x_ji - (x_i'g) x_ji^2.
  Vector deflated_norms() const {
    Vector norms = a_.column_squared_norms();
    for (Index i = 0; i < x_.cols(); ++i) {
      Vector g = a_.gram_times(projected_by_earlier(i));
      for (Index k = 0; k < i; ++k) g -= x_.col(k) * x_.col(k).dot(g);
      const auto x = x_.col(i).array();
      norms.array() += x.square() * x_.col(i).dot(g) - 2 * g.array() * x;
    }
    return norms.cwiseMax(0.0);
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    Matrix projected = x;
    project(projected);
    y = a_.times(projected, tick);
  }
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    x = a_.adjoint_times(y, tick);
    project_adjoint(x);
  }
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    Matrix projected = x;
    project(projected);
    y = a_.gram_times(projected, tick);
    project_adjoint(y);
  }
  void do_gram(Block g, const Tick& tick) const override {
    g = a_.gram(tick);
    project_adjoint(g);
    g.transposeInPlace();
    project_adjoint(g);
  }
  void do_outer_gram(Block g, const Tick& tick) const override {
    g = a_.outer_gram(tick);
    // B P B' = B B' - (B x)(B x)' for each further projection P = I - x x'.
    for (Index i = 0; i < x_.cols(); ++i) {
      const Vector y = a_.times(projected_by_earlier(i));
      g.noalias() -= y * y.transpose();
    }
  }

  const DataMatrix& a_;
  Matrix x_;
};

}  // namespace

std::unique_ptr<DataMatrix> deflate(const DataMatrix& a, ConstBlock x) {
  return std::make_unique<DeflatedMatrix>(a, x);
}

}  // namespace spcart
