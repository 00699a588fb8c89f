#include "methods/optimality.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "linalg/lapack.hpp"

namespace spcart {
namespace {

/// Most variables that may matter.
constexpr Index kMostVariables = 300;

/// What is proved: nothing is better by more than this fraction.
constexpr double kSlack = 1e-7;

/// Distance of rho from the (a_i'z)^2, relative to it. The weights of the Y_i then lose less than 4
/// + 1 digits by cancellation, which leaves errors below 1e-11 of each.
constexpr double kApart = 1e-4;

/// Room for these errors and those of the factorisation, relative to the sum of the traces of all
/// terms.
constexpr double kProofRounding = 1e-10;

/// The variables that may matter, as vectors a_i with a_i'a_j = S_ij.
struct Vectors {
  Matrix a;
  std::vector<bool> inside;  ///< the support
  double error = 0;          ///< |A'A - S|
};

Vectors vectors_of(const Gram& gram, const Variables& variables, const Variables& support,
                   const Tick& tick) {
  const Matrix s = gram.block(variables, tick);
  const SymmetricEigen e = symmetric_eigen(s, s.rows());
  Vectors v{.a = e.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * e.vectors.transpose(),
            .inside = {}};
  for (const Index j : variables) v.inside.push_back(std::ranges::binary_search(support, j));
  v.error = (v.a.transpose() * v.a - s).norm();
  return v;
}

/// Whether the largest eigenvalue of the sum of the Y_i is proved to be at most `most`.
bool sum_is_at_most(const Vectors& v, const Vector& z, const Vector& c, double rho, double most) {
  const Index m = v.a.cols();
  Matrix terms = Matrix::Zero(m, m);  // columns whose squares sum to that of the Y_i
  for (Index i = 0; i < m; ++i) {
    const double square = c[i] * c[i], length = v.a.col(i).squaredNorm();
    if (v.inside[static_cast<std::size_t>(i)]) {
      if (!(square - rho >= kApart * rho)) return false;
      terms.col(i) = (v.a.col(i) * c[i] - rho * z) / std::sqrt(square - rho);
    } else if (length > rho) {
      if (!(rho - square >= kApart * rho)) return false;
      const double weight = rho * (length - rho) / ((rho - square) * (length - square));
      terms.col(i) = std::sqrt(weight) * (v.a.col(i) - c[i] * z);
    }
  }
  Matrix rest = -terms * terms.transpose();
  rest.diagonal().array() +=
      most - kProofRounding * (terms.squaredNorm() + v.a.squaredNorm()) - v.error;
  return is_positive_definite(std::move(rest));
}

}  // namespace

bool is_proved_optimal(const Gram& gram, const Variables& support, const Vector& reach,
                       double variance, const Tick& tick) {
  constexpr int kTrials = 24;
  const Vector squares = reach.cwiseAbs2() / variance;  // (a_i'z)^2
  Variables sorted = support;
  std::ranges::sort(sorted);
  Vector outside = squares;
  outside(sorted).setZero();
  const double low = outside.maxCoeff(), high = Vector(squares(sorted)).minCoeff();
  if (!(low < high)) return false;

  Variables variables;  // the others have no Y_i for any rho above `low`
  for (Index j = 0; j < gram.size(); ++j)
    if (gram.diagonal()[j] > low || std::ranges::binary_search(sorted, j)) variables.push_back(j);
  const auto m = static_cast<Index>(variables.size());
  if (m > kMostVariables) return false;
  const ThreadScope scope(threads_for(m, m, m));
  const Vectors v = vectors_of(gram, variables, sorted, tick);
  Vector x = Vector::Zero(m);
  for (Index i = 0; i < m; ++i)
    if (v.inside[static_cast<std::size_t>(i)]) x[i] = reach[variables[static_cast<std::size_t>(i)]];
  const Vector z = (v.a * x).normalized(), c = v.a.transpose() * z;
  const auto k = static_cast<double>(support.size());
  for (int trial = 0; trial < kTrials; ++trial) {
    if (tick) tick(0);
    const double rho = low + (high - low) * (trial + 0.5) / kTrials;
    if (sum_is_at_most(v, z, c, rho, variance * (1 + kSlack) - rho * k)) return true;
  }
  return false;
}

}  // namespace spcart
