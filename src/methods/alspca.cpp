#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "data/gram.hpp"
#include "methods/method.hpp"

namespace spcart {
namespace {

// Everything here is in units of the largest eigenvalue of A'A: C = A'A / s_1^2.

constexpr double kFirstWeight = 2, kGrowth = 2, kLargestWeight = 1e10;  // of the constraints
constexpr double kFirstTolerance = 0.1, kTightening = 0.3;              // of the subproblems
constexpr double kInside = 0.9;  // fraction of the bound on correlations that is aimed at

Matrix shrunk(const Matrix& z, double threshold) {
  return z.unaryExpr(
      [=](double v) { return std::copysign(std::max(std::abs(v) - threshold, 0.0), v); });
}

/// The augmented Lagrangian at a point.
struct Point {
  Matrix x, cx;             ///< X and C X
  double value = 0;         ///< except for a constant
  Matrix gradient = {};     ///< without the penalty
  Matrix mu = {}, nu = {};  ///< the updated multipliers
};

/// Of the problem: min -tr(X'CX) + lambda sum |X|, X'X = I, and |x_i'C x_j| within a bound for i !=
/// j.
class Lagrangian {
 public:
  Lagrangian(const Task& task, const Gram& gram)
      : gram_(gram),
        scale_(task.basis.singular_values[0] / gram.unit() * task.basis.singular_values[0]),
        lambda_(task.truncation.lambda * gram.diagonal().maxCoeff() / scale_),
        correlation_(kInside * task.correlation) {}

  double scale() const { return scale_; }
  double lambda() const { return lambda_; }
  double weight() const { return weight_; }

  Matrix product(const Matrix& x, const Tick& tick) const { return gram_.times(x, tick) / scale_; }

  Point at(Matrix x, Matrix cx) const;

  /// Multipliers with which an orthonormal X comes nearest to being stationary.
  void start_at(const Matrix& x, const Matrix& cx);

  /// Bounds on the correlations are bounds on x_i'C x_j with the variances at X.
  void set_variances(const Matrix& x, const Matrix& cx);

  void set_multipliers(const Point& point) {
    mu_ = point.mu;
    nu_ = point.nu;
  }
  void raise_weight() { weight_ *= kGrowth; }

 private:
  bool bounds_correlations() const { return std::isfinite(correlation_); }

  const Gram& gram_;
  double scale_, lambda_, correlation_;
  double weight_ = kFirstWeight;
  Matrix mu_, nu_;         ///< of X'X = I and of the bounds
  Matrix units_, bounds_;  ///< in which each x_i'C x_j is measured, and its bound
};

Point Lagrangian::at(Matrix x, Matrix cx) const {
  Point point{.x = std::move(x), .cx = std::move(cx)};
  const Matrix k = point.x.transpose() * point.cx;
  point.mu = mu_ + weight_ * (point.x.transpose() * point.x);
  point.mu.diagonal().array() -= weight_;
  double constraints = point.mu.squaredNorm();
  point.gradient = 2 * (point.x * point.mu - point.cx);
  if (bounds_correlations()) {
    const Matrix shifted = nu_ + weight_ * k.cwiseProduct(units_);
    point.nu = shifted - shifted.cwiseMax(-weight_ * bounds_).cwiseMin(weight_ * bounds_);
    constraints += point.nu.squaredNorm();
    point.gradient += 2 * point.cx * point.nu.cwiseProduct(units_);
  }
  point.value = lambda_ * point.x.cwiseAbs().sum() - k.trace() + constraints / (2 * weight_);
  return point;
}

void Lagrangian::start_at(const Matrix& x, const Matrix& cx) {
  const Matrix m = x.transpose() * (cx - lambda_ / 2 * x.cwiseSign());
  mu_ = (m + m.transpose()) / 2;
  nu_ = units_ = Matrix::Zero(x.cols(), x.cols());
}

/// Each x_i'C x_j is in units of the larger of the two variances, so that its gradient has the size
/// of X.
void Lagrangian::set_variances(const Matrix& x, const Matrix& cx) {
  if (!bounds_correlations()) return;
  const Vector variances = x.cwiseProduct(cx).colwise().sum().cwiseMax(0.0);
  nu_.array() *= units_.array();
  units_.setZero();
  bounds_ = units_;
  for (Index i = 0; i < x.cols(); ++i)
    for (Index j = 0; j < x.cols(); ++j) {
      const double largest = std::max(variances[i], variances[j]);
      if (i == j || !(largest > 0)) continue;
      units_(i, j) = 1 / largest;
      bounds_(i, j) = correlation_ * std::sqrt(variances[i] * variances[j]) / largest;
      nu_(i, j) *= largest;
    }
}

/// Rounded to a few bits, so that rounding in the data neither changes the steps nor accumulates.
double coarse(double value) {
  constexpr double kParts = 16;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::floor(kParts * mantissa) / kParts, exponent);
}

/// Minimises the augmented Lagrangian from a point by proximal gradient steps. Their lengths are
/// those of Barzilai and Borwein, shortened until the value is below the largest of the last few
/// (Grippo, Lampariello and Lucidi).
class Descent {
 public:
  Descent(const Lagrangian& lagrangian, const Tick& tick) : lagrangian_(lagrangian), tick_(tick) {}

