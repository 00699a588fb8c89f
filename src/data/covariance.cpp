#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <utility>

#include "data/preparation.hpp"
#include "linalg/lapack.hpp"
#include "spcart/data.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

// Largest deviations of a covariance from symmetric and from positive semidefinite that are
// accepted: the rounding of numbers that were stored in single precision or printed with few
// digits.
constexpr double kAsymmetry = 1e-6;
constexpr double kIndefinite = 1e-6;

void check_covariance(const Matrix& c) {
  if (c.rows() != c.cols())
    throw Error(fmt::format("covariance: it is {} x {}, not square", c.rows(), c.cols()));
  for (Index j = 0; j < c.cols(); ++j)
    for (Index i = 0; i < c.rows(); ++i)
      if (!std::isfinite(c(i, j))) reject_not_finite("covariance: ", i, j, c(i, j));
  Index i = 0, j = 0;
  if ((c - c.transpose()).cwiseAbs().maxCoeff(&i, &j) > kAsymmetry * c.cwiseAbs().maxCoeff())
    throw Error(
        fmt::format("covariance: not symmetric: row {}, column {} is {}, but row {}, column "
                    "{} is {}",
                    i + 1, j + 1, c(i, j), j + 1, i + 1, c(j, i)));
  if (c.diagonal().minCoeff(&i) < 0)
    throw Error(fmt::format("covariance: variance {} of variable {} is negative", c(i, i), i + 1));
  // Cheaper than eigenvalues: a matrix that becomes positive definite by a tiny shift was
  // semidefinite up to rounding.
  Matrix shifted = c;
  shifted.diagonal().array() += kIndefinite * c.norm();
  if (c.norm() > 0 && !is_positive_definite(std::move(shifted)))
    throw Error("covariance: not positive semidefinite: it has a negative eigenvalue");
}

class CovarianceMatrix final : public DataMatrix {
 public:
  CovarianceMatrix(Matrix c, const Preparation& preparation)
      : DataMatrix(c.rows(), c.cols(), std::nullopt, static_cast<double>(c.size())),
        c_(std::move(c)) {
    check_covariance(c_);
    check_preparation(preparation, cols());
    c_ = (c_ + c_.transpose()).eval() / 2;
    if (preparation.remove_row_mean) {  // samples minus their means: (I - 11'/p) C (I - 11'/p)
      const Vector row_means = c_.rowwise().mean();
      c_.colwise() -= row_means;
      c_.rowwise() -= row_means.transpose();
      c_.array() += row_means.mean();
    }
    Vector scales = Vector::Ones(cols());
    std::vector<Index> constant;
    if (preparation.scale) {
      scales = preparation.scales.value_or(c_.diagonal().cwiseMax(0.0).cwiseSqrt());
      const Vector inverse = inverse_scales(scales);
      for (Index j = 0; j < cols(); ++j)
        if (scales[j] == 0) constant.push_back(j);
      c_ = inverse.asDiagonal() * c_ * inverse.asDiagonal();
    }
    Preparation used = in_double(preparation);
    used.means = Vector::Zero(cols());
    used.scales = std::move(scales);
    set_statistics(std::move(used), c_.diagonal().cwiseMax(0.0), std::move(constant));
  }

 private:
  /// A itself, if requested, is the symmetric square root of C, computed at the first call.
  const Matrix& root() const {
    std::call_once(root_made_, [this] {
      const SymmetricEigen e = symmetric_eigen(c_, cols());
      root_ = e.vectors * e.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * e.vectors.transpose();
    });
    return root_;
  }

  void do_times(ConstBlock x, Block y, const Tick&) const override { y.noalias() = root() * x; }
  void do_adjoint_times(ConstBlock y, Block x, const Tick&) const override {
    x.noalias() = root() * y;
  }
  void do_gram_times(ConstBlock x, Block y, const Tick&) const override { y.noalias() = c_ * x; }
  void do_gram(Block g, const Tick&) const override { g = c_; }
  void do_outer_gram(Block g, const Tick&) const override { g = c_; }

  Matrix c_;
  mutable std::once_flag root_made_;
  mutable Matrix root_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_covariance(Matrix c, const Preparation& preparation) {
  return std::make_unique<CovarianceMatrix>(std::move(c), preparation);
}

}  // namespace spcart
