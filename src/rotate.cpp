#include "spcart/rotate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lapack.hpp"
#include "parallel.hpp"
#include "random.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

// Varimax stops when its criterion grows by less than this part of itself. It is only a start: data
// without structure is not worth more turns.
constexpr double kVarimaxTolerance = 1e-6;
constexpr int kVarimaxIterations = 200;

/// X of one iteration, kept sparse, with the sums that the history needs.
struct Truncated {
  Loadings x;
  double zeroed_energy = 0;  ///< |z|^2 over all entries set to zero
  double l1 = 0;             ///< sum of |x|
};

/// A loading that is emptied once stays zero: `before` is X of the last iteration. The objective
/// could rise if it came back.
Truncated truncate(const Matrix& z, const Truncation& truncation, const Loadings& before,
                   bool first) {
  const Index p = z.rows(), r = z.cols();
  Matrix x = Matrix::Zero(p, r);
  Vector zeroed(r);
  parallel_for(r, z.size() > kWorthThreads, [&](Index i) {
    auto column = x.col(i);
    if (first || before.col(i).nonZeros() > 0) {
      Truncator truncator(truncation, p);
      truncator({z.col(i).data(), static_cast<std::size_t>(p)},
                {column.data(), static_cast<std::size_t>(p)});
    }
    zeroed[i] = (column.array() == 0).select(z.col(i).array(), 0.0).matrix().squaredNorm();
    const double length = column.norm();
    if (length > 0) column /= length;
  });
  return {x.sparseView(0, 0), zeroed.sum(), x.cwiseAbs().sum()};
}

/// What Algorithm 1 lowers, after the polar step: |V - X R|^2 / 2 = (r + |X|^2) / 2 - tr(R'X'V),
/// and tr(R'X'V) is the trace norm of X'V. Soft and hard add their penalties; count and energy have
/// none.
double objective(const Truncated& t, double trace_norm, const Truncation& truncation) {
  const auto r = static_cast<double>(t.x.cols());
  const double distance = (r + t.x.squaredNorm()) / 2 - trace_norm;
  const double lambda = truncation.lambda;
  if (truncation.type == TruncationType::soft) return distance + lambda * t.l1;
  if (truncation.type == TruncationType::hard)
    return distance + lambda * lambda / 2 * static_cast<double>(t.x.nonZeros());
  return distance;
}

Matrix starting_rotation(ConstBlock v, const RotateOptions& options, const Tick& tick) {
  switch (options.start) {
    case Start::identity:
      return Matrix::Identity(v.cols(), v.cols());
    case Start::varimax:
      return varimax_rotation(v, tick);
    case Start::random:
      return random_rotation(v.cols(), options.seed);
    default:
      throw Error(fmt::format("start = {}: it is no rotation", name(options.start)));
  }
}

void check(ConstBlock v, const RotateOptions& options) {
  if (v.cols() < 1 || v.rows() < v.cols())
    throw Error(
        fmt::format("basis: it is {} x {}; it needs at least one column, and no more columns "
                    "than rows",
                    v.rows(), v.cols()));
  const Matrix gram = v.transpose() * v;
  if (!((gram - Matrix::Identity(v.cols(), v.cols())).cwiseAbs().maxCoeff() < 1e-6))
    throw Error("basis: its columns are not orthonormal");
  if (!(options.tolerance >= 0))
    throw Error(fmt::format("tolerance = {}: it must be at least 0", options.tolerance));
  if (options.max_iterations < 1)
    throw Error(fmt::format("max-iterations = {}: it must be at least 1", options.max_iterations));
  spcart::check(options.truncation, v.rows());
}

}  // namespace

Rotated rotate_and_truncate(ConstBlock v, const RotateOptions& options, const Tick& tick) {
  check(v, options);
  const ThreadScope scope(threads_for(v.rows(), v.cols(), v.cols()));
  const double r = static_cast<double>(v.cols()), entries = r * static_cast<double>(v.rows());
  Rotated result;
  result.rotation = starting_rotation(v, options, tick);
  result.status = Status::iteration_limit;
  Loadings& x = result.loadings;
  x.resize(v.rows(), v.cols());

  for (Index turn = 0; turn < options.max_iterations; ++turn) {
    if (tick) tick(static_cast<double>(turn) / static_cast<double>(options.max_iterations));
    const Matrix z = v * result.rotation.transpose();
    Truncated t = truncate(z, options.truncation, x, turn == 0);
    Polar update = polar(t.x.transpose() * v);
    result.truncated_from = std::exchange(result.rotation, std::move(update.factor));
    result.history.push_back({.change = (t.x - x).norm() / std::sqrt(r),
                              .truncated_energy = t.zeroed_energy / r,
                              .sparsity = 1 - static_cast<double>(t.x.nonZeros()) / entries,
                              .objective = objective(t, update.trace_norm, options.truncation)});
    x.swap(t.x);
    if (result.history.back().change < options.tolerance) {
      result.status = Status::converged;
      break;
    }
  }
  return result;
}

Matrix varimax_rotation(ConstBlock v, const Tick& tick) {
  const ThreadScope scope(threads_for(v.rows(), v.cols(), v.cols()));
  const auto p = static_cast<double>(v.rows());
  Matrix rotation = Matrix::Identity(v.cols(), v.cols());  // Z = V rotation
  double before = 0;
  for (int turn = 0; turn < kVarimaxIterations; ++turn) {
    if (tick) tick(0);
    const Matrix z = v * rotation;
    const Eigen::RowVectorXd spread = z.colwise().squaredNorm() / p;
    const Matrix ascent = z.array() * (z.array().square().rowwise() - spread.array());
    Polar update = polar(v.transpose() * ascent);
    rotation = std::move(update.factor);
    if (turn > 0 && update.trace_norm < before * (1 + kVarimaxTolerance)) break;
    before = update.trace_norm;
  }
  return rotation.transpose();
}

Matrix random_rotation(Index r, std::uint64_t seed) {
  return orthonormalized(Random(seed).normal(r, r));
}

}  // namespace spcart
