#pragma once

#include <span>
#include <vector>

#include "spcart/data.hpp"

namespace spcart {

/// Few nonzeros among many variables.
struct SparseVector {
  std::vector<Index> support;  ///< ascending
  Vector values;

  Index size() const { return static_cast<Index>(support.size()); }
};

/// S = A'A on the variables that a search may use, in whichever form needs less memory: S itself,
/// or a factor Z with S = Z'Z if there are fewer samples than variables. Everything is in units of
/// `unit()`, about |A|_F^2, so that no square overflows or underflows.
class SecondMoments {
 public:
  /// `promising` ranks variables: if there are too many for S, those of the highest rank are used,
  /// and those of `required` in any case.
  SecondMoments(const DataMatrix& a, const Vector& promising, std::span<const Index> required,
                const Tick& tick);

  /// Whether there is room for this many required variables.
  static bool can_hold(const DataMatrix& a, Index required);

  Index size() const { return diagonal_.size(); }  ///< number of variables that are known
  double unit() const { return unit_; }            ///< a power of two
  double total() const { return total_; }          ///< trace of S over all variables of A
  const Vector& diagonal() const { return diagonal_; }

  /// The variable of A of each known one; empty if all are known.
  const std::vector<Index>& variables() const { return variables_; }

  /// S x.
  void times(const SparseVector& x, Vector& y) const;
  /// S at the rows and columns of some variables.
  void block(std::span<const Index> variables, Matrix& s) const;

  /// Some columns of the factor, if S is kept by its factor: empty otherwise.
  Matrix factor_columns(std::span<const Index> variables) const;
  bool is_factored() const { return factor_.size() > 0; }

  /// Work of one product with a vector with this many nonzeros, in operations on scattered numbers:
  /// those of the factor are contiguous, and take a fraction of the time.
  double cost_of_product(Index nonzeros) const;
  static constexpr double kFast = 0.45;

 private:
  Matrix matrix_, factor_;
  std::vector<Index> variables_;
  Vector diagonal_;
  double unit_ = 1, total_ = 0;
};

}  // namespace spcart
