#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/indices.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/reject.hpp"
#include "data/gram.hpp"
#include "linalg/lapack.hpp"
#include "linalg/leading_eigenvector.hpp"
#include "methods/elimination.hpp"
#include "methods/first_of_largest.hpp"
#include "methods/method.hpp"
#include "methods/optimality.hpp"
#include "methods/power.hpp"
#include "spcart/memory.hpp"

namespace spcart {
namespace {

/// Number of variables up to which every eigenpair of their part of A'A is used; beyond it, this
/// many of the leading ones, and the others as one.
constexpr Index kAllEigenpairs = 64, kLeading = 8;

/// Number of variables up to which forward selection adds one at a time; beyond it, this fraction
/// of those that it has.
constexpr Index kMostSingly = 256, kFraction = 16;

/// Number of variables from which backward elimination starts at most.
constexpr Index kMostBackward = 500;

/// Variances this near to the largest, relative to it, count as equal.
constexpr double kTie = 1e-9;

constexpr int kMostSteps = 60;        // of Newton's method
constexpr double kPrecision = 1e-14;  // of an eigenvalue, relative to it

/// Variables, and the leading eigenpair of their part of A'A.
struct Component {
  Variables support;
  Vector x;  ///< all p entries
  double variance = 0;
  std::vector<Iteration> path = {};
};

/// The largest root of m = d + sum z_i^2 / (m - value_i): the largest eigenvalue of a matrix with
/// the eigenvalues value_i after it is bordered by one row, of which d is the diagonal entry and
/// the z_i are the products with the eigenvectors. The difference of both sides is concave, so
/// that Newton's method rises to the root from the root for the first eigenpair alone.
double eigenvalue_with(double d, const Vector& squares, const Vector& values) {
  const double top = values[0], half = (top - d) / 2;
  double m = (top + d) / 2 + std::sqrt(half * half + squares[0]);
  const double least = kPrecision * top;
  for (int step = 0; step < kMostSteps; ++step) {
    double f = m - d, slope = 1;
    for (Index i = 0; i < values.size(); ++i) {
      if (squares[i] == 0) continue;
      const double inverse = 1 / std::max(m - values[i], least);
      f -= squares[i] * inverse;
      slope += squares[i] * inverse * inverse;
    }
    if (!(f < -kPrecision * m)) break;
    m -= f / slope;
  }
  return m;
}

/// The largest root of sum s_i / (value_i - m) = 0: the largest eigenvalue after a row and its
/// column are removed, where the s_i are the squares of that row of the eigenvectors. Written as
/// 1 / (sum over i > 1 of s_i / (m - value_i)) = (value_1 - m) / s_1, the left side is concave, so
/// that Newton's method rises to the root from that for one eigenvalue in place of the others.
double eigenvalue_without(const Vector& squares, const Vector& values) {
  const double top = values[0], own = squares[0], others = squares.sum() - own;
  if (!(own > 0)) return top;
  const Index count = values.size() - 1;
  if (count == 0 || !(others > 0)) return 0;
  const double mean = squares.tail(count).dot(values.tail(count)) / others;
  const double least = kPrecision * top;
  double m = std::max(top + (mean - top) * own / (own + others), values[1] + least);
  for (int step = 0; step < kMostSteps; ++step) {
    double h = 0, slope = 0;
    for (Index i = 1; i <= count; ++i) {
      const double inverse = 1 / std::max(m - values[i], least);
      h += squares[i] * inverse;
      slope += squares[i] * inverse * inverse;
    }
    const double f = 1 / h - (top - m) / own;
    if (!(f < 0)) break;
    const double change = -f / (slope / (h * h) + 1 / own);
    m += change;
    if (change <= kPrecision * m) break;
  }
  return std::min(m, top);
}

/// The leading eigenpairs of a matrix that is known by its products, by block Lanczos steps from
/// vectors that are near to them, until the first has at most this residual.
template <class Product>
SymmetricEigen leading_eigenpairs_near(const Product& product, Matrix x, double residual) {
  constexpr int kMost = 30;
  const Index count = x.cols();
  SymmetricEigen e;
  Matrix image = product(x), basis(x.rows(), 2 * count);
  for (int step = 0; step < kMost; ++step) {
    basis << x, image;
    const Matrix q = orthonormalized(basis), cq = product(q);
    e = symmetric_eigen(q.transpose() * cq, count);
    x = q * e.vectors;
    image = cq * e.vectors;
    if ((image.col(0) - e.values[0] * x.col(0)).norm() <= residual * e.values[0]) break;
  }
  e.vectors = std::move(x);
  return e;
}

Iteration iteration_of(const Component& found, const Vector& reach, const Vector& before,
                       Index support, double total) {
  const auto p = static_cast<double>(found.x.size());
  const double length = reach.norm();
  const double inside = length > 0 ? found.variance / length : 1;
  return {.change = (found.x - before).norm(),
          .truncated_energy = 1 - std::min(inside * inside, 1.0),
          .sparsity = 1 - static_cast<double>(support) / p,
          .objective = 1 - found.variance / total};
}

void set_component(Component& found, const Variables& support, const SymmetricEigen& e) {
  found.support = support;
  found.variance = e.values[0];
  const Vector before = found.x(support), now = e.vectors.col(0);
  found.x.setZero();
  found.x(support) = before.dot(now) < 0 ? -now : now;
}

class Greedy {
 public:
  Greedy(const Task& task, const Gram& gram, Index k) : task_(task), gram_(gram), k_(k) {}