  /// Until |X - X_previous|_F / (step sqrt(r)) <= tolerance. Returns whether that was reached.
  bool run(Point& point, double tolerance);

 private:
  Point step_from(const Point& point) const {
    Matrix x = shrunk(point.x - step_ * point.gradient, step_ * lagrangian_.lambda());
    Matrix cx = lagrangian_.product(x, tick_);
    return lagrangian_.at(std::move(x), std::move(cx));
  }

  const Lagrangian& lagrangian_;
  const Tick& tick_;
  double step_ = 0.5;
};

bool Descent::run(Point& point, double tolerance) {
  constexpr int kSteps = 1000;
  constexpr std::size_t kMemory = 2;
  constexpr double kShortest = 1e-14, kLongest = 16, kDecrease = 1e-4, kCurvature = 1e-10,
                   kRounding = 1e-13;
  const double root = std::sqrt(static_cast<double>(point.x.cols()));
  std::vector<double> values(kMemory, point.value);
  for (std::size_t iteration = 0; iteration < kSteps; ++iteration) {
    const double largest = *std::ranges::max_element(values);
    const double reference = largest + kRounding * (1 + std::abs(largest));
    Point next = step_from(point);
    const auto squared_change = [&] { return (next.x - point.x).squaredNorm(); };
    while (!(next.value <= reference - kDecrease / (2 * step_) * squared_change())) {
      step_ /= 2;
      if (step_ < kShortest) return true;  // only rounding is left
      next = step_from(point);
    }
    const Matrix change = next.x - point.x;
    const double length = change.norm(), residual = length / (step_ * root);
    const double bend = change.cwiseProduct(next.gradient - point.gradient).sum();
    const bool convex = bend > kCurvature * length * length;
    step_ = std::min(convex ? coarse(length * length / bend) : 2 * step_, kLongest);
    point = std::move(next);
    values[iteration % kMemory] = point.value;
    if (residual <= tolerance) return true;
  }
  return false;
}

void normalize_columns(Matrix& x) {
  for (auto column : x.colwise())
    if (const double length = column.norm(); length > 0) column /= length;
}

/// X with unit columns, without the entries that are too small to be distinguished from zero.
Matrix rounded(Matrix x, double threshold) {
  normalize_columns(x);
  x = (x.array().abs() > threshold).select(x, 0.0);
  normalize_columns(x);
  return x;
}

/// So small that all entries below it together hold no more than the tolerances allow.
double dropped_below(const Task& task, Index p) {
  if (task.truncation.lambda == 0) return 0;
  return std::min({task.tolerance, task.orthogonality / 2, task.correlation / 2}) /
         std::sqrt(static_cast<double>(p));
}

/// The largest |m_ij| / sqrt(m_ii m_jj), i != j, of a semidefinite matrix.
double largest_cosine(const Matrix& m) {
  const Vector lengths = m.diagonal().cwiseMax(0.0).cwiseSqrt();
  double largest = 0;
  for (Index i = 0; i < m.cols(); ++i)
    for (Index j = 0; j < i; ++j)
      if (lengths[i] > 0 && lengths[j] > 0)
        largest = std::max(largest, std::abs(m(i, j)) / (lengths[i] * lengths[j]));
  return largest;
}

/// The result of an iteration: the loadings that would be returned, and their properties.
struct IterationPoint {
  Matrix x;
  double orthogonality = 0, correlation = 0;  ///< the largest cosines of loadings and of components
  double unevenness = 0;                      ///< the largest deviation of a squared length from 1
  double gain = 0;                            ///< tr(X'CX) minus the penalty
};

IterationPoint measure(const Lagrangian& lagrangian, const Matrix& x, double threshold,
                       const Tick& tick) {
  IterationPoint iteration{.x = rounded(x, threshold)};
  const Matrix k = iteration.x.transpose() * lagrangian.product(iteration.x, tick);
  iteration.orthogonality = largest_cosine(iteration.x.transpose() * iteration.x);
  iteration.correlation = largest_cosine(k);
  iteration.unevenness = (x.colwise().squaredNorm().array() - 1).abs().maxCoeff();
  iteration.gain = k.trace() - lagrangian.lambda() * iteration.x.cwiseAbs().sum();
  return iteration;
}

bool is_feasible(const IterationPoint& iteration, const Task& task) {
  return std::max(iteration.orthogonality, iteration.unevenness) <= task.orthogonality &&
         iteration.correlation <= task.correlation;
}

Iteration iteration_of(const IterationPoint& iteration, const Matrix& before, double total) {
  const Matrix& x = iteration.x;
  return {.change = (x - before).norm() / std::sqrt(static_cast<double>(x.cols())),
          .sparsity = static_cast<double>((x.array() == 0).count()) / static_cast<double>(x.size()),
          .objective = 1 - iteration.gain / total};
}

/// The principal components, or a rotation of them, which explains as much.
Matrix starting_point(const Task& task) {
  const auto v = task.basis.vectors.leftCols(task.components);
  if (task.start == Start::varimax) return v * varimax_rotation(v, task.tick).transpose();
  if (task.start == Start::random) return v * random_rotation(v.cols(), task.seed);
  return v;
}

void warn_of_constraints(const Task& task, const IterationPoint& last,
                         std::vector<std::string>& warnings) {
  if (last.orthogonality > task.orthogonality)
    warnings.push_back(fmt::format("orthogonality = {}: the loadings came to {:.2g}",
                                   task.orthogonality, last.orthogonality));
  if (last.correlation > task.correlation)
    warnings.push_back(fmt::format("correlation = {}: the components came to {:.2g}",
                                   task.correlation, last.correlation));
}

}  // namespace

