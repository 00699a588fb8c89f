#include "methods/dspca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/indices.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "data/gram.hpp"
#include "linalg/lapack.hpp"
#include "linalg/leading_eigenvector.hpp"
#include "methods/elimination.hpp"
#include "methods/first_of_largest.hpp"
#include "methods/method.hpp"
#include "methods/power.hpp"

namespace spcart {
namespace {

Matrix soft_thresholded_entries(const Matrix& z, double threshold) {
  return z.array().sign() * (z.array().abs() - threshold).max(0.0);
}

/// The threshold t for which the sum of max(w_i - t, 0) is 1; w falls.
double simplex_threshold(const Vector& w) {
  double sum = 0, t = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < w.size(); ++i) {
    sum += w[i];
    const double next = (sum - 1) / static_cast<double>(i + 1);
    if (w[i] <= next) break;
    t = next;
  }
  return t;
}

/// The nearest matrix of trace 1 that is positive semidefinite: only the leading eigenpairs are
/// needed, of which `rank` is a guess that is updated.
Matrix nearest_feasible(const Matrix& c, Index& rank) {
  constexpr Index kSpare = 3;
  const Index n = c.rows();
  for (Index count = std::min(n, rank + kSpare);; count = std::min(n, 2 * count)) {
    const SymmetricEigen e = symmetric_eigen(c, count);
    const double t = simplex_threshold(e.values);
    rank = (e.values.array() > t).count();
    if (rank == count && count < n) continue;
    const Vector root = (e.values.head(rank).array() - t).sqrt();
    const Matrix half = e.vectors.leftCols(rank) * root.asDiagonal();
    return half * half.transpose();
  }
}

double largest_eigenvalue(const Matrix& c) { return symmetric_eigen(c, 1).values[0]; }

/// S + U for the U within the penalty that makes its entries smallest.
Matrix thresholded(const Matrix& s, double rho) {
  Matrix c = soft_thresholded_entries(s, rho);
  c.diagonal() = s.diagonal().array() - rho;
  return c;
}

}  // namespace

Relaxation solve_relaxation(const Matrix& s, double rho, const RelaxationOptions& options,
                            const Tick& tick) {
  constexpr Index kCheck = 5, kBalance = 10;
  constexpr double kWeight = 2, kRelaxed = 1.6, kUnbalanced = 2, kFactor = 1.5;
  const Index n = s.rows();
  const auto size = static_cast<double>(n);
  const ThreadScope scope(threads_for(size * size * size));
  Relaxation found{.x = {},
                   .value = s.diagonal().maxCoeff() - rho,
                   .bound = largest_eigenvalue(thresholded(s, rho))};
  double mu = kWeight * largest_eigenvalue(s);  // weight of |X - Y|^2 / 2
  Index rank = n;
  Matrix y = Matrix::Zero(n, n), u = Matrix::Zero(n, n);  // u: the multiplier of X = Y
  for (Index step = 1; step <= options.max_iterations && !found.converged; ++step) {
    if (tick) tick(static_cast<double>(step - 1) / static_cast<double>(options.max_iterations));
    const Matrix x = nearest_feasible(y + (s - u) / mu, rank);
    const Matrix z = kRelaxed * x + (1 - kRelaxed) * y + u / mu;
    Matrix next = soft_thresholded_entries(z, rho / mu);
    u = mu * (z - next);
    const double apart = (x - next).norm(), change = (next - y).norm();
    y.swap(next);
    if (step % kCheck == 0 || step == options.max_iterations) {
      const Matrix dual = s - u.cwiseMin(rho).cwiseMax(-rho);
      found.value = std::max(found.value, s.cwiseProduct(x).sum() - rho * x.cwiseAbs().sum());
      found.bound = std::min(found.bound, largest_eigenvalue(dual));
      found.converged = found.bound - found.value <= options.tolerance * found.bound;
    }
    found.steps.push_back({change, found.value});
    if (step % kBalance == 0) {
      if (apart > kUnbalanced * change) mu *= kFactor;
      if (change > kUnbalanced * apart) mu /= kFactor;
    }
  }
  found.x = std::move(y);
  return found;
}

namespace {

/// Most variables of which a matrix is formed, and of which a relaxation is solved.
constexpr Index kMostFormed = 2000, kMostSolved = 500;

/// Gap of the relaxation relative to the tolerance of loadings, which change by about its root.
constexpr double kGap = 1e-4, kLeastGap = 1e-12;

/// Entries of a loading below this fraction of the largest are as small as the gap allows.
constexpr double kNegligible = 1e-3;

/// Some of the elements of a set of variables.
Variables chosen_from(const Variables& all, const Variables& positions) {
  Variables some;
  for (const Index j : positions) some.push_back(all[static_cast<std::size_t>(j)]);
  return some;
}

struct Candidate {
  Vector x;  ///< all p entries
  double value = 0;
  std::vector<Iteration> history = {};
  bool converged = true;
  // Variables that were not eliminated, and had to be left out of the matrix or the relaxation.
  Index not_formed = 0, not_solved = 0;

