#include "proof/branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/indices.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "proof/certified.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double cube(Index n) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
}

/// Supports that contain all of `fixed` and otherwise only variables of `open`. The first fixed
/// variable leads: its entry of x is the largest.
struct Node {
  Indices fixed, open;
  double bound = kInfinity;  ///< of every such support
  double rho = 0;            ///< threshold of the soft bound that was best above
};

/// What is left of the search below a node, with a limit on the number of nodes.
struct Below {
  std::vector<Node> left;
  SparseMaximum best;  ///< better than the one that was given; empty if none is
  Index nodes = 0;
  double work = 0;  ///< operations, roughly
};

/// The part of S below a node, with its fixed variables first.
class Subtree {
 public:
  Subtree(const Matrix& s, Index k, const Node& node, double value, double tolerance,
          const DualPoint& dual)
      : k_(k), names_(node.fixed), tolerance_(tolerance), value_(value) {
    names_.insert(names_.end(), node.open.begin(), node.open.end());
    part_ = s(names_, names_);
    absolute_ = part_.cwiseAbs();
    work_.resize(part_.rows(), part_.cols());
    if (dual.m.size() > 0) {
      dual_.m = dual.m(names_, names_);
      dual_.beta = dual.beta(names_);
    }
  }

  /// Until this many nodes are visited or this much work is done.
  Below run(const Node& node, Index max_nodes, double max_work, const Stop& stop) {
    Local top;
    top.fixed.resize(node.fixed.size());
    std::iota(top.fixed.begin(), top.fixed.end(), Index{0});
    top.open.resize(node.open.size());
    std::iota(top.open.begin(), top.open.end(), static_cast<Index>(node.fixed.size()));
    top.bound = node.bound;
    top.rho = node.rho;
    std::vector<Node> stack = {std::move(top)};
    while (!stack.empty() && below_.nodes < max_nodes && below_.work < max_work && !stop()) {
      Local next = std::move(stack.back());
      stack.pop_back();
      ++below_.nodes;
      if (!survives(next)) continue;
      branch(std::move(next), stack);
    }
    for (Node& rest : stack) {
      for (Index& j : rest.fixed) j = names_[at(j)];
      for (Index& j : rest.open) j = names_[at(j)];
      below_.left.push_back(std::move(rest));
    }
    return std::move(below_);
  }

 private:
  using Local = Node;  ///< with indices of part_

  /// Below what the bound will claim, which leaves room for the rounding of the tests.
  double target() const { return value_ + 0.999 * tolerance_; }

  /// Lowers the bound of a node and drops variables of it; false if nothing better can be below.
  bool survives(Local& node) {
    const Index m = k_ - static_cast<Index>(node.fixed.size());
    if (static_cast<Index>(node.open.size()) <= m) {
      node.fixed.insert(node.fixed.end(), node.open.begin(), node.open.end());
      evaluate(node.fixed);
      return false;
    }
    if (m == 0) {
      evaluate(node.fixed);
      return false;
    }
    for (bool dropped = true; dropped;) {
      const std::size_t before = node.open.size();
      if (!passes_leader(node, m) || !passes_frobenius(node, m)) return false;
      dropped = node.open.size() < before;
      if (static_cast<Index>(node.open.size()) <= m) return survives(node);
    }
    return !is_below_soft(node, m) && !is_below_dual(node, m);
  }

  /// If x_i is the largest entry of the best x, value x_i = sum S_ij x_j gives value <= S_ii + sum
  /// |S_ij| over the rest of the support.
  bool passes_leader(Local& node, Index m) {
    const auto row = absolute_.col(0);
    double base = part_(0, 0), size = row[0];
    for (std::size_t f = 1; f < node.fixed.size(); ++f) {
      base += row[node.fixed[f]];
      size += row[node.fixed[f]];
    }
    numbers_.clear();
    for (const Index c : node.open) numbers_.push_back(row[c]);
    const double all = sum_of_largest(numbers_, m);
    // nth_element leaves the smallest of the m largest at the last of their places.
    const double least = *std::ranges::min_element(numbers_.begin(), numbers_.begin() + m);
    const double slack = 4 * static_cast<double>(k_) * kUnit * (size + all);
    node.bound = std::min(node.bound, base + all + slack);
    if (node.bound <= target()) return false;
    const double needed = target() - (base + all - least) - slack;
    std::erase_if(node.open, [&](Index c) { return row[c] < least && row[c] <= needed; });
    return true;
  }