MethodResult fit_alspca(const Task& task) {
  const Gram gram(task.a, task.tick);
  const Index p = gram.size(), r = task.components;
  const double read = gram.matrix() ? static_cast<double>(p * p) : 2 * task.a.entries();
  const ThreadScope scope(threads_for(2 * read * static_cast<double>(r)));
  double done = 0;
  const Tick tick = [&](double) {
    if (task.tick) task.tick(done);
  };

  Lagrangian lagrangian(task, gram);
  const Matrix v = starting_point(task), cv = lagrangian.product(v, tick);
  lagrangian.start_at(v, cv);
  Point point{.x = v, .cx = cv};
  Descent descent(lagrangian, tick);
  const double slack = v.cwiseProduct(cv).sum();
  const double total = gram.total() / lagrangian.scale();
  const double threshold = dropped_below(task, p), last_tolerance = task.tolerance / 10;
  double tolerance = std::max(kFirstTolerance, last_tolerance);

  MethodResult found{.loadings = {}, .status = Status::iteration_limit};
  IterationPoint iteration{.x = Matrix::Zero(p, r)};
  for (Index i = 0; i < task.max_iterations && lagrangian.weight() < kLargestWeight; ++i) {
    done = static_cast<double>(i) / static_cast<double>(task.max_iterations);
    lagrangian.set_variances(point.x, point.cx);
    point = lagrangian.at(std::move(point.x), std::move(point.cx));
    // The start meets the constraints: whatever stays near its value meets them as their weight
    // grows.
    if (Point start = lagrangian.at(v, cv); !(point.value <= start.value + slack))
      point = std::move(start);
    const bool solved = descent.run(point, tolerance);

    const IterationPoint before =
        std::exchange(iteration, measure(lagrangian, point.x, threshold, tick));
    found.history.push_back(iteration_of(iteration, before.x, total));
    const bool settled =
        tolerance <= last_tolerance && found.history.back().change < task.tolerance;
    const bool feasible = is_feasible(iteration, task);
    if (solved && settled && feasible) {
      found.status = Status::converged;
      break;
    }
    if (!solved) continue;
    lagrangian.set_multipliers(point);
    lagrangian.raise_weight();
    tolerance = std::max(kTightening * tolerance, last_tolerance);
  }
  warn_of_constraints(task, iteration, found.warnings);
  found.loadings = iteration.x.sparseView(0, 0);
  return found;
}

}  // namespace spcart
