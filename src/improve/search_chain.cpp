#include "improve/search_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/at.hpp"

namespace spcart {
namespace {

/// Improvements below this fraction of the explained variance are rounding error.
constexpr double kBetter = 1e-8;

/// The price of overlap: the lowest, and the highest to which it is raised while there is too much.
constexpr double kLeastPrice = 0.05, kMostPrice = 1e7;

/// Number of unsuccessful kicks after which a chain restarts.
constexpr int kPatience = 40;

/// Operations of a step besides its sums.
constexpr double kOverhead = 5e3;

}  // namespace

bool Merit::better_than(const Merit& other, double allowed) const {
  // A mean |cos| of 1 is worth this fraction of the variance.
  constexpr double kOverlapWeight = 0.01, kRounding = 1e-6;
  const bool fits = overlap <= allowed + kRounding;
  if (fits != (other.overlap <= allowed + kRounding)) return fits;
  if (!fits) return overlap < other.overlap * (1 - kBetter);
  const auto worth = [](const Merit& m) { return m.explained * (1 - kOverlapWeight * m.overlap); };
  return worth(*this) > worth(other) * (1 + kBetter);
}

Chain::Chain(const SecondMoments& s, const SearchGoal& goal, std::uint64_t seed, const Limit& limit,
             Tick tick)
    : goal_(goal),
      total_(std::accumulate(goal.nonzeros.begin(), goal.nonzeros.end(), Index{0})),
      x_(s, static_cast<Index>(goal.nonzeros.size())),
      random_(seed),
      limit_(limit),
      tick_(std::move(tick)),
      price_(kLeastPrice) {}

Answer Chain::run(const std::vector<SparseVector>* start) {
  if (start)
    load(*start);
  else
    begin_anew();
  Answer best = coordinate_ascent();
  Answer here = best;
  int in_vain = 0;
  while (!exhausted()) {
    if (in_vain < kPatience) {
      load(here.x);
      kick();
    } else {
      begin_anew();
    }
    Answer next = coordinate_ascent();
    if (in_vain == kPatience || next.merit.better_than(here.merit, goal_.overlap)) {
      here = std::move(next);
      in_vain = 0;
    } else {
      ++in_vain;
    }
    if (here.merit.better_than(best.merit, goal_.overlap)) best = here;
  }
  return best;
}

bool Chain::exhausted() {
  const double part = work_ / limit_.work;
  if (tick_) tick_(std::min(part, 1.0));
  return part >= 1 || (limit_.end && Clock::now() >= *limit_.end);
}

Index Chain::nonzeros() const {
  Index sum = 0;
  for (Index t = 0; t < count(); ++t) sum += x_[t].size();
  return sum;
}

/// Maximum number of nonzeros of component t at present.
Index Chain::most(Index t) const {
  if (goal_.counts == Counts::each) return goal_.nonzeros[at(t)];
  return std::max<Index>(x_[t].size(), 1);
}

void Chain::load(const std::vector<SparseVector>& x) {
  for (Index t = 0; t < count(); ++t) x_.take_out(t);
  for (Index t = 0; t < count(); ++t) x_.put_in(t, x[at(t)]);
}

Answer Chain::answer() const {
  Answer found;
  for (Index t = 0; t < count(); ++t) found.x.push_back(x_[t]);
  found.merit = {x_.explained(), x_.overlap()};
  return found;
}

/// Sweeps as long as that gains. Components that overlap too much are pulled apart by a higher
/// price.
Answer Chain::coordinate_ascent() {
  constexpr int kMostSweeps = 60;
  if (goal_.counts == Counts::total) {
    for (Index t = 0; t < count(); ++t)
      if (x_[t].size() == 0) improve(t);  // to one variable, at the expense of the others
    set_nonzeros(total_);
  }
  Answer best;
  for (int k = 0; k < kMostSweeps; ++k) {
    bool changed = sweep(k > 0);
    Answer now = answer();
    const bool better = k == 0 || now.merit.better_than(best.merit, goal_.overlap);
    const bool as_good = now.merit.explained >= best.merit.explained &&
                         now.merit.overlap <= std::max(best.merit.overlap, goal_.overlap);
    if (better || as_good) best = std::move(now);
    if (k > 0 && exhausted()) break;
    if (x_.overlap() > goal_.overlap && price_ < kMostPrice) {
      price_ *= 2;
    } else if (!changed || !better) {
      if (goal_.counts == Counts::each || !transfer(best)) break;
    }
  }
  price_ = std::max(price_ / 1.5, kLeastPrice);
  return best;
}

bool Chain::sweep(bool interruptible) {
  bool changed = false;
  for (Index t = 0; t < count() && !(interruptible && exhausted()); ++t)
    changed = improve(t) || changed;
  x_.refresh();
  return changed;
}

/// Work that component t may use in a sweep: its share of what is left, so that something is left
/// for those after it.
double Chain::allowance(Index t) const {
  return std::max(limit_.work - work_, 0.0) / static_cast<double>(count() - t);
}

/// Optimises one component, the others fixed.
bool Chain::improve(Index t) {
  x_.take_out(t);
  Quotient quotient(x_, price_);
  const SparseVector& before = x_[t];
  Quotient::Point point;
  double value = 0;
  if (before.size() > 0) {
    value = quotient.value_of(before);
    point = quotient.solve(before.support, before);
  }
  const bool too_many = point.x.size() > most(t);
  if (too_many) point = quotient.shrink(std::move(point), most(t));
  if (point.x.size() < most(t)) point = quotient.grow(std::move(point), most(t));
  if (point.x.size() > 0) point = quotient.exchange(std::move(point), allowance(t));
  work_ += quotient.work() + kOverhead;
  const bool gained = too_many || point.value > value * (1 + kBetter);
  if (gained || point.value > value)  // the last digits too
    x_.put_in(t, std::move(point.x));
  else
    x_.put_back(t);
  return gained;
}

/// Moves nonzeros between components: adds some where they gain most and drops as many where they
/// lose least. Leaves the best components in place.
bool Chain::transfer(Answer& best) {
  bool any = false;
  for (Index some = std::max<Index>(total_ / 16, 1); some > 0 && !exhausted();) {
    load(best.x);
    set_nonzeros(total_ + some);
    set_nonzeros(total_);
    sweep(true);
    Answer now = answer();
    if (now.merit.better_than(best.merit, goal_.overlap)) {
      best = std::move(now);
      any = true;
    } else {
      some /= 2;
    }
  }
  load(best.x);
  return any;
}

/// With Counts::total, changes the sum of nonzeros to `total`, as far as there are variables.
void Chain::set_nonzeros(Index total) {
  if (goal_.counts == Counts::each) return;
  for (Index now = nonzeros(); now != total; now = nonzeros())
    if (!change_nonzeros(total - now)) break;
}

/// Adds or drops at most an eighth of all nonzeros at a time; false if none could be.
bool Chain::change_nonzeros(Index by) {
  struct Change {
    double worth;  ///< the gain (negative if a variable is dropped)
    Index component, variable;
  };
  std::vector<Change> changes;
  const Index at_once = std::min(std::abs(by), std::max<Index>(nonzeros() / 8, 1));
  for (Index t = 0; t < count(); ++t) {
    if (by < 0 && x_[t].size() < 2) continue;
    x_.take_out(t);
    Quotient quotient(x_, price_);
    const Quotient::Point point{x_[t], x_[t].size() > 0 ? quotient.value_of(x_[t]) : 0};
    std::vector<Quotient::Move> moves =
        by > 0 ? quotient.entries(point, at(at_once)) : quotient.exits(point);
    if (by < 0) moves.resize(std::min(moves.size(), point.x.support.size() - 1));
    for (const Quotient::Move& move : moves)
      changes.push_back({move.value - point.value, t, move.variable});
    x_.put_back(t);
    work_ += quotient.work() + kOverhead;
  }
  const auto end = changes.begin() + std::min(static_cast<std::ptrdiff_t>(changes.size()),
                                              static_cast<std::ptrdiff_t>(at_once));
  std::ranges::partial_sort(changes, end, [](const Change& a, const Change& b) {
    if (a.worth != b.worth) return a.worth > b.worth;
    return a.component != b.component ? a.component < b.component : a.variable < b.variable;
  });
  for (Index t = 0; t < count(); ++t) {
    std::vector<Index> support = x_[t].support;
    for (auto change = changes.begin(); change != end; ++change) {
      if (change->component != t) continue;
      if (by < 0)
        std::erase(support, change->variable);
      else
        support.push_back(change->variable);
    }
    if (support.size() == x_[t].support.size()) continue;
    std::ranges::sort(support);
    x_.take_out(t);
    Quotient quotient(x_, price_);
    x_.put_in(t, quotient.solve(support, x_[t]).x);
    work_ += quotient.work() + kOverhead;
  }
  return end != changes.begin();
}

void Chain::kick() {
  const Index first = random_.below(count());
  const Index second = count() > 1 && random_.below(2) == 0
                           ? (first + 1 + random_.below(count() - 1)) % count()
                           : first;
  for (const Index t : {first, second}) {
    x_.take_out(t);
    x_.put_in(t, {});
  }
  grow_from_random(first);
  if (second != first) grow_from_random(second);
}

void Chain::begin_anew() {
  load(std::vector<SparseVector>(at(count())));
  for (const Index t : random_.permutation(count())) grow_from_random(t);
}

/// From a random variable, with probabilities by what it would explain.
void Chain::grow_from_random(Index t) {
  Quotient quotient(x_, price_);
  const Vector values = quotient.values_of_variables();
  const double sum = values.sum();
  if (!(sum > 0)) return;
  double left = random_.uniform() * sum;
  Index j = 0;
  while (j + 1 < values.size() && left >= values[j]) left -= values[j++];
  if (!(values[j] > 0)) values.maxCoeff(&j);
  const Index size =
      goal_.counts == Counts::each ? goal_.nonzeros[at(t)] : std::max<Index>(total_ / count(), 1);
  Quotient::Point point = quotient.grow({{{j}, Vector::Ones(1)}, values[j]}, size);
  work_ += quotient.work() + kOverhead;
  x_.put_in(t, std::move(point.x));
}

}  // namespace spcart
