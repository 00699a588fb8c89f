#pragma once

#include <span>
#include <vector>

#include "spcart/data.hpp"

namespace spcart {

/// A'A for many products with it at the least cost: the p x p matrix itself if it is small and
/// holds fewer numbers than two passes over A read, otherwise products with A. It can be deflated,
/// which leaves A unchanged. Everything is in units of `unit()`, about |A|_F^2, so that no square
/// of a product overflows or underflows.
class Gram {
 public:
  explicit Gram(const DataMatrix& a, const Tick& tick = {});

  Index size() const { return diagonal_.size(); }
  double unit() const { return unit_; }    ///< a power of two
  double total() const { return total_; }  ///< the trace before any deflation

  Matrix times(ConstBlock x, const Tick& tick = {}) const;  ///< A'A x

  /// Some columns of A'A.
  Matrix columns(std::span<const Index> variables, const Tick& tick = {}) const;

  /// The rows and columns of A'A of some variables, in ascending order.
  Matrix block(std::span<const Index> variables, const Tick& tick = {}) const;

  /// The squared norms of the columns of A, as deflated so far.
  const Vector& diagonal() const { return diagonal_; }
  double trace() const { return diagonal_.sum(); }

  /// Whether deflation has left no variance except rounding error.
  bool exhausted() const;

  /// A becomes A (I - x x'), x of unit length.
  void deflate(const Vector& x);

  /// The matrix itself if it is kept; null otherwise.
  const Matrix* matrix() const { return matrix_.size() > 0 ? &matrix_ : nullptr; }

 private:
  const DataMatrix& a_;
  Matrix matrix_;
  std::vector<Vector> removed_;  ///< if the matrix is not kept
  Vector diagonal_;
  double unit_ = 1, total_ = 0;
};

}  // namespace spcart
