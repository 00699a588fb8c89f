#pragma once

#include <span>
#include <vector>

#include "improve/components.hpp"

namespace spcart {

/// The value of one more component beside the others: the sparse generalised Rayleigh quotient
///
///     f(x) = x'Mx / x'Bx,   M = N S N,   N = I - Q,   B = I + (price - 1) Q,
///
/// with Q the projection on the span of the others. At price 0 it is the variance that x adds; the
/// higher the price, the more expensive is what x shares with the others. Neither M nor B is
/// formed: both are low-rank corrections of S and I.
class Quotient {
 public:
  /// The component to optimise must be taken out of `others`.
  Quotient(const Components& others, double price);

  /// A vector with its value.
  struct Point {
    SparseVector x;
    double value = 0;
  };

  /// The best values on a support, from a guess that need not be good.
  Point solve(const std::vector<Index>& support, const SparseVector& guess);
  /// Adds the variables that add most until there are `count`; from one variable if x is empty.
  Point grow(Point from, Index count);
  /// Exchanges variables as long as that gains, up to this much work.
  Point exchange(Point from, double most_work);

  /// Drops the variables that lose least until there are `count`.
  Point shrink(Point from, Index count);

  /// A variable that enters or leaves, and a lower bound of the value of x after that.
  struct Move {
    double value;
    Index variable;
  };
  /// The variables outside that add most, at most this many; and all inside, by ascending loss.
  std::vector<Move> entries(const Point& at, std::size_t most);
  std::vector<Move> exits(const Point& at);

  double value_of(const SparseVector& x);

  /// f of each variable alone; 0 if the others span it.
  Vector values_of_variables() const;

  double work() const { return work_; }  ///< floating-point operations so far, about

 private:
  struct Slope {
    Vector mx, bx;  ///< M x and B x
    double xmx = 0, xbx = 0;
  };
  struct Pencil {
    Matrix m, b;  ///< M and B at some variables
  };
  Slope slope(const SparseVector& x);
  Pencil pencil(std::span<const Index> variables);
  double solve_pencil(const Pencil& p, Vector& x);
  Point solve_large(const std::vector<Index>& support, const SparseVector& guess);
  std::vector<Move> entries_by_gain(const Point& at, const Slope& slope, std::size_t most) const;
  std::vector<Move> exits_by_loss(const Point& at, const Slope& slope) const;
  bool exchange_many(Point& at);
  bool exchange_one(Point& at);

  const Components& others_;
  const SecondMoments& s_;
  double price_;
  Vector m_, b_;  ///< diagonals of M and B
  double work_ = 0;
};

}  // namespace spcart
