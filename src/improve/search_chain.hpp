#pragma once

#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "improve/quotient.hpp"
#include "spcart/refine.hpp"

namespace spcart {

/// The quality of components: the variance that they explain, in units of S, and their overlap.
struct Merit {
  double explained = 0, overlap = 0;

  /// Of components that overlap no more than allowed, those that explain more are better; of those
  /// that explain the same, those that overlap less.
  bool better_than(const Merit& other, double allowed) const;
};

struct Answer {
  std::vector<SparseVector> x;
  Merit merit;
};

/// What a search may use.
struct SearchGoal {
  std::vector<Index> nonzeros;   ///< maximum of each component
  Counts counts = Counts::each;  ///< total: only the sum of `nonzeros` counts
  double overlap = 0.1;          ///< maximum mean |cos|
};

/// When to stop: after this many operations, so that the result is the same on every machine, or at
/// a time.
struct Limit {
  double work = 0;
  std::optional<Clock::time_point> end = {};
};

/// One chain of a search: coordinate ascent over the components from a start, then kicks, each of
/// which empties one or two components, grows them again from a random variable, and ascends again.
class Chain {
 public:
  Chain(const SecondMoments& s, const SearchGoal& goal, std::uint64_t seed, const Limit& limit,
        Tick tick);

  /// The best components found; from random ones if there is no start. At least one sweep is made,
  /// for any limit.
  Answer run(const std::vector<SparseVector>* start);

 private:
  Index count() const { return x_.count(); }
  Index nonzeros() const;
  Index most(Index t) const;
  bool exhausted();

  void load(const std::vector<SparseVector>& x);
  void begin_anew();
  void kick();
  void grow_from_random(Index t);
  Answer coordinate_ascent();
  bool sweep(bool interruptible);
  bool improve(Index t);
  double allowance(Index t) const;
  bool transfer(Answer& best);
  void set_nonzeros(Index total);
  bool change_nonzeros(Index by);
  Answer answer() const;

  const SearchGoal& goal_;
  Index total_;  ///< nonzeros of all components together
  Components x_;
  Random random_;
  Limit limit_;
  Tick tick_;
  double price_;
  double work_ = 0;
};

}  // namespace spcart
