#include <cmath>

#include "linalg/lapack.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {

std::optional<Obliqueness> obliqueness_of(const Loadings& x) {
  constexpr double kDependent = 1e-6, kRoundedUp = 1 + 1e-8;  // the inverse is accurate to 1e-9
  const Index r = x.cols();
  const Matrix k = Matrix(x.transpose() * x);
  const Vector eigenvalues = symmetric_eigen(k, r).values;
  if (eigenvalues[r - 1] < kDependent * eigenvalues[0]) return std::nullopt;
  const Matrix inverse = inverse_semidefinite(k).cwiseAbs();
  Vector roots(r);
  for (Index t = 0; t < r; ++t) roots[t] = std::sqrt(static_cast<double>(x.col(t).nonZeros()));
  return Obliqueness{
      .soft_weight = kRoundedUp * roots.dot(inverse * roots),
      .factor = kRoundedUp * inverse.rowwise().sum().maxCoeff() * std::sqrt(eigenvalues[0])};
}

}  // namespace spcart
