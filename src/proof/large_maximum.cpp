#include "proof/large_maximum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "proof/certified.hpp"
#include "spcart/memory.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

/// What branch and bound needs: a block of S, and work space in each thread.
double bytes_for(Index count) {
  const auto size = static_cast<double>(count);
  return (3 + 3 * static_cast<double>(threads())) * sizeof(double) * size * size;
}

void check_memory(Index count, Index k) {
  const double bytes = bytes_for(count);
  if (const auto memory = static_cast<double>(available_memory()); bytes > memory)
    reject("nonzeros", k, "the search among {} variables takes {}, and {} are left", count,
           bytes_in_words(static_cast<std::uint64_t>(bytes)),
           bytes_in_words(static_cast<std::uint64_t>(memory)));
}

/// Larger eigenvalue of [a, c; c, b].
double larger_eigenvalue(double a, double b, double c) {
  return (a + b + std::hypot(a - b, 2 * c)) / 2;
}

class LargeSearch {
 public:
  LargeSearch(const LargeMatrix& s, Index k, const BranchOptions& options, Index few)
      : s_(s),
        p_(s.diagonal.size()),
        k_(k),
        few_(std::max(few, k)),
        options_(options),
        is_irregular_(at(p_), 0) {
    for (const Index j : s.irregular) is_irregular_[at(j)] = 1;
  }

  LargeMaximum run() {
    Indices candidates(at(p_));
    std::iota(candidates.begin(), candidates.end(), Index{0});
    if (p_ > few_) candidates = not_ruled_out();
    LargeMaximum found{.candidates = static_cast<Index>(candidates.size())};
    Index count = std::min(found.candidates, few_);
    check_memory(count, k_);
    found.best = search(candidates, count);
    while (!found.best.proved && count < found.candidates) {
      // The next core takes several times as long.
      if (seconds_since(begin_) > options_.seconds / 4) break;
      count = std::min(2 * count, found.candidates);
      if (bytes_for(count) > static_cast<double>(available_memory())) {
        found.memory_ended_it = true;
        break;
      }
      found.best = search(candidates, count);
    }
    return found;
  }

 private:
  bool stop(double fraction_of_time) {
    constexpr double kEvery = 0.02;
    if (options_.tick && seconds_since(last_tick_) > kEvery) {
      options_.tick(state_);
      last_tick_ = Clock::now();
    }
    return seconds_since(begin_) > fraction_of_time * options_.seconds;
  }

  /// Let V be a bound for m - 1 variables. With x_j and the rest y of x, x'Sx <= V |y|^2 + 2 c_j
  /// |y| |x_j| + S_jj x_j^2, c_j^2 the sum of the m - 1 largest S_ij^2: a support of m variables
  /// that is better than a known one has only variables j for which the larger eigenvalue of [V,
  /// c_j; c_j, S_jj] is above that. Among those, branch and bound finds the bound for m.
  Indices not_ruled_out() {
    constexpr Index kMostLevels = 64;
    constexpr double kTime = 0.4;
    Indices all(at(p_));
    std::iota(all.begin(), all.end(), Index{0});
    if (k_ > kMostLevels) return all;
    const Indices top = indices_of_largest(s_.diagonal, few_);
    const Matrix block = s_.block(top);
    double bound = s_.diagonal.maxCoeff();  // of one variable
    prepare_sizes();
    Indices candidates = {indices_of_largest(s_.diagonal, 1)};
    for (Index m = 2; m <= k_; ++m) {
      SparseMaximum known = good_support(block, m, {}, [&] { return stop(kTime); });
      for (Index& j : known.support) j = top[at(j)];
      if (m == k_) state_ = {.value = known.value, .bound = infinity()};
      const auto needed = needed_for(m, bound, known, kTime);
      if (!needed || static_cast<Index>(needed->size()) > few_) return all;
      candidates = *needed;
      if (m < k_) bound = bound_of_level(m, candidates, known, bound);
    }
    return candidates;
  }

  static double infinity() { return std::numeric_limits<double>::infinity(); }

  /// Upper bound of m variables, less sharp if that takes long.
  double bound_of_level(Index m, const Indices& candidates, const SparseMaximum& known,
                        double fewer) {
    constexpr Index kNodes = 20000;
    constexpr double kShare = 0.1;
    BranchOptions options = options_;
    options.start.clear();
    for (const Index j : known.support)
      options.start.push_back(std::ranges::lower_bound(candidates, j) - candidates.begin());
    options.max_nodes = kNodes;
    options.seconds = kShare * (options_.seconds - seconds_since(begin_));
    options.tick = [this](const BranchProgress&) { stop(1); };
    const double within = sparse_maximum(s_.block(candidates), m, options).bound;
    return std::max(within, fewer);
  }

  /// The largest sums of squares by the sizes alone.
  void prepare_sizes() {
    std::vector<double> squares;
    for (const double size : s_.size) squares.push_back(size * size);
    const auto count = std::min<std::ptrdiff_t>(k_, p_);
    std::partial_sort(squares.begin(), squares.begin() + count, squares.end(), std::greater{});
    most_squares_ = {0};
    for (std::ptrdiff_t m = 0; m < count; ++m)
      most_squares_.push_back(most_squares_.back() + squares[at(m)]);
    rows_.assign(at(p_), {});
  }

