#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "data/gram.hpp"
#include "linalg/lapack.hpp"
#include "linalg/leading_eigenvector.hpp"
#include "methods/first_of_largest.hpp"
#include "methods/method.hpp"
#include "methods/optimality.hpp"
#include "methods/power.hpp"

namespace spcart {
namespace {

/// The leading eigenvector of a symmetric matrix, of which the lower half is given. `start` is near
/// to it, but may lie in an invariant subspace that does not contain it.
Vector leading_near(ConstBlock c, const Vector& start, std::uint64_t seed) {
  constexpr Index kDirect = 32;
  constexpr double kTolerance = 1e-12, kStir = 1e-3;
  const ThreadScope scope(threads_for(c.rows(), c.rows(), 1));
  if (c.rows() <= kDirect) return symmetric_eigen(c, 1).vectors;
  const Vector stirred = start.normalized() + kStir * Random(seed).normal(c.rows(), 1).normalized();
  return leading_eigenvector(
      [&](const Vector& x) -> Vector { return c.selfadjointView<Eigen::Lower>() * x; }, stirred,
      kTolerance);
}

/// The chosen variables, and A'A x for the leading eigenvector x of their part of A'A. On the
/// support, A'A x is x times its variance.
class Support {
 public:
  virtual ~Support() = default;

  void add(Index j) {
    variables_.push_back(j);
    update(j);
    variance_ = length_inside();
  }
  const std::vector<Index>& variables() const { return variables_; }
  const Vector& reach() const { return reach_; }
  double variance() const { return variance_; }

  Vector loading() const {
    Vector x = Vector::Zero(reach_.size());
    x(variables_) = reach_(variables_);
    return x.normalized();
  }

 protected:
  virtual void update(Index j) = 0;

  double length_inside() const {
    const Vector inside = reach_(variables_);
    return inside.norm();
  }

  std::vector<Index> variables_;
  Vector reach_;

 private:
  double variance_ = 0;
};

/// By the k x k part of A'A.
class FewVariables final : public Support {
 public:
  FewVariables(const Gram& gram, Index k, std::uint64_t seed)
      : gram_(gram), columns_(gram.size(), k), part_(Matrix::Zero(k, k)), seed_(seed) {}

 private:
  void update(Index j) override {
    const auto k = static_cast<Index>(variables_.size());
    columns_.col(k - 1) = gram_.columns({&j, 1});
    part_.row(k - 1).head(k) = columns_.col(k - 1)(variables_).transpose();
    const Vector start = k == 1 ? Vector::Ones(1) : Vector(reach_(variables_));
    const Vector x = leading_near(part_.topLeftCorner(k, k), start, seed_);
    reach_.noalias() = columns_.leftCols(k) * x;
  }

  const Gram& gram_;
  Matrix columns_;  ///< of A'A
  Matrix part_;     ///< lower half
  std::uint64_t seed_;
};

/// By the n x n matrix A_I A_I' of the chosen variables I: if y is its leading eigenvector, x is
/// proportional to A_I'y.
class FewSamples final : public Support {
 public:
  FewSamples(const DataMatrix& a, double unit, std::uint64_t seed)
      : a_(a), scale_(1 / std::sqrt(unit)), outer_(Matrix::Zero(a.rows(), a.rows())), seed_(seed) {}

 private:
  void update(Index j) override {
    const Vector column = scale_ * a_.times(Vector::Unit(a_.cols(), j));
    outer_.selfadjointView<Eigen::Lower>().rankUpdate(column);
    y_ = leading_near(outer_, y_.size() == 0 ? column : y_, seed_);
    reach_ = scale_ * a_.adjoint_times(y_);
    reach_ *= length_inside();
  }

  const DataMatrix& a_;
  double scale_;  ///< to the units of Gram
  Matrix outer_;  ///< lower half
  Vector y_;
  std::uint64_t seed_;
};

/// Adding variable j raises the largest eigenvalue by at least the square of its product with the
/// leading vector, which is entry j of A'A x up to a common factor.
Index best_addition(const Support& support) {
  Vector gain = support.reach().cwiseAbs();
  gain(support.variables()).setConstant(-1);
  return first_of_largest(gain);
}

Iteration iteration_of(const Support& support, const Vector& x, const Vector& before,
                       double total) {
  const double inside = support.variance() / support.reach().norm();
  return {.change = (x - before).norm(),
          .truncated_energy = 1 - inside * inside,
          .sparsity =
              1 - static_cast<double>(support.variables().size()) / static_cast<double>(x.size()),
          .objective = 1 - support.variance() / total};
}

}  // namespace

MethodResult fit_pathspca(const Task& task) {
  Gram gram(task.a, task.tick);
  const Index r = task.components, p = gram.size();
  const Index k = p - static_cast<Index>(task.truncation.lambda);
  const ThreadScope scope(gram.matrix() ? threads_for(p, k, 1) : threads_for(4 * task.a.entries()));
  MethodResult found;
  Matrix loadings = Matrix::Zero(p, r);
  for (Index i = 0; i < r; ++i) {
    if (gram.exhausted()) {
      warn_of_used_up_variance(i, r, found);
      break;
    }
    std::unique_ptr<DataMatrix> deflated;
    std::unique_ptr<Support> support;
    if (k <= task.a.rows()) {
      support = std::make_unique<FewVariables>(gram, k, task.seed);
    } else {
      deflated = deflate(task.a, loadings.leftCols(i));
      support = std::make_unique<FewSamples>(*deflated, gram.unit(), task.seed);
    }
    for (Index size = 0; size < k; ++size) {
      if (task.tick) task.tick(static_cast<double>(i * k + size) / static_cast<double>(r * k));
      support->add(size == 0 ? first_of_largest(gram.diagonal()) : best_addition(*support));
      const Vector x = support->loading();
      found.history.push_back(iteration_of(*support, x, loadings.col(i), gram.total()));
      loadings.col(i) = x;
    }
    const Tick within = [&](double) {
      if (task.tick) task.tick(static_cast<double>(i + 1) / static_cast<double>(r + 1));
    };
    if (is_proved_optimal(gram, support->variables(), support->reach(), support->variance(),
                          within))
      found.optimal.push_back(i);
    gram.deflate(loadings.col(i));
  }
  found.loadings = loadings.sparseView(0, 0);
  return found;
}

}  // namespace spcart
