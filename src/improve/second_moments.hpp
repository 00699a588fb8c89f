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

/// S = A'A on the variables that a search may use, by whichever takes less room: S itself, or a
/// factor Z with S = Z'Z where there are fewer samples than variables. All is in units of `unit()`,
/// about |A|_F^2, so that no square overflows or vanishes.
class SecondMoments {
 public:
  /// `promising` ranks variables: where there are too many for S, those of the highest rank are
  /// taken, and those of `required` in any case.
  SecondMoments(const DataMatrix& a, const Vector& promising, std::span<const Index> required,
                const Tick& tick);

  /// Whether there is room for so many variables that are required.
  static bool can_hold(const DataMatrix& a, Index required);

  Index size() const { return diagonal_.size(); }  ///< number of variables that are known
  double unit() const { return unit_; }            ///< a power of two
  double total() const { return total_; }          ///< trace of S over all variables of A
  const Vector& diagonal() const { return diagonal_; }

  /// The variable of A that each known one is; empty if all are known.
  const std::vector<Index>& variables() const { return variables_; }

  /// S x.
  void times(const SparseVector& x, Vector& y) const;
  /// S at the rows and columns of some variables.
  void block(std::span<const Index> variables, Matrix& s) const;

  /// The factor at some columns, where S is kept by its factor: empty otherwise.
  Matrix factor_columns(std::span<const Index> variables) const;
  bool is_factored() const { return factor_.size() > 0; }

  /// Work of one product with a vector of so many nonzeros, in operations of scattered numbers:
  /// those of the factor lie side by side, and take so much of the time.
  double cost_of_product(Index nonzeros) const;
  static constexpr double kFast = 0.45;

 private:
  Matrix matrix_, factor_;
  std::vector<Index> variables_;
  Vector diagonal_;
  double unit_ = 1, total_ = 0;
};

}  // namespace spcart
