#include "spcart/refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "base/reject.hpp"
#include "data/gram.hpp"
#include "linalg/lapack.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// Scores are computed as if components overlapped by this fraction less than they do. Those that
/// overlap then explain some of the data twice, and the next round pulls them apart: otherwise
/// components drift into ever more oblique bases of much the same span.
constexpr double kRepulsion = 0.1;

/// Sweeps of coordinate descent in a round of relaxing.
constexpr int kSweeps = 2;

/// A score of which the others leave this fraction of its variance is in their span, and one of
/// which they leave little more gains nothing beyond rounding error.
constexpr double kCopy = 1e-12, kNearCopy = 1e-9;

/// An exchange, and all exchanges together, must gain more than rounding error; a round without
/// exchanges this fraction of the explained variance.
constexpr double kWorthExchange = 1e-9, kWorthARound = 1e-6;

/// Maximum numbers of nonzeros.
struct Budget {
  Counts counts;
  std::vector<Index> each;
  Index total = 0;

  Budget(Counts kind, const Loadings& x) : counts(kind), total(x.nonZeros()) {
    for (Index i = 0; i < x.cols(); ++i) each.push_back(x.col(i).nonZeros());
  }
  Index of(Index component) const { return each[static_cast<std::size_t>(component)]; }
};

/// The scores Y of loadings, normalised to unit columns, by their products with A and each other.
struct Scores {
  Matrix aty;            ///< Y'A, r x p
  Matrix yty;            ///< Y'Y
  Vector lengths;        ///< of the columns before normalisation; zero for an empty component
  double explained = 0;  ///< variance within the span of X
};

struct Candidate {
  Loadings x;
  Scores y;
};

/// A tick for the next of this many products with A.
Tick part_of(const Tick& tick, Index done, Index all) {
  return [&tick, done, all](double fraction) {
    if (tick) tick((static_cast<double>(done) + fraction) / static_cast<double>(all));
  };
}

/// A'A, and how often it was used.
class Work {
 public:
  Work(const DataMatrix& a, Index products, const Tick& tick)
      : tick_(tick), products_(products), gram_(a, part_of(tick, 0, products)) {}

  /// Unit columns with their scores.
  Candidate candidate(const Loadings& x) {
    const Tick tick = part_of(tick_, ++done_, products_);
    const Matrix* gram = gram_.matrix();
    const Matrix product = gram ? Matrix(*gram * x) : gram_.times(Matrix(x), tick);
    tick(1);
    return {x, scores(x, product)};
  }
  /// Variance within the span of X, by an orthonormal basis: accurate also for nearly dependent
  /// ones.
  double variance_of_span(const Loadings& x) {
    constexpr double kDependentScore = 1e-10;
    const Matrix u = orthonormalized_above(Matrix(x), kDependentScore).q;
    return u.cwiseProduct(gram_.times(u, part_of(tick_, ++done_, products_))).sum();
  }

  Candidate candidate(const Matrix& transposed) {
    return candidate(normalized(Loadings(transposed.transpose().sparseView())));
  }

 private:
  static Scores scores(const Loadings& x, const Matrix& product) {
    const ThreadScope scope(threads_for(x.rows(), x.cols(), x.cols()));
    const Matrix overlaps = x.transpose() * x;
    Scores y;
    y.explained = solve_semidefinite(overlaps, x.transpose() * product).trace();

    Matrix fewer = (1 - kRepulsion) * overlaps;
    fewer.diagonal().array() += kRepulsion;
    const Matrix inverse = solve_semidefinite(fewer, Matrix::Identity(x.cols(), x.cols()));
    y.aty = inverse * product.transpose();
    y.yty = y.aty * x * inverse;
    y.lengths = y.yty.diagonal().cwiseMax(0.0).cwiseSqrt();
    const Vector scale = y.lengths.unaryExpr([](double v) { return v > 0 ? 1 / v : 0.0; });
    y.aty = scale.asDiagonal() * y.aty;
    y.yty = scale.asDiagonal() * y.yty * scale.asDiagonal();
    return y;
  }

  const Tick& tick_;
  Index products_, done_ = 0;
  Gram gram_;
};

// Within a round X is dense and transposed, r x p: the entries of a variable are contiguous, and
// variables are independent of each other.

/// Calls body(first, last) for parts of all variables, spread over threads if this many operations
/// are worth it.
template <class Body>
void for_variables(Index p, double flops, Body body) {
  constexpr Index kLines = 16;
  parallel_for((p + kLines - 1) / kLines, threads_for(flops) > 1,
               [&](Index part) { body(part * kLines, std::min((part + 1) * kLines, p)); });
}