  /// Whether a variable may be part of m that have more than `value`; with its row if that is
  /// known.
  bool may_follow(Index j, Index m, double bound, double value) const {
    const std::vector<double>& row = rows_[at(j)];
    const double squares = row.empty() ? s_.size[j] * s_.size[j] * most_squares_[at(m - 1)]
                                       : row[at(std::min<Index>(m - 1, std::ssize(row) - 1))];
    return larger_eigenvalue(bound, s_.diagonal[j], std::sqrt(squares)) > value * (1 - 1e-10);
  }

  /// None if time ended it.
  std::optional<Indices> needed_for(Index m, double bound, const SparseMaximum& known,
                                    double until) {
    constexpr std::size_t kTogether = 64;
    Indices unknown;
    for (Index j = 0; j < p_; ++j)
      if (rows_[at(j)].empty() &&
          (is_irregular_[at(j)] != 0 || may_follow(j, m, bound, known.value)))
        unknown.push_back(j);
    for (std::size_t first = 0; first < unknown.size(); first += kTogether) {
      if (stop(until)) return std::nullopt;
      const Indices some(unknown.begin() + static_cast<std::ptrdiff_t>(first),
                         unknown.begin() + static_cast<std::ptrdiff_t>(
                                               std::min(first + kTogether, unknown.size())));
      const Matrix columns = s_.columns(some);
      for (std::size_t c = 0; c < some.size(); ++c)
        keep_row(some[c], columns.col(static_cast<Index>(c)));
    }
    Indices needed = known.support;
    for (Index j = 0; j < p_; ++j)
      if (!rows_[at(j)].empty() && may_follow(j, m, bound, known.value)) needed.push_back(j);
    std::ranges::sort(needed);
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    return needed;
  }

  /// The sums of the 0, 1, ..., k - 1 largest squares beside the diagonal, rounded up.
  void keep_row(Index j, const Vector& column) {
    std::vector<double> squares;
    for (Index i = 0; i < p_; ++i)
      if (i != j) squares.push_back(column[i] * column[i]);
    const auto count = std::min<std::ptrdiff_t>(k_ - 1, std::ssize(squares));
    std::partial_sort(squares.begin(), squares.begin() + count, squares.end(), std::greater{});
    std::vector<double>& row = rows_[at(j)];
    row = {0};
    for (std::ptrdiff_t m = 0; m < count; ++m)
      row.push_back((row.back() + squares[at(m)]) * (1 + 4 * kUnit));
  }

  /// So many of the candidates, those with the largest sizes, and all that are irregular.
  Indices core_of(const Indices& candidates, Index count) const {
    Vector priority = s_.size(candidates);
    const double first = 2 * s_.size.maxCoeff();
    Index irregular = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      if (is_irregular_[at(candidates[c])] != 0) {
        priority[static_cast<Index>(c)] = first;
        ++irregular;
      }
    Indices core;
    for (const Index c : indices_of_largest(priority, count + irregular))
      core.push_back(candidates[at(c)]);
    return core;
  }

  SparseMaximum search(const Indices& candidates, Index count) {
    const Indices core = core_of(candidates, count);
    double outside = 0;
    if (core.size() < candidates.size()) {
      std::vector<char> within(at(p_), 0);
      for (const Index j : core) within[at(j)] = 1;
      for (const Index j : candidates)
        if (within[at(j)] == 0) outside = std::max(outside, s_.size[j]);
      outside *= s_.size.maxCoeff() * (1 + 1e-12);
    }
    BranchOptions options = options_;
    options.seconds = options_.seconds - seconds_since(begin_);
    if (p_ > few_) options.start.clear();
    SparseMaximum best = sparse_maximum_of_part(s_.block(core), k_, outside, options);
    for (Index& j : best.support) j = core[at(j)];
    return best;
  }

  const LargeMatrix& s_;
  Index p_, k_, few_;
  const BranchOptions& options_;
  std::vector<char> is_irregular_;
  std::vector<double> most_squares_;       ///< sums of the largest squared sizes
  std::vector<std::vector<double>> rows_;  ///< of variables whose rows were computed
  BranchProgress state_ = {.value = -infinity(), .bound = infinity()};
  Clock::time_point begin_ = Clock::now(), last_tick_ = {};
};

}  // namespace

LargeMatrix LargeMatrix::semidefinite(Vector diagonal,
                                      std::function<Matrix(const Indices&)> columns,
                                      std::function<Matrix(const Indices&)> block) {
  Vector size = diagonal.cwiseMax(0.0).cwiseSqrt() * (1 + 1e-12);
  return {.diagonal = std::move(diagonal),
          .columns = std::move(columns),
          .block = std::move(block),
          .size = std::move(size)};
}

LargeMaximum sparse_maximum_of_large(const LargeMatrix& s, Index k, const BranchOptions& options,
                                     Index few) {
  return LargeSearch(s, k, options, few).run();
}

}  // namespace spcart