  void set_progress(double from, double to) {
    from_ = from;
    to_ = to;
  }

  Component forward() const;
  Component backward(Variables support) const;

 private:
  /// The leading eigenpairs of the part of A'A on a support.
  struct Leading {
    Variables support;
    Vector values;
    Matrix vectors;  ///< all p entries
  };

  /// The component of a support, without a choice.
  Component on(Variables support) const;
  Leading add_one_by_one(Index count, Component& found) const;
  void add_the_others(Leading leading, Component& found) const;

  void tick(Index done, Index all) const {
    const double part = static_cast<double>(done) / static_cast<double>(all);
    if (task_.tick) task_.tick(from_ + (to_ - from_) * part);
  }
  Tick within(Index done, Index all) const {
    return [this, done, all](double) { tick(done, all); };
  }

  const Task& task_;
  const Gram& gram_;
  Index k_;
  double from_ = 0, to_ = 1;
};

/// For every variable j, the largest eigenvalue of the part of A'A on the support and j. `image` is
/// A'A times the eigenvectors, whose values are given; the other eigenvectors count as one, of the
/// value `rest`, and `others` are the squares of the products with it.
Vector values_with(const Gram& gram, const Matrix& image, const Vector& eigenvalues,
                   const Vector& others, double rest) {
  const Index q = eigenvalues.size();
  Vector values(q + 1), result(gram.size());
  values << eigenvalues, rest;
  parallel_for(1 + (gram.size() - 1) / 256, image.size() > kWorthThreads, [&](Index block) {
    Vector squares(q + 1);
    for (Index j = 256 * block; j < std::min(gram.size(), 256 * (block + 1)); ++j) {
      squares << image.row(j).transpose().cwiseAbs2(), others[j];
      result[j] = eigenvalue_with(gram.diagonal()[j], squares, values);
    }
  });
  return result;
}

/// The variable of largest variance. Of several, such as all those of correlations, the first of
/// which one pair explains most, if A'A is in memory.
Index first_variable(const Gram& gram) {
  const Vector& d = gram.diagonal();
  const Index first = first_of_largest(d);
  if (!gram.matrix()) return first;
  Vector best = Vector::Constant(d.size(), -1);
  for (Index j = first; j < d.size(); ++j) {
    if (d[j] < (1 - kTie) * d[first]) continue;
    const auto half = (d[j] - d.array()) / 2;
    Vector pairs =
        (d[j] + d.array()) / 2 + (half.square() + gram.matrix()->col(j).array().square()).sqrt();
    pairs[j] = d[j];
    best[j] = pairs.maxCoeff();
  }
  return first_of_largest(best);
}

Component Greedy::on(Variables support) const {
  constexpr double kTolerance = 1e-10;
  const Index p = gram_.size();
  const auto size = static_cast<Index>(support.size());
  Vector mask = Vector::Zero(p);
  mask(support).setOnes();
  const auto product = [&](const Vector& x) -> Vector {
    return mask.cwiseProduct(gram_.times(mask.cwiseProduct(x), within(0, 1)));
  };
  const Vector start = product(Random(task_.seed).normal(p, 1));
  Component found{.support = std::move(support),
                  .x = leading_eigenvector(product, start, kTolerance)};
  const Vector reach = gram_.times(found.x, within(0, 1));
  found.variance = found.x.dot(reach);
  found.path = {iteration_of(found, reach, Vector::Zero(p), size, gram_.total())};
  return found;
}

/// What the columns of A'A of the first variables take.
void check_room_for_columns(Index p, Index count) {
  const double bytes = sizeof(double) * static_cast<double>(p) * static_cast<double>(count);
  if (const auto memory = static_cast<double>(available_memory()); bytes > memory)
    reject("method", "greedy",
           "products of {} variables with {} take {}, and {} are left; choose variables first, or "
           "ask for fewer in a component",
           p, count, bytes_in_words(static_cast<std::uint64_t>(bytes)),
           bytes_in_words(static_cast<std::uint64_t>(memory)));
}

Component Greedy::forward() const {
  const Index p = gram_.size(), first = std::min(k_, kMostSingly);
  if (k_ == p && p > kMostSingly) return on(indices_of_largest(gram_.diagonal(), p));
  const ThreadScope scope(gram_.matrix() ? threads_for(p, first, std::min(first, kAllEigenpairs))
                                         : threads_for(4 * task_.a.entries()));
  check_room_for_columns(p, first);
  Component found{.support = {}, .x = Vector::Zero(p)};
  Leading leading = add_one_by_one(first, found);
  if (first < k_) add_the_others(std::move(leading), found);
  return found;
}

Greedy::Leading Greedy::add_one_by_one(Index count, Component& found) const {
  const Index p = gram_.size();
  Matrix columns(p, count), part(count, count);
  Vector gain = Vector::Unit(p, first_variable(gram_)), lengths = Vector::Zero(p);
  Variables support;
  for (Index size = 1;; ++size) {
    tick(size - 1, k_);
    gain(support).setConstant(-1);
    const Index j = first_of_largest(gain);
    support.push_back(j);
    columns.col(size - 1) = gram_.columns({&j, 1}, within(size - 1, k_));
    lengths += columns.col(size - 1).cwiseAbs2();
    part.col(size - 1).head(size) = columns.col(size - 1)(support);
    part.row(size - 1).head(size) = part.col(size - 1).head(size).transpose();

    const auto inside = part.topLeftCorner(size, size);
    const SymmetricEigen e = symmetric_eigen(inside, size <= kAllEigenpairs ? size : kLeading);
    const Vector before = found.x;
    set_component(found, support, e);
    const Matrix image = columns.leftCols(size) * e.vectors;
    found.path.push_back(iteration_of(found, image.col(0), before, size, gram_.total()));
    if (size == count) {
      Leading leading{support, e.values, Matrix::Zero(p, e.values.size())};
      leading.vectors(support, Eigen::all) = e.vectors;
      return leading;
    }
    const Index left = size - e.values.size();
    const double rest =
        left > 0 ? (inside.trace() - e.values.sum()) / static_cast<double>(left) : 0;
    Vector others = Vector::Zero(p);
    if (left > 0) others = (lengths - image.rowwise().squaredNorm()).cwiseMax(0.0);
    gain = values_with(gram_, image, e.values, others, std::max(rest, 0.0));
  }
}

/// By the leading eigenpairs alone, which products with A'A give: no more of its columns are
/// needed.
void Greedy::add_the_others(Leading leading, Component& found) const {
  constexpr double kWhileAdding = 1e-4, kAtLast = 1e-10;
  const Index p = gram_.size();
  Vector mask = Vector::Zero(p);
  mask(leading.support).setOnes();
  while (true) {
    const auto size = static_cast<Index>(leading.support.size());
    const Tick now = within(size, k_);
    const Matrix image = gram_.times(leading.vectors, now);
    if (size > kMostSingly) {
      const Vector before = found.x, x = leading.vectors.col(0);
      found.support = leading.support;
      found.variance = leading.values[0];
      found.x = before.dot(x) < 0 ? -x : x;
      found.path.push_back(iteration_of(found, image.col(0), before, size, gram_.total()));
    }
    if (size == k_) return;
    Vector gain = values_with(gram_, image, leading.values, Vector::Zero(p), 0);
    gain(leading.support).setConstant(-1);
    const Indices more = indices_of_largest(gain, std::min(k_ - size, size / kFraction));
    leading.support.insert(leading.support.end(), more.begin(), more.end());
    mask(more).setOnes();
    const auto product = [&](const Matrix& v) -> Matrix {
      return mask.asDiagonal() * gram_.times(v, now);
    };
    const bool last = static_cast<Index>(leading.support.size()) == k_;
    SymmetricEigen e =
        leading_eigenpairs_near(product, std::move(leading.vectors), last ? kAtLast : kWhileAdding);
    leading.values = std::move(e.values);
    leading.vectors = std::move(e.vectors);
  }
}

/// For every variable of the support, the largest eigenvalue without it. The eigenvectors that are
/// not given count as one, whose value is the mean over them in the row of the variable.
Vector values_without(const Matrix& part, const SymmetricEigen& e) {
  const Index m = part.rows(), q = e.values.size();
  Vector values(q + 1), squares(q + 1), result(m);
  for (Index j = 0; j < m; ++j) {
    const Vector own = e.vectors.row(j).cwiseAbs2().transpose();
    const double rest = q < m ? std::max(1 - own.sum(), 0.0) : 0;
    const double mean = rest > kPrecision ? (part(j, j) - own.dot(e.values)) / rest : 0;
    values << e.values, std::clamp(mean, 0.0, e.values[q - 1]);
    squares << own, rest;
    result[j] = eigenvalue_without(squares, values);
  }
  return result;
}

/// Of equal values the last, so that the first variables stay.
Index last_of_largest(const Vector& values) {
  return values.size() - 1 - first_of_largest(values.reverse());
}

Component Greedy::backward(Variables support) const {
  constexpr double kResidual = 1e-10;
  const auto first = static_cast<Index>(support.size());
  if (first == k_ && k_ > kMostBackward) return on(std::move(support));
  const Matrix whole = gram_.block(support, within(0, 1));
  const ThreadScope scope(threads_for(first, first, kLeading));
  Variables rows(support.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  Component found{.support = {}, .x = Vector::Zero(gram_.size())};
  SymmetricEigen e;
  for (Index size = first;; --size) {
    tick(first - size, first - k_ + 1);
    const Matrix part = whole(rows, rows);
    if (size <= kAllEigenpairs)
      e = symmetric_eigen(part, size);
    else if (size == first)
      e = symmetric_eigen(part, kLeading);
    else
      e = leading_eigenpairs_near([&](const Matrix& v) -> Matrix { return part * v; }, e.vectors,
                                  kResidual);
    const Vector before = found.x;
    set_component(found, support, e);
    const Vector reach = whole(Eigen::all, rows) * e.vectors.col(0);
    found.path.push_back(iteration_of(found, reach, before, size, gram_.total()));
    if (size == k_) break;

    const Index j = last_of_largest(values_without(part, e));
    support.erase(support.begin() + j);
    rows.erase(rows.begin() + j);
    if (size > kAllEigenpairs) {
      Matrix kept(size - 1, e.vectors.cols());
      kept << e.vectors.topRows(j), e.vectors.bottomRows(size - 1 - j);
      e.vectors = std::move(kept);
    }
  }
  return found;
}

}  // namespace

MethodResult fit_greedy(const Task& task) {
  Gram gram(task.a, task.tick);
  const Index r = task.components, p = gram.size();
  const Index k = p - static_cast<Index>(task.truncation.lambda);
  const Index most = std::min(p, std::max(kMostBackward, k));
  const Direction direction =
      task.direction.value_or(p > kMostBackward ? Direction::forward : Direction::both);
  MethodResult found;
  if (direction != Direction::forward && most < p)
    found.warnings.push_back(
        fmt::format("backward elimination starts from {} of {} variables, those with the largest "
                    "entries in the leading principal component",
                    most, p));
  Matrix loadings = Matrix::Zero(p, r);
  Greedy greedy(task, gram, k);
  for (Index i = 0; i < r; ++i) {
    if (gram.exhausted()) {
      warn_of_used_up_variance(i, r, found);
      break;
    }
    const double from = static_cast<double>(i) / static_cast<double>(r);
    const double to = static_cast<double>(i + 1) / static_cast<double>(r), middle = (from + to) / 2;
    Component best;
    greedy.set_progress(from, direction == Direction::both ? middle : to);
    if (direction != Direction::backward) best = greedy.forward();
    if (direction != Direction::forward) {
      greedy.set_progress(direction == Direction::both ? middle : from, to);
      Component other = greedy.backward(most_important(gram, most, task.seed, task.tick));
      if (other.variance > best.variance * (1 + kPrecision)) best = std::move(other);
    }
    found.history.insert(found.history.end(), best.path.begin(), best.path.end());
    loadings.col(i) = best.x;
    const Tick within = [&](double) {
      if (task.tick) task.tick(to);
    };
    if (is_proved_optimal(gram, best.support, gram.times(best.x, within), best.variance, within))
      found.optimal.push_back(i);
    gram.deflate(best.x);
  }
  found.loadings = loadings.sparseView(0, 0);
  return found;
}

}  // namespace spcart
