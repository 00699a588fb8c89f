#include <cmath>

#include "base/parallel.hpp"
#include "data/gram.hpp"
#include "methods/method.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// A column of which less than this fraction is outside the span of those before it adds nothing.
constexpr double kInSpan = 1e-8;

/// x_i = T(z_i / |z_i|). Returns |z|^2 / |z_i|^2 over all entries set to zero.
double truncate(const Matrix& z, double rounding, const Truncation& truncation, Matrix& x) {
  const auto p = static_cast<std::size_t>(z.rows());
  Vector zeroed = Vector::Zero(z.cols());
  parallel_for(z.cols(), z.size() > kWorthThreads, [&](Index i) {
    const double length = z.col(i).norm();
    auto column = x.col(i);
    column.setZero();
    if (!(length > rounding)) return;
    const Vector unit = z.col(i) / length;
    Truncator(truncation, z.rows())({unit.data(), p}, {column.data(), p});
    zeroed[i] = (column.array() == 0).select(unit.array(), 0.0).matrix().squaredNorm();
  });
  return zeroed.sum();
}

/// Gram-Schmidt in the order of the columns, repeated because of rounding. A column that adds
/// nothing to the span becomes zero, in X too.
Matrix orthonormal_basis(Matrix& x) {
  Matrix q = Matrix::Zero(x.rows(), x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    const double length = x.col(i).norm();
    const auto before = q.leftCols(i);
    Vector column = x.col(i);
    for (int pass = 0; pass < 2; ++pass) column -= before * (before.transpose() * column).eval();
    const double own = column.norm();
    if (own > kInSpan * length)
      q.col(i) = column / own;
    else
      x.col(i).setZero();
  }
  return q;
}

}  // namespace

MethodResult fit_itspca(const Task& task) {
  const Gram gram(task.a, task.tick);
  const double total = gram.trace(), r = static_cast<double>(task.components);
  Matrix z = gram.times(task.basis.vectors.leftCols(task.components), task.tick);
  Matrix x(z.rows(), z.cols());
  MethodResult found{.loadings = Loadings(z.rows(), z.cols()), .status = Status::iteration_limit};

  for (Index iteration = 0; iteration < task.max_iterations; ++iteration) {
    const Tick tick = [&](double) {
      if (task.tick)
        task.tick(static_cast<double>(iteration) / static_cast<double>(task.max_iterations));
    };
    tick(0);
    const double zeroed = truncate(z, kNoVariance * total, task.truncation, x);
    const Matrix q = orthonormal_basis(x);
    z = gram.times(q, tick);
    Loadings now = normalized(x.sparseView(0, 0));
    found.history.push_back(
        {.change = (now - found.loadings).norm() / std::sqrt(r),
         .truncated_energy = zeroed / r,
         .sparsity = 1 - static_cast<double>(now.nonZeros()) / static_cast<double>(x.size()),
         .objective = 1 - q.cwiseProduct(z).sum() / total});
    found.loadings.swap(now);
    if (found.history.back().change < task.tolerance) {
      found.status = Status::converged;
      break;
    }
  }
  return found;
}

}  // namespace spcart
