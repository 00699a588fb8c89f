#include "verify.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace spcart::verify {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  return Random(seed).normal(rows, cols);
}

Matrix random_orthonormal(Index rows, Index cols, std::uint64_t seed) {
  return Eigen::HouseholderQR<Matrix>(random_matrix(rows, cols, seed)).householderQ() *
         Matrix::Identity(rows, cols);
}

Matrix decaying(Index n, Index p, std::uint64_t seed) {
  Matrix a = random_matrix(n, p, seed);
  Vector weights(p);
  for (Index j = 0; j < p; ++j) weights[j] = 5.0 / (1.0 + static_cast<double>(j));
  return a * weights.asDiagonal() * random_orthonormal(p, p, seed + 1).transpose();
}

Matrix prepared(Matrix s, const Preparation& preparation) {
  if (preparation.remove_row_mean) s.colwise() -= s.rowwise().mean().eval();
  const Eigen::RowVectorXd means = s.colwise().mean();
  if (preparation.scale) {
    const auto centred = (s.rowwise() - means).eval();
    const auto deviations =
        (centred.colwise().squaredNorm() / static_cast<double>(s.rows() - 1)).cwiseSqrt().eval();
    if (preparation.center) s = centred;
    for (Index j = 0; j < s.cols(); ++j) s.col(j) *= deviations[j] > 1e-12 ? 1 / deviations[j] : 0;
  } else if (preparation.center) {
    s.rowwise() -= means;
  }
  return s;
}

Vector singular_values(const Matrix& a) { return Eigen::JacobiSVD<Matrix>(a).singularValues(); }

Vector least_squares(const Matrix& a, const Vector& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

Figures figures(const Matrix& a, const Matrix& x) {
  Figures f;
  const double total = a.squaredNorm();
  Matrix unit = x;
  for (auto column : unit.colwise())
    if (column.norm() > 0) column.normalize();
  Eigen::JacobiSVD<Matrix> svd(unit, Eigen::ComputeThinU);
  svd.setThreshold(1e-7);
  f.cpev = (a * svd.matrixU().leftCols(svd.rank())).squaredNorm() / total;
  f.ev = (a * unit).squaredNorm() / total;
  const Index r = x.cols();
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < i; ++j) {
      const double cosine = std::abs(unit.col(i).dot(unit.col(j)));
      f.nonorthogonality += 2 * cosine / static_cast<double>(r * (r - 1));
      f.worst = std::max(f.worst, cosine);
    }
  Matrix y = a * unit;  // Gram-Schmidt: the rest of a score after those before it
  f.adjusted.resize(r);
  for (Index i = 0; i < r; ++i) {
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < i; ++j)
        if (y.col(j).squaredNorm() > 0)
          y.col(i) -= y.col(j) * (y.col(j).dot(y.col(i)) / y.col(j).squaredNorm());
    if (y.col(i).norm() < 1e-7 * (a * unit.col(i)).norm()) y.col(i).setZero();
    f.adjusted[i] = y.col(i).squaredNorm() / total;
  }
  return f;
}

double subspace_distance(const Matrix& u, const Matrix& v) {
  return (u - v * (v.transpose() * u)).norm();
}

std::vector<std::vector<Index>> supports(const Loadings& x) {
  std::vector<std::vector<Index>> result(static_cast<std::size_t>(x.cols()));
  for (Index i = 0; i < x.cols(); ++i)
    for (Loadings::InnerIterator it(x, i); it; ++it)
      result[static_cast<std::size_t>(i)].push_back(it.row());
  return result;
}

}  // namespace spcart::verify
