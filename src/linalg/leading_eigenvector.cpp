#include "linalg/leading_eigenvector.hpp"

#include <algorithm>

#include "linalg/lapack.hpp"

namespace spcart {

Vector leading_eigenvector(const std::function<Vector(const Vector&)>& product, const Vector& start,
                           double tolerance) {
  constexpr Index kSteps = 20;
  constexpr int kRestarts = 200;
  constexpr double kDependent = 1e-13;
  const Index steps = std::min(kSteps, start.size());
  Matrix q(start.size(), steps), cq(start.size(), steps);
  Vector x = start;
  for (int iteration = 0; iteration < kRestarts; ++iteration) {
    Index size = 0;
    for (Vector next = x; size < steps; next = cq.col(size++)) {
      const double length = next.norm();
      const auto before = q.leftCols(size);
      for (int pass = 0; pass < 2; ++pass) next -= before * (before.transpose() * next).eval();
      if (!(next.norm() > kDependent * length)) break;
      q.col(size) = next.normalized();
      cq.col(size) = product(q.col(size));
    }
    if (size == 0) return Vector::Zero(start.size());
    const auto basis = q.leftCols(size), image = cq.leftCols(size);
    const SymmetricEigen e = symmetric_eigen(basis.transpose() * image, 1);
    x = (basis * e.vectors).normalized();
    if ((image * e.vectors - e.values[0] * x).norm() <= tolerance * e.values[0]) break;
  }
  return x;
}

}  // namespace spcart