  bool passes_frobenius(Local& node, Index m) {
    const auto count = node.open.size();
    double squares = 0, trace = 0, size = 0;
    for (const Index f : node.fixed) {
      trace += part_(f, f);
      size += absolute_(f, f);
      for (const Index g : node.fixed) squares += part_(f, g) * part_(f, g);
    }
    weights_.resize(count);
    numbers_.clear();
    for (const Index c : node.open) {
      numbers_.push_back(part_(c, c));
      size += absolute_(c, c);
    }
    std::ranges::sort(numbers_);
    const double slack = 4 * static_cast<double>(k_) * kUnit * size;
    const double least_trace =
        trace + std::accumulate(numbers_.begin(), numbers_.begin() + m, 0.0) - slack;
    const double most_trace =
        trace + std::accumulate(numbers_.end() - m, numbers_.end(), 0.0) + slack;
    for (std::size_t c = 0; c < count; ++c) {
      const auto column = part_.col(node.open[c]);
      double weight = column[node.open[c]] * column[node.open[c]];
      for (const Index f : node.fixed) weight += 2 * column[f] * column[f];
      if (m > 1) {
        numbers_.clear();
        for (const Index d : node.open)
          if (d != node.open[c]) numbers_.push_back(column[d] * column[d]);
        weight += sum_of_largest(numbers_, m - 1);
      }
      weights_[c] = weight;
    }
    numbers_ = weights_;
    const double all = sum_of_largest(numbers_, m);
    const double least = *std::ranges::min_element(numbers_.begin(), numbers_.begin() + m);
    const auto bound_of = [&](double sum) {
      return trace_frobenius(k_, least_trace, most_trace, rounded_up(squares + sum, k_ * k_ + m));
    };
    node.bound = std::min(node.bound, bound_of(all));
    if (node.bound <= target()) return false;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < count; ++c)
      if (weights_[c] >= least || bound_of(all - least + weights_[c]) > target())
        node.open[kept++] = node.open[c];
    node.open.resize(kept);
    return true;
  }

  /// With entries among open variables reduced by rho, x'Sx <= x'S_rho x + rho (|z|_1^2 - |z|^2)
  /// for the open part z of x, and |z|_1^2 <= m |z|^2: the diagonal takes (m - 1) rho.
  void fill_soft(const Local& node, Index m, double rho, Block soft) const {
    const auto f = static_cast<Index>(node.fixed.size());
    const Index n = f + static_cast<Index>(node.open.size());
    const auto name = [&](Index i) { return i < f ? node.fixed[at(i)] : node.open[at(i - f)]; };
    for (Index j = 0; j < n; ++j) {
      const auto column = part_.col(name(j));
      for (Index i = j; i < n; ++i) {
        const double value = column[name(i)];
        if (j < f)
          soft(i, j) = value;
        else if (i == j)
          soft(i, j) = value + static_cast<double>(m - 1) * rho;
        else
          soft(i, j) = value > rho ? value - rho : value < -rho ? value + rho : 0.0;
      }
    }
  }

  bool is_below_soft(Local& node, Index m) {
    const auto n = static_cast<Index>(node.fixed.size() + node.open.size());
    const auto proved = [&](double rho) {
      auto soft = work_.topLeftCorner(n, n);
      fill_soft(node, m, rho, soft);
      below_.work += cube(n);
      return none_above(target(), soft);
    };
    if (node.rho == 0) tune(node, m);
    return proved(node.rho);
  }

  /// The dual point of all variables is one of the node's too, with the betas of its own.
  bool is_below_dual(const Local& node, Index m) {
    if (dual_.m.size() == 0) return false;
    double sum = 0;
    for (const Index f : node.fixed) sum += dual_.beta[f];
    numbers_.clear();
    for (const Index c : node.open) numbers_.push_back(dual_.beta[c]);
    sum = rounded_up(sum + sum_of_largest(numbers_, m), k_);
    Indices all = node.fixed;
    all.insert(all.end(), node.open.begin(), node.open.end());
    const auto n = static_cast<Index>(all.size());
    auto block = work_.topLeftCorner(n, n);
    block = dual_.m(all, all);
    below_.work += cube(n);
    return none_above(target() - sum - 4 * kUnit * (std::abs(target()) + sum), block);
  }

  /// The threshold at which the largest eigenvalue is least, roughly: where its derivative, (m - 1)
  /// |z|^2 less the sum of |z_i z_j| over entries that are not zero, changes sign.
  void tune(Local& node, Index m) {
    const auto f = static_cast<Index>(node.fixed.size());
    const Index n = f + static_cast<Index>(node.open.size());
    double low = 0, high = 0;
    for (const Index c : node.open)
      for (const Index d : node.open)
        if (c != d) high = std::max(high, absolute_(c, d));
    Vector x = Vector::Ones(n), y(n);
    Matrix soft(n, n);
    for (int step = 0; step < 10; ++step) {
      const double rho = (low + high) / 2;
      fill_soft(node, m, rho, soft);
      const double shift = soft.diagonal().minCoeff();
      for (int i = 0; i < 12; ++i) {
        y.noalias() = soft.selfadjointView<Eigen::Lower>() * x;
        y -= shift * x;
        const double length = y.norm();
        if (length == 0) break;
        x = y / length;
      }
      double slope = static_cast<double>(m - 1) * x.tail(n - f).squaredNorm();
      for (Index j = f; j < n; ++j)
        for (Index i = j + 1; i < n; ++i)
          if (soft(i, j) != 0) slope -= 2 * (soft(i, j) > 0 ? 1 : -1) * x[i] * x[j];
      (slope < 0 ? low : high) = rho;
    }
    node.rho = (low + high) / 2;
  }

  void evaluate(const Indices& support) {
    const auto n = static_cast<Index>(support.size());
    auto block = work_.topLeftCorner(n, n);
    block = part_(support, support);
    if (none_above(target(), block)) return;
    Indices named;
    for (const Index j : support) named.push_back(names_[at(j)]);
    std::vector<Index> order(support.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [&](Index i) { return named[at(i)]; });
    Indices sorted_local, sorted_named;
    for (const Index i : order) {
      sorted_local.push_back(support[at(i)]);
      sorted_named.push_back(named[at(i)]);
    }
    const SymmetricEigen eigen = symmetric_eigen(part_(sorted_local, sorted_local), 1);
    if (eigen.values[0] <= value_) return;
    below_.best.support = std::move(sorted_named);
    below_.best.values = eigen.vectors.col(0);
    below_.best.value = eigen.values[0];
    value_ = eigen.values[0];
  }

  /// The variable with the largest |S| to those that are fixed, first in, then out.
  void branch(Local node, std::vector<Node>& stack) {
    const auto weight = [&](Index c) {
      double sum = 0;
      for (const Index f : node.fixed) sum += absolute_(f, c);
      return sum;
    };
    std::size_t best = 0;
    double most = -1;
    for (std::size_t c = 0; c < node.open.size(); ++c) {
      const double w = weight(node.open[c]);
      if (w > most) {
        most = w;
        best = c;
      }
    }
    const Index chosen = node.open[best];
    node.open.erase(node.open.begin() + static_cast<std::ptrdiff_t>(best));
    Node in = node;
    in.fixed.push_back(chosen);
    stack.push_back(std::move(node));
    stack.push_back(std::move(in));
  }

  Index k_;
  Indices names_;
  Matrix part_, absolute_, work_;
  DualPoint dual_;  ///< of all variables, or empty
  double tolerance_, value_;
  Below below_;
  std::vector<double> numbers_, weights_;
};

