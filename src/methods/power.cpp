#include "methods/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/indices.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "linalg/leading_eigenvector.hpp"
#include "methods/elimination.hpp"
#include "methods/first_of_largest.hpp"

namespace spcart {
namespace {

/// A component with less than this fraction of the variance is only rounding error, and a direction
/// with less than this fraction outside the others is in their span.
constexpr double kNull = 1e-12;

/// One truncation of every column of Z, with the sums that the history needs.
Iteration shrink_columns(const Matrix& z, const Shrink& shrink, double total, Matrix& x) {
  Iteration iteration;
  double gain = 0;
  Vector column;
  for (Index i = 0; i < z.cols(); ++i) {
    gain += shrink(i, z.col(i), column);
    x.col(i) = column;
    const double energy = z.col(i).squaredNorm();
    const auto zeroed = (column.array() == 0).select(z.col(i).array(), 0.0);
    iteration.truncated_energy += energy > 0 ? zeroed.matrix().squaredNorm() / energy : 0;
  }
  iteration.truncated_energy /= static_cast<double>(z.cols());
  iteration.sparsity =
      static_cast<double>((x.array() == 0).count()) / static_cast<double>(x.size());
  iteration.objective = 1 - gain / total;
  return iteration;
}

Matrix with_unit_columns(Matrix x) {
  for (auto column : x.colwise())
    if (const double length = column.norm(); length > 0) column /= length;
  return x;
}

}  // namespace

void PowerIteration::set_progress(double from, double to) {
  from_ = from;
  to_ = to;
}

void PowerIteration::tick(double fraction) const {
  if (task_.tick) task_.tick(from_ + (to_ - from_) * fraction);
}

Matrix PowerIteration::product(const Matrix& x, const Tick& tick) const {
  const ThreadScope scope(gram_.matrix() ? threads_for(x.rows(), x.rows(), x.cols()) : 0);
  return gram_.times(x, tick);
}

/// Z = A' Polar(A X). With D the lengths of the columns of A X, and V L V' the decomposition of
/// D^-1 X'A'AX D^-1, A X = Q R for Q = A X D^-1 V L^(-1/2), R = L^(1/2) V' D, and Polar(A X) is Q
/// Polar(R). Scaling by D preserves the accuracy of weak components beside strong ones.
Matrix PowerIteration::polar_step(const Matrix& x, const Tick& tick) const {
  const Matrix image = product(x, tick);
  const Matrix m = x.transpose() * image;
  const Vector least = kNull * gram_.trace() * x.colwise().squaredNorm();
  const Vector d = (m.diagonal().array() > least.array()).select(m.diagonal().cwiseSqrt(), 0.0);
  const auto inverse = [](double value) { return value > 0 ? 1 / value : 0.0; };
  const Vector scale = d.unaryExpr(inverse);
  if (x.cols() == 1) return image * scale[0];

  const SymmetricEigen e = symmetric_eigen(scale.asDiagonal() * m * scale.asDiagonal(), x.cols());
  const Vector root = (e.values.array() > kNull).select(e.values.cwiseSqrt(), 0.0);
  const Matrix factor = polar(root.asDiagonal() * e.vectors.transpose() * d.asDiagonal()).factor;
  Matrix b = scale.asDiagonal() * e.vectors * root.unaryExpr(inverse).asDiagonal() * factor;
  for (Index i = 0; i < b.cols(); ++i)
    if (d[i] == 0) b.col(i).setZero();
  return image * b;
}

Matrix PowerIteration::run(Matrix x, const Shrink& shrink) const {
  const double root = std::sqrt(static_cast<double>(x.cols()));
  Matrix unit = Matrix::Zero(x.rows(), x.cols());
  bool passed = false;
  for (Index k = 0; k < task_.max_iterations; ++k) {
    const double done = static_cast<double>(k) / static_cast<double>(task_.max_iterations);
    tick(done);
    const Matrix z = polar_step(x, [&](double) { tick(done); });
    Iteration iteration = shrink_columns(z, shrink, gram_.total(), x);
    Matrix next = with_unit_columns(x);
    iteration.change = (next - unit).norm() / root;
    unit = std::move(next);
    found_->history.push_back(iteration);
    const bool last = passed || end_ == End::at_test;
    passed = passed || iteration.change < task_.tolerance;
    if (passed && last) break;
  }
  if (!passed) found_->status = Status::iteration_limit;
  return unit;
}

Origin truncated_units(const Loadings& x) {
  for (Index i = 0; i < x.cols(); ++i)
    if (x.col(i).nonZeros() == 0) return Origin::other;
  return Origin::unit_vectors;
}

void warn_of_used_up_variance(Index full, Index components, MethodResult& found) {
  found.without_variance = components - full;
  found.warnings.push_back(fmt::format("{} of {} components explain all variance: the other{} zero",
                                       full, components, components - full == 1 ? " is" : "s are"));
}

namespace {

/// Starts at random: a fixed vector could be orthogonal to the leading one.
template <class Product>
Vector leading_from_anywhere(const Product& product, Index p, std::uint64_t seed) {
  constexpr double kTolerance = 1e-10;
  return leading_eigenvector(product, product(Random(seed).normal(p, 1)), kTolerance);
}

/// One component after the other: each method finds the next one of the deflated matrix.
class OneByOne {
 public:
  explicit OneByOne(const Task& task, PowerIteration::End end = PowerIteration::End::at_test)
      : task_(task), gram_(task.a, task.tick), power_(task, gram_, found_, end) {}

