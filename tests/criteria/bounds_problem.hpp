#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "spcart/bounds.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {

inline constexpr std::array kTypes = {TruncationType::hard, TruncationType::soft,
                                      TruncationType::count, TruncationType::energy};
inline constexpr std::array<std::string_view, 11> kNames = {"sparsity",
                                                            "deviation",
                                                            "deviation_relative",
                                                            "nonorthogonality",
                                                            "nonorthogonality_relative",
                                                            "explained_variance",
                                                            "explained_variance_dmin",
                                                            "explained_variance_cos",
                                                            "explained_variance_projected",
                                                            "explained_variance_estimate",
                                                            "cpev"};

inline Loadings truncated(const Matrix& z, const Truncation& truncation) {
  const auto p = static_cast<std::size_t>(z.rows());
  Matrix x(z.rows(), z.cols());
  for (Index i = 0; i < z.cols(); ++i) {
    Truncator(truncation, z.rows())({z.col(i).data(), p}, {x.col(i).data(), p});
    if (x.col(i).norm() > 0) x.col(i).normalize();
  }
  return x.sparseView(0, 0);
}

/// Data whose first principal components span Z, with the given variances, and loadings for it.
struct Problem {
  Matrix z;
  Matrix rotation;  ///< Z = V rotation'
  Matrix v;
  Matrix a;
  Vector singular_values;
  Loadings x;
  double ev = 0, cpev = 0;
  Origin origin = Origin::rotated_basis;
  Truncation truncation;

  Problem(const Matrix& basis, const Truncation& t, const Vector& variances, std::uint64_t seed)
      : z(basis),
        rotation(verify::random_orthonormal(z.cols(), z.cols(), seed)),
        v(z * rotation),
        singular_values(variances.cwiseSqrt()),
        truncation(t) {
    Matrix whole = Eigen::HouseholderQR<Matrix>(v).householderQ();
    whole.leftCols(v.cols()) = v;
    a = singular_values.asDiagonal() * whole.transpose();
    evaluate(truncated(z, t));
  }

  void evaluate(const Loadings& loadings) {
    x = loadings;
    const verify::Figures figures = verify::figures(a, Matrix(x));
    ev = figures.ev;
    cpev = figures.cpev;
  }

  std::vector<Bound> bounds() const {
    return spcart::bounds({.v = v,
                           .singular_values = singular_values,
                           .total_variance = a.squaredNorm(),
                           .x = x,
                           .ev = ev,
                           .cpev = cpev,
                           .origin = origin,
                           .truncation = truncation,
                           .truncated_from = rotation});
  }

  Bound bound(std::string_view name) const {
    const std::vector<Bound> list = bounds();
    const auto found = std::ranges::find(list, name, &Bound::name);
    if (found == list.end()) throw Error("no such bound");
    return *found;
  }
};

inline Vector falling(Index p) {
  return Vector::LinSpaced(p, static_cast<double>(p), 1).cwiseAbs2();
}

/// Orthonormal columns: dense ones, peaked ones, or each nearly uniform over variables of its own.
inline Matrix random_basis(Index p, Index r, Random& random) {
  Matrix m = random.normal(p, r);
  switch (random.below(3)) {
    case 1:
      m = m.array().cube();
      break;
    case 2:
      for (Index j = 0; j < p; ++j)
        for (Index i = 0; i < r; ++i) m(j, i) = j % r == i ? 1 + m(j, i) / 50 : 0;
      break;
    default:
      break;
  }
  return Eigen::HouseholderQR<Matrix>(m).householderQ() * Matrix::Identity(p, r);
}

inline void expect_all_hold(const std::vector<Bound>& list) {
  for (const Bound& bound : list)
    EXPECT_FALSE(is_violated(bound)) << bound.name << ": " << bound.least << " to " << bound.most
                                     << " outside " << bound.lower << " to " << bound.upper;
}

}  // namespace spcart