/// Supports within this of each other count as equal.
double tolerance_of(const Matrix& s, const BranchOptions& options) {
  return options.tolerance * s.cwiseAbs().maxCoeff();
}

/// The nodes that are left, and the best support so far. Nodes are taken in rounds that do not
/// depend on the number of threads: within a round, each subtree knows only what was known before
/// it.
class Search {
 public:
  Search(const Matrix& s, Index k, const BranchOptions& options)
      : s_(s),
        k_(std::min(k, s.rows())),
        options_(options),
        tolerance_(tolerance_of(s, options)),
        bound_(options.known_bound) {
    best_.value = -kInfinity;
  }

  SparseMaximum run() {
    constexpr Index kRound = 64, kNodes = 2000;
    constexpr Index kMostEigen = 1024;  // beyond, one more bound is not worth its time
    constexpr std::size_t kMostIndices = 50'000'000;  // of all nodes that are left
    if (!options_.start.empty() || options_.heuristics)
      best_ = good_support(s_, k_, options_.start, [this] { return stop(); });
    for (Index i = 0; i < s_.rows(); ++i) {
      add_leader(i);
      tick();
    }
    taken_ = -kInfinity;
    shorten_lists();
    if (!queue_.empty() && s_.rows() <= kMostEigen)
      bound_ = std::min(bound_, sum_of_largest_eigenvalues(s_, 1));
    while (!is_done() && !stop()) {
      if (best_.nodes > options_.max_nodes || indices_ > kMostIndices) break;
      if (dual_.m.size() == 0) lower_by_dual(options_.seconds - seconds_since(begin_));
      std::vector<Node> round = highest(kRound);
      if (!round.empty()) taken_ = round.front().bound;
      take_round(std::move(round), kNodes);
    }
    if (best_.support.empty())  // time ended before any was evaluated
      best_ = good_support(s_, k_, {}, [] { return true; });
    best_.bound = bound();
    best_.proved = best_.bound <= best_.value + tolerance_;
    return std::move(best_);
  }

