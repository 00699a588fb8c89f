#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "methods/elastic_net.hpp"
#include "methods/method.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// Entries that differ by no more than this fraction are equal.
constexpr double kSameEntry = 1e-9;

Vector soft_threshold(const Vector& h, double level) {
  return h.unaryExpr([level](double value) {
    return std::abs(value) <= level ? 0.0 : std::copysign(std::abs(value) - level, value);
  });
}

/// Soft thresholding at the largest of the entries to be zeroed. If it leaves nothing because too
/// many are equal, the last of them stay.
Vector soft_threshold_by_count(const Vector& h, const Truncation& truncation) {
  const auto p = static_cast<std::size_t>(h.size());
  Vector kept(h.size());
  Truncator(truncation, h.size())({h.data(), p}, {kept.data(), p});
  const double level = (kept.array() == 0).select(h.array().abs(), 0.0).maxCoeff();
  const Vector z = soft_threshold(kept, level * (1 + kSameEntry));
  return (z.array() != 0).any() ? z : kept;
}

/// Small if the regressions have a unique solution without it; otherwise infinite, which means soft
/// thresholding.
double ridge_of(const Task& task) {
  const bool unique = task.a.rows() >= task.a.cols();
  return task.ridge.value_or(unique ? 1e-6 : std::numeric_limits<double>::infinity());
}

/// The regressions of the components A x_i on the variables, from h_i = A'A x_i to z_i.
class Regressions {
 public:
  /// h is that of the start. Penalties are relative to the lengths of its columns, which are s_i^2
  /// for the principal components: so lambda has no units, and the same meaning for each of them.
  Regressions(const Task& task, const Gram& gram, const Matrix& h)
      : truncation_(task.truncation),
        by_count_(task.truncation.type == TruncationType::count),
        by_threshold_(std::isinf(ridge_of(task))),
        in_parallel_(gram.matrix() && h.size() > kWorthThreads / 16),
        total_(gram.trace()),
        ridge_(by_threshold_ ? 1 : ridge_of(task) * total_ / static_cast<double>(gram.size())),
        bound_(task.bound),
        penalties_((by_count_ ? 0 : task.truncation.lambda) * h.colwise().norm().transpose()),
        net_(gram, ridge_) {}

  /// A component that became empty stays zero.
  Matrix solve(const Matrix& h, const Loadings& before, bool first, const Tick& tick) const {
    Matrix z = Matrix::Zero(h.rows(), h.cols());
    parallel_for(h.cols(), in_parallel_, [&](Index i) {
      const Tick within = [&](double) {
        tick(static_cast<double>(i) / static_cast<double>(h.cols()));
      };
      if (!in_parallel_) within(0);
      if ((first || before.col(i).nonZeros() > 0) && h.col(i).norm() > kNoVariance * total_)
        z.col(i) = solve_one(h.col(i), penalties_[i], in_parallel_ ? Tick() : within);
    });
    return z;
  }

  /// |A - A Z X'|^2 + ridge |Z|^2 + 2 sum of penalty_i |z_i|_1, over |A|^2. If the ridge is
  /// infinite: its limit for ridge Z instead of Z, times the ridge, without |A|^2 itself.
  double objective(const Matrix& z, const Matrix& h, const Matrix& gz) const {
    const double penalty = 2 * z.cwiseAbs().colwise().sum().dot(penalties_);
    const double rest = penalty + ridge_ * z.squaredNorm() - 2 * z.cwiseProduct(h).sum();
    return by_threshold_ ? rest / (total_ * total_)
                         : (total_ + z.cwiseProduct(gz).sum() + rest) / total_;
  }

 private:
  Vector solve_one(const Vector& h, double penalty, const Tick& tick) const {
    if (by_threshold_)
      return by_count_ ? soft_threshold_by_count(h, truncation_) : soft_threshold(h, penalty);
    ElasticNet::End end{.penalty = penalty, .length = bound_};
    if (by_count_) end.nonzeros = h.size() - static_cast<Index>(truncation_.lambda);
    return net_.follow(h, end, tick).z;
  }

  Truncation truncation_;
  bool by_count_, by_threshold_, in_parallel_;
  double total_, ridge_, bound_;
  Vector penalties_;
  ElasticNet net_;
};

Matrix starting_components(const Task& task) {
  const auto v = task.basis.vectors.leftCols(task.components);
  return task.start == Start::varimax ? Matrix(v * varimax_rotation(v, task.tick).transpose())
                                      : Matrix(v);
}

/// The X of orthonormal columns that is nearest to B.
Matrix orthonormal_factor(const Matrix& b) {
  const Matrix q = orthonormalized(b);
  return q * polar(q.transpose() * b).factor;
}

double energy_off_support(const Matrix& x, const Matrix& z) {
  return (z.array() == 0).select(x.array(), 0.0).matrix().squaredNorm();
}

}  // namespace

MethodResult fit_spca(const Task& task) {
  const Gram gram(task.a, task.tick);
  Matrix x = starting_components(task), h = gram.times(x, task.tick);
  const Regressions regressions(task, gram, h);
  const auto r = static_cast<double>(x.cols()), entries = static_cast<double>(x.size());
  MethodResult found{.loadings = Loadings(x.rows(), x.cols()), .status = Status::iteration_limit};

  for (Index iteration = 0; iteration < task.max_iterations; ++iteration) {
    const Tick tick = [&](double part) {
      if (task.tick)
        task.tick((static_cast<double>(iteration) + part) /
                  static_cast<double>(task.max_iterations));
    };
    tick(0);
    const Matrix z = regressions.solve(h, found.loadings, iteration == 0, tick);
    const Matrix gz = gram.times(z, tick);
    Loadings now = normalized(z.sparseView(0, 0));
    found.history.push_back({.change = (now - found.loadings).norm() / std::sqrt(r),
                             .truncated_energy = energy_off_support(x, z) / r,
                             .sparsity = 1 - static_cast<double>(now.nonZeros()) / entries,
                             .objective = regressions.objective(z, h, gz)});
    found.loadings.swap(now);
    if (found.history.back().change < task.tolerance) {
      found.status = Status::converged;
      break;
    }
    x = orthonormal_factor(gz);
    h = gram.times(x, tick);
  }
  return found;
}

}  // namespace spcart
