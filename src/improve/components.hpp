#pragma once

#include <vector>

#include "improve/second_moments.hpp"

namespace spcart {

/// Components X = (x_1 ... x_r) and what a change of one of them needs to know of the others. A
/// component may be taken out: then the span is that of the others.
///
/// With K = X'X, C = X'SX over the components that are in: W = K^-1, D = W C W. The projection on
/// their span is X W X', and tr(W C) is the variance within it.
class Components {
 public:
  Components(const SecondMoments& s, Index count);

  Index count() const { return static_cast<Index>(x_.size()); }
  const SecondMoments& moments() const { return *s_; }
  const SparseVector& operator[](Index t) const { return x_[static_cast<std::size_t>(t)]; }

  /// Takes a component out of the span. It keeps its entries.
  void take_out(Index t);
  /// Replaces the component by x, of unit length or empty, and adds it to the span unless it is in
  /// it.
  void put_in(Index t, SparseVector x);
  /// Adds it to the span again as it was.
  void put_back(Index t);

  /// Computes W and D again: each change leaves some rounding error.
  void refresh();

  double explained() const;  ///< variance within the span, in units of S
  double overlap() const;    ///< mean |cos| over all pairs

  /// An entry of row j of X.
  struct Entry {
    Index component;
    double value;
  };
  const std::vector<Entry>& row(Index j) const { return rows_[static_cast<std::size_t>(j)]; }

  const Matrix& products() const { return g_; }    ///< r x p: row t is S x_t
  const Matrix& inverse() const { return w_; }     ///< W, zero for components that are out
  const Matrix& covariance() const { return c_; }  ///< C
  const Matrix& doubled() const { return d_; }     ///< D

 private:
  void add_rank_one(const Vector& y, const Vector& z, double c, double s);
  void enter_rows(Index t);
  void leave_rows(Index t);

  const SecondMoments* s_;
  std::vector<SparseVector> x_;
  std::vector<char> in_;
  std::vector<std::vector<Entry>> rows_;
  Matrix g_, k_, c_, w_, d_;
};

}  // namespace spcart