  const Gram& gram() const { return gram_; }

  template <class Find>
  MethodResult run(Find find) {
    const Index r = task_.components;
    Matrix loadings = Matrix::Zero(gram_.size(), r);
    for (component_ = 0; component_ < r; ++component_) {
      if (gram_.exhausted()) {
        warn_of_used_up_variance(component_, r, found_);
        break;
      }
      power_.set_progress(static_cast<double>(component_) / static_cast<double>(r),
                          static_cast<double>(component_ + 1) / static_cast<double>(r));
      const Vector x = find(*this);
      if (x.isZero(0)) break;  // nothing was deflated: the next ones would be empty too
      loadings.col(component_) = x;
      gram_.deflate(x);
    }
    found_.loadings = loadings.sparseView(0, 0);
    return std::move(found_);
  }

  Vector iterate(const Vector& start, const Shrink& shrink) const {
    return power_.run(start, shrink);
  }

  /// The variable of largest variance, the first among equals.
  Vector variance_start() const {
    return Vector::Unit(gram_.size(), first_of_largest(gram_.diagonal()));
  }

  Vector pca_start() const {
    if (component_ == 0) return task_.basis.vectors.col(0);
    return leading_from_anywhere([this](const Vector& x) { return product(x); }, gram_.size(),
                                 task_.seed);
  }

  /// From each start; the end that explains most, among the admissible ones if there are any.
  template <class Admissible>
  Vector best_of(std::span<const Vector> starts, const Shrink& shrink, Admissible admissible) {
    MethodResult best;
    Vector x;
    bool is_admissible = false;
    for (const Vector& start : starts) {
      MethodResult found;
      PowerIteration power = power_;
      power.report_to(found);
      Vector end = power.run(start, shrink);
      const bool now = admissible(end);
      const bool better =
          x.size() == 0 || (now == is_admissible ? found.history.back().objective <
                                                       best.history.back().objective - kNull
                                                 : now);
      if (!better) continue;
      is_admissible = now;
      best = std::move(found);
      x = std::move(end);
    }
    found_.history.insert(found_.history.end(), best.history.begin(), best.history.end());
    if (best.status != Status::converged) found_.status = best.status;
    return x;
  }

  /// The principal component, and the variables of largest variance: all if there are few.
  std::vector<Vector> several_starts() const {
    constexpr Index kFew = 100, kMost = 10;
    const Index p = gram_.size(), most = gram_.matrix() && p <= kFew ? p : std::min(p, kMost);
    std::vector<Vector> starts = {pca_start()};
    for (const Index j : indices_of_largest(gram_.diagonal(), most))
      if (gram_.diagonal()[j] > kNull * gram_.total()) starts.emplace_back(Vector::Unit(p, j));
    return starts;
  }