double nonzeros(const Matrix& x) { return static_cast<double>((x.array() != 0).count()); }

// Relaxing: minimises |A - Y X'|^2 / 2 + sum mu_i |x_i|_1 over X by coordinate descent, with the mu
// that leave as many nonzeros as the budget has. Weak entries enter and leave freely until the best
// remain.

/// The size that exactly `count` entries exceed.
double threshold(std::vector<double>& sizes, Index count) {
  if (count >= static_cast<Index>(sizes.size())) return 0;
  const auto nth = sizes.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(sizes, nth, std::ranges::greater{});
  return *nth;
}

Vector thresholds(const Matrix& z, const Budget& budget) {
  std::vector<double> sizes;
  const auto threshold_of = [&](const auto& part, Index count) {
    sizes.resize(static_cast<std::size_t>(part.size()));
    Matrix::Map(sizes.data(), part.rows(), part.cols()) = part.cwiseAbs();
    return threshold(sizes, count);
  };
  if (budget.counts == Counts::total)
    return Vector::Constant(z.rows(), threshold_of(z, budget.total));
  Vector mu(z.rows());
  for (Index i = 0; i < z.rows(); ++i) mu[i] = threshold_of(z.row(i), budget.of(i));
  return mu;
}

/// One sweep. z receives what each entry would be without its threshold, given the others.
void sweep(const Scores& y, const Vector& mu, Matrix& x, Matrix& z) {
  const Index r = x.rows();
  const double flops = 4 * static_cast<double>(r) * (static_cast<double>(x.cols()) + nonzeros(x));
  for_variables(x.cols(), flops, [&](Index first, Index last) {
    Vector left(r);
    for (Index j = first; j < last; ++j) {
      left = y.aty.col(j);
      for (Index i = 0; i < r; ++i)
        if (x(i, j) != 0) left -= x(i, j) * y.yty.col(i);
      for (Index i = 0; i < r; ++i) {
        z(i, j) = left[i] + x(i, j) * y.yty(i, i);
        const double size = std::abs(z(i, j));
        const double next = size > mu[i] ? std::copysign(size - mu[i], z(i, j)) : 0.0;
        if (next != x(i, j)) left -= (next - x(i, j)) * y.yty.col(i);
        x(i, j) = next;
      }
    }
  });
}

/// A component that became empty by thresholding keeps its largest entry.
void revive(const Scores& y, const Matrix& z, Matrix& x) {
  for (Index i = 0; i < x.rows(); ++i) {
    if (y.lengths[i] == 0 || (x.row(i).array() != 0).any()) continue;
    Index j = 0;
    z.row(i).cwiseAbs().maxCoeff(&j);
    x(i, j) = z(i, j);
  }
}

/// Zeroes the smallest entries beyond the budget, except the largest of each component.
void cut(const Budget& budget, Matrix& x) {
  Matrix sizes = x.cwiseAbs().transpose();
  const auto keep = [](Block part, Index count) {
    const std::span values(part.data(), static_cast<std::size_t>(part.size()));
    const auto zeros = static_cast<double>(part.size() - std::max<Index>(count, 1));
    Truncator({TruncationType::count, zeros}, part.size())(values, values);
  };
  for (Index i = 0; i < sizes.cols(); ++i) {
    Index j = 0;
    if (sizes.col(i).maxCoeff(&j) > 0) sizes(j, i) = std::numeric_limits<double>::max();
    if (budget.counts == Counts::each) keep(sizes.col(i), budget.of(i));
  }
  if (budget.counts == Counts::total) keep(sizes, budget.total);
  x = (sizes.transpose().array() > 0).select(x, 0.0);
}

Candidate relax(Work& work, Candidate at, const Budget& budget, Index rounds) {
  Matrix x, z;
  Vector mu;
  for (Index round = 0; round < rounds; ++round) {
    const Scores& y = at.y;
    x = y.lengths.asDiagonal() * Matrix(at.x.transpose());
    if (round == 0) {
      z = y.aty - y.yty * x + x;
      mu = thresholds(z, budget);
    }
    for (int k = 0; k < kSweeps; ++k) {
      sweep(y, mu, x, z);
      mu = thresholds(z, budget);
    }
    revive(y, z, x);
    if (round + 1 == rounds) cut(budget, x);
    at = work.candidate(x);
  }
  return at;
}

