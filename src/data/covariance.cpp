#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "data/known_gram.hpp"
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

}  // namespace

std::unique_ptr<DataMatrix> make_covariance(Matrix c, const Preparation& preparation) {
  check_covariance(c);
  check_preparation(preparation, c.cols());
  c = (c + c.transpose()).eval() / 2;
  if (preparation.remove_row_mean) remove_row_means(c);
  Preparation used = in_double(preparation);
  used.means = Vector::Zero(c.cols());
  used.scales = Vector::Ones(c.cols());
  std::vector<Index> constant;
  if (preparation.scale) {
    used.scales = preparation.scales.value_or(c.diagonal().cwiseMax(0.0).cwiseSqrt());
    const Vector inverse = inverse_scales(*used.scales);
    for (Index j = 0; j < c.cols(); ++j)
      if (inverse[j] == 0) constant.push_back(j);
    c = inverse.asDiagonal() * c * inverse.asDiagonal();
  }
  return std::make_unique<KnownGram>(std::move(c), std::nullopt, std::move(used),
                                     std::move(constant));
}

}  // namespace spcart
