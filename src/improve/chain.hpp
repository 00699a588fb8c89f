#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "improve/quotient.hpp"
#include "spcart/refine.hpp"

namespace spcart {

/// How good components are: by the variance that they explain, in units of S, and by their overlap.
struct Merit {
  double explained = 0, overlap = 0;

  /// Among components that overlap no more than is allowed those that explain more are better; of
  /// those that explain as much, those that overlap less.
  bool better_than(const Merit& other, double allowed) const;
};

struct Answer {
  std::vector<SparseVector> x;
  Merit merit;
};

/// What is looked for.
struct Wanted {
  std::vector<Index> nonzeros;   ///< most of each component
  Counts counts = Counts::each;  ///< total: only the sum of `nonzeros` counts
  double overlap = 0.1;          ///< largest mean |cos| that is allowed
};

/// When to stop: after so many operations, so that the same is found on every machine, or at a
/// time.
struct Limit {
  double work = 0;
  std::optional<std::chrono::steady_clock::time_point> end = {};
};

/// One line of search: ascent component by component from a start, then kicks, each of which
/// empties one or two components, grows them anew from a random variable, and ascends again.
class Chain {
 public:
  Chain(const SecondMoments& s, const Wanted& wanted, std::uint64_t seed, const Limit& limit,
        Tick tick);

  /// The best that was seen; from random components where there is no start. At least one sweep is
  /// made, whatever the limit.
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

  const Wanted& wanted_;
  Index total_;  ///< nonzeros of all components together
  Components x_;
  Random random_;
  Limit limit_;
  Tick tick_;
  double price_;
  double work_ = 0;
};

}  // namespace spcart