// Settling: while Y is fixed, the worth of an entry of X is known: for one in the support the loss
// without it, for one outside the gain with it. The best outside replace the worst inside, and the
// values are refitted.

/// The regression of one variable on the scores in its support.
class Regression {
 public:
  explicit Regression(const Scores& y) : y_(y) {}

  /// Sets x, the entries of variable j, to the best values on their support.
  void fit(Index j, Eigen::Ref<Vector> x) {
    factor(j, x);
    for (Index k = size(); k-- > 0;) {
      double value = reduced_[k];
      for (Index l = k + 1; l < size(); ++l) value -= rows_(active(l), k) * x[active(l)];
      x[active(k)] = value / pivots_[k];
    }
  }

  /// After fit: the worth of every entry.
  void weigh(Index j, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> worth) {
    left_ = y_.aty.col(j);
    variances_ = y_.yty.diagonal();
    for (Index k = 0; k < size(); ++k) {
      left_ -= reduced_[k] * rows_.col(k);
      variances_ -= rows_.col(k).cwiseAbs2();
    }
    worth =
        (variances_.array() > kNearCopy).select(left_.cwiseAbs2().cwiseQuotient(variances_), 0.0);
    for (Index k = 0; k < size(); ++k) worth[active(k)] = x[active(k)] * x[active(k)] / inverse(k);
  }

 private:
  Index size() const { return static_cast<Index>(active_.size()); }
  Index active(Index k) const { return active_[static_cast<std::size_t>(k)]; }

  /// Cholesky of Y'Y on the support, updating the rows of all other scores too. A score in the span
  /// of those before it is left out: its value will be zero.
  void factor(Index j, const Eigen::Ref<const Vector>& x) {
    active_.clear();
    for (Index i = 0; i < x.size(); ++i)
      if (x[i] != 0) active_.push_back(i);
    rows_.resize(x.size(), size());
    pivots_.resize(size());
    reduced_.resize(size());
    for (Index k = 0; k < size(); ++k) {
      const Index i = active(k);
      rows_.col(k) = y_.yty.col(i);
      reduced_[k] = y_.aty(i, j);
      for (Index l = 0; l < k; ++l) {
        rows_.col(k) -= rows_(i, l) * rows_.col(l);
        reduced_[k] -= rows_(i, l) * reduced_[l];
      }
      const bool copy = !(rows_(i, k) > kCopy);
      pivots_[k] = copy ? 1 : std::sqrt(rows_(i, k));
      rows_.col(k) *= copy ? 0 : 1 / pivots_[k];
      reduced_[k] *= copy ? 0 : 1 / pivots_[k];
    }
  }

  /// Entry (k, k) of the inverse of Y'Y on the support.
  double inverse(Index k) {
    column_.setZero(size());
    column_[k] = 1;
    double sum = 0;
    for (Index l = k; l < size(); ++l) {
      for (Index m = k; m < l; ++m) column_[l] -= rows_(active(l), m) * column_[m];
      column_[l] /= pivots_[l];
      sum += column_[l] * column_[l];
    }
    return sum;
  }

  const Scores& y_;
  std::vector<Index> active_;
  Matrix rows_;
  Vector pivots_, reduced_, left_, variances_, column_;
};

/// Exchanges entries of X. A variable changes at most once per round: then the worth of its other
/// entries has not changed.
class Exchange {
 public:
  Exchange(const Matrix& worth, Matrix& x)
      : worth_(worth), x_(x), changed_(static_cast<std::size_t>(x.cols()), false) {
    for (Index i = 0; i < x.rows(); ++i) held_.push_back((x.row(i).array() != 0).count());
  }

  /// Among the components from `first` to before `last`, which share a budget.
  void run(Index first, Index last, Index budget) {
    collect(first, last, budget);
    auto worst = inside_.begin();
    for (const Entry& in : outside_) {
      if (changed(in.variable)) continue;
      if (room_ > 0) {
        --room_;
        enter(in);
        continue;
      }
      while (worst != inside_.end() && changed(worst->variable)) ++worst;
      if (worst == inside_.end() || !better(in, *worst)) break;
      const auto out =
          std::find_if(worst, inside_.end(), [&](const Entry& e) { return may_leave_for(in, e); });
      if (out == inside_.end() || !better(in, *out)) continue;
      leave(*out);
      enter(in);
    }
  }

  Index count() const { return count_; }
  bool changed(Index variable) const { return changed_[static_cast<std::size_t>(variable)]; }