  /// The values that explain most on the support of x.
  Vector filled(const Vector& x) const {
    const Vector support = (x.array() != 0).cast<double>();
    return leading_from_anywhere(
        [&](const Vector& v) -> Vector {
          return support.cwiseProduct(product(support.cwiseProduct(v)));
        },
        gram_.size(), task_.seed);
  }

 private:
  Vector product(const Vector& x) const {
    return gram_.times(x, [this](double) { power_.tick(0); });
  }

  const Task& task_;
  Gram gram_;
  MethodResult found_;
  PowerIteration power_;
  Index component_ = 0;
};

/// Sparser and sparser, each from the one before (Yuan and Zhang 2013).
Vector warm_start(const OneByOne& steps, double nonzeros) {
  const auto p = static_cast<double>(steps.gram().size());
  Vector x = steps.variance_start();
  for (const double factor : {8, 4, 2})
    if (factor * nonzeros < p)
      x = steps.iterate(x, relative_truncation({TruncationType::count, p - factor * nonzeros},
                                               steps.gram().size()));
  return x;
}

}  // namespace

MethodResult fit_rsvd(const Task& task) {
  return OneByOne(task).run([&](const OneByOne& steps) {
    const Shrink shrink = penalty(task.truncation, steps.gram().diagonal().maxCoeff());
    const Vector x = steps.iterate(steps.pca_start(), shrink);
    // A large penalty may leave nothing of a principal component, but always something of a column.
    return x.isZero(0) ? steps.iterate(steps.variance_start(), shrink) : x;
  });
}

MethodResult fit_rsvd_gp(const Task& task) {
  const Shrink shrink = relative_truncation(task.truncation, task.a.cols());
  MethodResult found = OneByOne(task).run([&](const OneByOne& steps) {
    return steps.iterate(task.start == Start::pca ? steps.pca_start() : steps.variance_start(),
                         shrink);
  });
  found.origin = truncated_units(found.loadings);
  return found;
}

MethodResult fit_tpower(const Task& task) {
  if (task.start != Start::warm) return fit_rsvd_gp(task);
  const Shrink shrink = relative_truncation(task.truncation, task.a.cols());
  const double nonzeros = static_cast<double>(task.a.cols()) - task.truncation.lambda;
  MethodResult found = OneByOne(task).run(
      [&](const OneByOne& steps) { return steps.iterate(warm_start(steps, nonzeros), shrink); });
  found.origin = truncated_units(found.loadings);
  return found;
}

MethodResult fit_gpower(const Task& task) {
  return OneByOne(task, PowerIteration::End::one_later).run([&](const OneByOne& steps) {
    const Shrink shrink = penalty(task.truncation, steps.gram().diagonal().maxCoeff());
    const Vector x = steps.iterate(steps.variance_start(), shrink);
    return task.post_fit ? steps.filled(x) : x;
  });
}

MethodResult fit_spc(const Task& task) {
  const Shrink shrink = l1_bound(task.truncation.lambda);
  return OneByOne(task).run(
      [&](const OneByOne& steps) { return steps.iterate(steps.pca_start(), shrink); });
}

MethodResult fit_scotlass(const Task& task) {
  constexpr double kSlack = 1e-3;  // where equations and bound leave hardly any room
  const double bound = task.truncation.lambda;
  const auto is_within = [bound](const Vector& x) { return x.lpNorm<1>() <= bound * (1 + kSlack); };
  Matrix before(task.a.cols(), 0);
  MethodResult found = OneByOne(task).run([&](OneByOne& steps) {
    const Index i = before.cols();
    const Shrink shrink = i == 0 ? l1_bound(bound) : orthogonal_l1_bound(bound, before);
    Vector x = steps.best_of(steps.several_starts(), shrink, is_within);
    before.conservativeResize(Eigen::NoChange, i + 1);
    before.col(i) = x;
    return x;
  });
  for (Index i = 0; i < before.cols(); ++i)
    if (const Vector x = before.col(i); !is_within(x))
      found.warnings.push_back(
          fmt::format("component {}: no loading within the bound {:.4g} was found that is "
                      "orthogonal to those before it; its l1 norm is {:.4g}",
                      i + 1, bound, x.lpNorm<1>()));
  return found;
}

}  // namespace spcart