  Index nonzeros() const { return (x.array() != 0).count(); }
};

/// The next component, at any penalty.
class DspcaComponent {
 public:
  DspcaComponent(const Task& task, const Gram& gram, double done)
      : task_(task), gram_(gram), top_(gram.diagonal().maxCoeff()), done_(done) {}

  /// At rho = lambda times the largest variance.
  Candidate at(double lambda);

  /// At the largest lambda that leaves this many nonzeros. If none does, the largest entries of the
  /// solution that has the next more.
  Candidate with(Index nonzeros);

 private:
  void form(double rho);
  void solve(const Variables& group, double rho, Candidate& best) const;
  Candidate alone() const;
  Candidate principal() const;
  Candidate largest_entries(Candidate found, Index count) const;

  Iteration iteration(double nonzeros, double change, double value) const {
    return {.change = change,
            .sparsity = 1 - nonzeros / static_cast<double>(gram_.size()),
            .objective = 1 - value / gram_.total()};
  }
  Tick tick() const {
    return [this](double) {
      if (task_.tick) task_.tick(done_);
    };
  }

  const Task& task_;
  const Gram& gram_;
  double top_;   ///< the largest variance
  double done_;  ///< fraction of the whole work, for progress reports
  Variables variables_;
  Matrix s_;  ///< A'A of these, which are all that are needed for a penalty of at least formed_
  double formed_ = std::numeric_limits<double>::infinity();
  Index not_formed_ = 0;
  Vector largest_;    ///< largest |S_ij| of every i over these j, as elimination needs it
  Variables strong_;  ///< for a penalty of at least measured_
  double measured_ = std::numeric_limits<double>::infinity();
};

void DspcaComponent::form(double rho) {
  constexpr double kAhead = 0.5;  // for the next lambdas of a target
  if (rho >= formed_ && not_formed_ == 0) return;
  const Vector& variances = gram_.diagonal();
  if (rho < measured_) {
    measured_ = kAhead * rho;
    Variables strong = survivors_of_count_penalty(variances, measured_);
    if (strong != strong_) largest_ = largest_off_diagonal(gram_, strong, tick());
    strong_ = std::move(strong);
  }
  formed_ = measured_;
  Variables kept = survivors_of_l1_penalty(variances, largest_, formed_);
  if (static_cast<Index>(kept.size()) > kMostSolved) {
    formed_ = rho;
    kept = survivors_of_l1_penalty(variances, largest_, rho);
  }
  not_formed_ = std::max(static_cast<Index>(kept.size()) - kMostFormed, Index{0});
  if (not_formed_ > 0) kept = chosen_from(kept, indices_of_largest(largest_(kept), kMostFormed));
  if (kept == variables_) return;
  s_ = gram_.block(kept, tick());
  variables_ = std::move(kept);
}

Candidate DspcaComponent::alone() const {
  return {.x = Vector::Unit(gram_.size(), first_of_largest(gram_.diagonal())),
          .value = top_,
          .history = {iteration(1, 0, top_)}};
}

/// Without a penalty. Entries that are only the rounding of A'A, whose size is that of A'A before
/// any deflation, are zero.
Candidate DspcaComponent::principal() const {
  constexpr double kTolerance = 1e-10, kRounding = 1e-14;
  const auto product = [this](const Vector& x) -> Vector { return gram_.times(x, tick()); };
  const Vector start = product(Random(task_.seed).normal(gram_.size(), 1));
  Vector x = leading_eigenvector(product, start, kTolerance);
  const double value = x.dot(product(x));
  const double negligible =
      std::max(kTolerance, kRounding * gram_.total() / value) * x.cwiseAbs().maxCoeff();
  x = (x.array().abs() > negligible).select(x, 0.0).normalized();
  const auto nonzeros = static_cast<double>((x.array() != 0).count());
  return {.x = x, .value = value, .history = {iteration(nonzeros, 0, value)}};
}

Candidate DspcaComponent::at(double lambda) {
  if (!(lambda > 0)) return principal();
  const double rho = lambda * top_;
  form(rho);
  std::vector<std::pair<double, Variables>> groups;  // with the most that each can reach
  for (Variables& group : connected_groups(s_, rho)) {
    if (group.size() == 1) continue;
    const double most = static_cast<Index>(group.size()) > kMostSolved
                            ? std::numeric_limits<double>::infinity()
                            : largest_eigenvalue(thresholded(s_(group, group), rho));
    groups.emplace_back(most, std::move(group));
  }
  std::ranges::stable_sort(groups, std::greater{}, [](const auto& group) { return group.first; });
  Candidate best = alone();
  best.value -= rho;
  for (const auto& [most, group] : groups)
    if (most > best.value) solve(group, rho, best);
  best.not_formed = not_formed_;
  return best;
}

void DspcaComponent::solve(const Variables& group, double rho, Candidate& best) const {
  Variables some = group;
  const Index not_solved = std::max(static_cast<Index>(group.size()) - kMostSolved, Index{0});
  if (not_solved > 0) {
    constexpr double kTolerance = 1e-3;
    const Matrix part = soft_thresholded_entries(s_(group, group), rho);
    const Vector x = leading_eigenvector([&](const Vector& v) -> Vector { return part * v; },
                                         part.diagonal() + part.rowwise().norm(), kTolerance);
    some = chosen_from(group, indices_of_largest(x.cwiseAbs(), kMostSolved));
  }
  const Relaxation solution =
      solve_relaxation(s_(some, some), rho,
                       {.tolerance = std::max(kGap * task_.tolerance, kLeastGap),
                        .max_iterations = task_.max_iterations},
                       tick());
  if (!(solution.value > best.value)) return;
  Vector x = symmetric_eigen(solution.x, 1).vectors;
  x = (x.array().abs() > kNegligible * x.cwiseAbs().maxCoeff()).select(x, 0.0).normalized();
  const auto nonzeros = static_cast<double>((x.array() != 0).count());
  best = {.x = Vector::Zero(gram_.size()),
          .value = solution.value,
          .converged = solution.converged,
          .not_solved = not_solved};
  best.x(chosen_from(variables_, some)) = x;
  for (const Relaxation::Step& step : solution.steps)
    best.history.push_back(iteration(nonzeros, step.change, step.value));
}

/// Their values are those of most variance.
Candidate DspcaComponent::largest_entries(Candidate found, Index count) const {
  const Variables support = indices_of_largest(found.x.cwiseAbs(), count);
  found.x.setZero();
  found.x(support) = symmetric_eigen(gram_.block(support, tick()), 1).vectors;
  return found;
}

Candidate DspcaComponent::with(Index nonzeros) {
  constexpr double kLeast = 1e-6, kResolution = 1e-4, kStep = 0.9;  // dense ones cost more
  if (nonzeros == 1) return alone();
  double sparse = 1, dense = kStep;
  Candidate more = at(dense);
  while (more.nonzeros() < nonzeros && dense > 0) {
    sparse = dense;
    dense = dense > kLeast ? dense * kStep : 0;
    more = at(dense);
  }
  // Below kLeast, the penalty does not decide anything.
  while (more.nonzeros() > nonzeros && dense > 0 && sparse - dense > kResolution * sparse) {
    const double middle = (sparse + dense) / 2;
    Candidate found = at(middle);
    if (found.nonzeros() >= nonzeros) {
      dense = middle;
      more = std::move(found);
    } else {
      sparse = middle;
    }
  }
  return more.nonzeros() > nonzeros ? largest_entries(std::move(more), nonzeros) : more;
}

void warn_of_left_out(Index component, Index count, std::string_view reason, MethodResult& found) {
  if (count > 0)
    found.warnings.push_back(fmt::format(
        "component {}: {} variables that could not be eliminated were left out, because {}",
        component + 1, count, reason));
}

}  // namespace

MethodResult fit_dspca(const Task& task) {
  Gram gram(task.a, task.tick);
  const Index r = task.components, p = gram.size();
  const bool counts = task.truncation.type == TruncationType::count;
  MethodResult found;
  Matrix loadings = Matrix::Zero(p, r);
  for (Index i = 0; i < r; ++i) {
    if (gram.exhausted()) {
      warn_of_used_up_variance(i, r, found);
      break;
    }
    DspcaComponent component(task, gram, static_cast<double>(i) / static_cast<double>(r));
    const Candidate best = counts ? component.with(p - static_cast<Index>(task.truncation.lambda))
                                  : component.at(task.truncation.lambda);
    found.history.insert(found.history.end(), best.history.begin(), best.history.end());
    if (!best.converged) found.status = Status::iteration_limit;
    warn_of_left_out(i, best.not_formed,
                     fmt::format("a matrix is formed of at most {}", kMostFormed), found);
    warn_of_left_out(i, best.not_solved,
                     fmt::format("a relaxation is solved for at most {}", kMostSolved), found);
    loadings.col(i) = best.x;
    gram.deflate(best.x);
  }
  found.loadings = loadings.sparseView(0, 0);
  return found;
}

}  // namespace spcart