 private:
  /// Variable i leads, and those with a large enough |S_ij| may follow: as Subtree has it.
  void add_leader(Index i) {
    Vector row = s_.col(i).cwiseAbs();
    row[i] = 0;
    const Index others = k_ - 1;
    std::vector<double> numbers(row.begin(), row.end());
    const double sum = sum_of_largest(numbers, others);
    const double least =
        others > 0 ? *std::ranges::min_element(numbers.begin(), numbers.begin() + others) : 0;
    const double rounding = 1e-12 * (std::abs(s_(i, i)) + sum);
    const double target = best_.value + 0.999 * tolerance_;
    Node node{.fixed = {i}, .open = {}, .bound = s_(i, i) + sum + rounding};
    if (node.bound <= target) return;
    const double needed = target - (node.bound - least);
    for (Index j = 0; j < s_.rows(); ++j)
      if (j != i && (row[j] >= least || row[j] > needed)) node.open.push_back(j);
    push(std::move(node));
  }

  /// Reports the state, not too often: an observer may take its time.
  void tick() {
    constexpr double kEvery = 0.02;
    if (!options_.tick || seconds_since(last_tick_) < kEvery) return;
    options_.tick({best_.value, bound(), best_.nodes});
    last_tick_ = Clock::now();
  }
  bool stop() {
    tick();
    return seconds_since(begin_) > options_.seconds;
  }

  double bound() const {
    double highest = taken_;
    if (!queue_.empty()) highest = std::max(highest, queue_.front().bound);
    return std::max(best_.value + tolerance_, std::min(bound_, highest));
  }

  bool is_done() const { return bound() <= std::max(best_.value + tolerance_, options_.enough); }

  /// Each leader alone, to shorten their lists.
  void shorten_lists() {
    constexpr std::size_t kTogether = 64;
    std::vector<Node> leaders = std::exchange(queue_, {});
    indices_ = 0;
    std::ranges::sort(leaders, std::greater{}, &Node::bound);
    for (std::size_t first = 0; first < leaders.size(); first += kTogether) {
      std::vector<Node> some;
      for (std::size_t i = first; i < std::min(first + kTogether, leaders.size()); ++i)
        if (leaders[i].bound > best_.value + tolerance_) some.push_back(std::move(leaders[i]));
      taken_ = leaders[first].bound;  // of all that are left
      take_round(std::move(some), 1);
    }
  }

  void push(Node node) {
    indices_ += node.fixed.size() + node.open.size();
    queue_.push_back(std::move(node));
    std::ranges::push_heap(queue_, kLower);
  }

  /// Takes those with the highest bounds out of the queue.
  std::vector<Node> highest(Index count) {
    std::vector<Node> round;
    while (!queue_.empty() && static_cast<Index>(round.size()) < count) {
      std::ranges::pop_heap(queue_, kLower);
      indices_ -= queue_.back().fixed.size() + queue_.back().open.size();
      if (queue_.back().bound > best_.value + tolerance_) round.push_back(std::move(queue_.back()));
      queue_.pop_back();
    }
    return round;
  }