 private:
  struct Entry {
    double worth;
    Index component, variable;
  };

  void collect(Index first, Index last, Index budget) {
    const auto entries = [&](bool inside, double least) {
      std::vector<Entry> list;
      for (Index j = 0; j < x_.cols(); ++j)
        for (Index i = first; i < last; ++i)
          if ((x_(i, j) != 0) == inside && worth_(i, j) > least)
            list.push_back({worth_(i, j), i, j});
      return list;
    };
    inside_ = entries(true, -1);
    std::ranges::stable_sort(inside_, {}, &Entry::worth);
    room_ = budget - static_cast<Index>(inside_.size());
    outside_ = entries(false, room_ > 0 || inside_.empty() ? 0 : inside_.front().worth);
    std::ranges::stable_sort(outside_, std::ranges::greater{}, &Entry::worth);
  }

  static bool better(const Entry& in, const Entry& out) {
    return in.worth > out.worth * (1 + kWorthExchange);
  }
  /// No component gives its last entry to another.
  bool may_leave_for(const Entry& in, const Entry& out) {
    return !changed(out.variable) && out.variable != in.variable &&
           (out.component == in.component || held(out) > 1);
  }

  void enter(const Entry& e) {
    set(e, 1);
    ++held(e);
    ++count_;
  }
  void leave(const Entry& e) {
    set(e, 0);
    --held(e);
  }
  void set(const Entry& e, double value) {
    x_(e.component, e.variable) = value;
    changed_[static_cast<std::size_t>(e.variable)] = true;
  }
  Index& held(const Entry& e) { return held_[static_cast<std::size_t>(e.component)]; }

  const Matrix& worth_;
  Matrix& x_;
  std::vector<bool> changed_;
  std::vector<Index> held_;  ///< nonzeros of each component
  std::vector<Entry> inside_, outside_;
  Index room_ = 0, count_ = 0;
};

/// One round of settling X; returns the number of entries that entered.
Index settle_once(const Scores& y, const Budget& budget, Matrix& x) {
  const Index r = x.rows(), p = x.cols();
  const double active = nonzeros(x) / static_cast<double>(p);
  const double flops = static_cast<double>(x.size()) * active * (active + 4);
  Matrix worth(r, p);
  for_variables(p, flops, [&](Index first, Index last) {
    Regression regression(y);
    for (Index j = first; j < last; ++j) {
      regression.fit(j, x.col(j));
      regression.weigh(j, x.col(j), worth.col(j));
    }
  });
  Exchange exchange(worth, x);
  if (budget.counts == Counts::total)
    exchange.run(0, r, budget.total);
  else
    for (Index i = 0; i < r; ++i) exchange.run(i, i + 1, budget.of(i));
  for_variables(p, flops, [&](Index first, Index last) {
    Regression regression(y);
    for (Index j = first; j < last; ++j)
      if (exchange.changed(j)) regression.fit(j, x.col(j));
  });
  return exchange.count();
}

/// Returns the best candidate on the way.
Candidate settle(Work& work, Candidate at, const Budget& budget, Index rounds) {
  Candidate best = at;
  for (Index round = 0; round < rounds; ++round) {
    const double before = at.y.explained;
    Matrix x = at.x.transpose();
    const Index exchanges = settle_once(at.y, budget, x);
    at = work.candidate(x);
    if (at.y.explained > best.y.explained) best = at;
    if (exchanges == 0 && at.y.explained <= (1 + kWorthARound) * before) break;
  }
  return best;
}

}  // namespace

Counts counts_of(TruncationType type) {
  return type == TruncationType::count ? Counts::each : Counts::total;
}

Loadings refine(const DataMatrix& a, const Loadings& x, Counts counts, Index rounds,
                const Tick& tick) {
  if (x.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
  if (rounds < 0) reject("refine", rounds, "it must be at least 0");
  const Loadings unit = normalized(x);
  if (rounds == 0 || unit.nonZeros() == 0) return unit;
  const Budget budget(counts, unit);
  Work work(a, 2 * rounds + 4, tick);
  const Candidate start = work.candidate(unit);
  const Candidate end = settle(work, relax(work, start, budget, rounds), budget, rounds);
  const bool better = end.y.explained > (1 + kWorthExchange) * start.y.explained &&
                      work.variance_of_span(end.x) > work.variance_of_span(start.x);
  return better ? end.x : start.x;
}

}  // namespace spcart