  void take_round(std::vector<Node> round, Index nodes_of_each) {
    constexpr double kWorthThreads = 1e6, kWorkOfEach = 3e8;
    std::vector<Below> done(round.size());
    const bool worth_threads = cube(s_.rows()) * static_cast<double>(round.size()) > kWorthThreads;
    const Tick pass_on = [this](double) { tick(); };
    SharedTick shared(pass_on);
    const Stop stop = [&] {
      shared(0);
      return seconds_since(begin_) > options_.seconds;
    };
    parallel_for(static_cast<Index>(round.size()), worth_threads && threads() > 1, [&](Index i) {
      const ThreadScope alone(1);
      if (stop())
        done[at(i)].left.push_back(std::move(round[at(i)]));
      else
        done[at(i)] = Subtree(s_, k_, round[at(i)], best_.value, tolerance_, dual_)
                          .run(round[at(i)], nodes_of_each, kWorkOfEach, stop);
    });
    for (Below& below : done) {
      const Index nodes = best_.nodes + below.nodes;
      work_ += below.work;
      if (!below.best.support.empty() && below.best.value > best_.value)
        best_ = std::move(below.best);
      best_.nodes = nodes;
      for (Node& node : below.left) push(std::move(node));
    }
    taken_ = -kInfinity;
  }

  /// Computes a dual point of the variables that are left, once as much work has been done as that
  /// takes: problems that are easy do not need it.
  void lower_by_dual(double seconds) {
    constexpr double kWork = 3e4;  // of a dual point, in cubes of the number of variables
    Indices open;
    std::vector<char> is_open(at(s_.rows()), 0);
    for (const Node& node : queue_)
      for (const Indices* list : {&node.fixed, &node.open})
        for (const Index j : *list) is_open[at(j)] = 1;
    for (Index j = 0; j < s_.rows(); ++j)
      if (is_open[at(j)] != 0) open.push_back(j);
    if (work_ < kWork * cube(static_cast<Index>(open.size()))) return;
    DualOptions options{.seconds = seconds};
    options.tick = [this](double) { tick(); };
    const DualPoint point = dual_point(s_(open, open), {k_}, options);
    bound_ = std::min(bound_, point.value);
    // Of the other variables nothing is claimed.
    dual_.m = Matrix::Zero(s_.rows(), s_.rows());
    dual_.beta = Vector::Constant(s_.rows(), kInfinity);
    if (point.m.size() == 0) return;
    dual_.m(open, open) = point.m;
    dual_.beta(open) = point.beta;
  }

  static constexpr auto kLower = [](const Node& a, const Node& b) { return a.bound < b.bound; };

  const Matrix& s_;
  Index k_;
  const BranchOptions& options_;
  Clock::time_point begin_ = Clock::now(), last_tick_ = {};
  double tolerance_, bound_;
  double taken_ = kInfinity;  ///< the highest bound of nodes that are not in the queue now
  SparseMaximum best_;
  std::vector<Node> queue_;  ///< a heap by bound
  std::size_t indices_ = 0;  ///< of all its nodes
  DualPoint dual_;           ///< empty until it is needed
  double work_ = 0;
};

}  // namespace

/// With y within and q nonzeros z outside, x'Sx <= v |y|^2 + 2 o sqrt((k - q) q) |y| |z| + o q
/// |z|^2: a quadratic form in |y|, |z|.
double bound_with_others(double within, double outside, Index k) {
  double most = 0;
  for (Index q = 1; q <= k; ++q) {
    const double m = static_cast<double>(q) * outside;
    const double cross = outside * std::sqrt(static_cast<double>((k - q) * q));
    const double v = q == k ? 0 : within;
    most = std::max(most, (v + m + std::hypot(v - m, 2 * cross)) / 2);
  }
  return most * (1 + 1e-12);
}

SparseMaximum sparse_maximum(const Matrix& s, Index k, const BranchOptions& options) {
  return Search(s, k, options).run();
}

SparseMaximum sparse_maximum_of_part(const Matrix& s, Index k, double outside,
                                     const BranchOptions& options) {
  const auto begin = Clock::now();
  SparseMaximum best = sparse_maximum(s, k, options);
  if (!(outside > 0)) return best;
  const double enough = std::max(best.value + tolerance_of(s, options), options.enough);
  double within = 0;
  if (k > 1) {
    // How much k - 1 variables within may have so that others add too little.
    double low = 0, high = best.bound;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (bound_with_others(middle, outside, k) <= enough ? low : high) = middle;
    }
    BranchOptions fewer = options;
    fewer.start.clear();
    fewer.known_bound = best.bound;
    fewer.enough = low;
    fewer.seconds = options.seconds - seconds_since(begin);
    const SparseMaximum rest = sparse_maximum(s, k - 1, fewer);
    best.nodes += rest.nodes;
    within = rest.bound;
  }
  best.bound =
      std::max(best.bound, std::min(bound_with_others(within, outside, k), options.known_bound));
  best.proved = best.bound <= best.value + tolerance_of(s, options);
  return best;
}

}  // namespace spcart
