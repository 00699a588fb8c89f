#pragma once

#include <vector>

#include "data/sparse/any_lines.hpp"
#include "data/sparse/kernels.hpp"

namespace spcart::sparse {

/// Doubles of a panel that are kept at a time if S is stored by columns. More would not stay in
/// cache; fewer would divide the columns into pieces too short to be read fast.
inline constexpr Index kKeptDoubles = Index{1} << 19;

/// y += L x and x += L'y for lines L, by this thread alone. x and y are panels of the given width;
/// y has one row per line.
void gather_lines(const AnyLines& lines, const double* x, Index width, double* y);
void scatter_lines(const AnyLines& lines, const double* y, Index width, double* x);

/// y += L x for contiguous lines L, by all threads.
void gather(const AnyLines& lines, const Panel& x, double* y);

/// Number of threads that may each add to a panel of their own: such panels beyond two may use at
/// most a fifth of the table's memory in total.
Index parts_for(const AnyLines& lines, Index rows, Index width);

/// A panel to which threads add, each to a part of its own.
class PartialSums {
 public:
  PartialSums(Index parts, Index rows, Index width);

  Index parts() const { return static_cast<Index>(parts_.size()); }
  Panel& part(Index t) { return parts_[static_cast<std::size_t>(t)]; }
  const Panel& part(Index t) const { return parts_[static_cast<std::size_t>(t)]; }

  /// y = their sum, always in the same order, without the padding columns.
  void add_up(Block y) const;

 private:
  std::vector<Panel> parts_;
};

/// S'T - c 1'T - 1 m'T for T = (S - m 1' - 1 c') x, where x is a panel, c are the means of the
/// columns of S and m those of its rows. S is passed block by block, and no more of T is kept than
/// stays in cache.
class GramProduct {
 public:
  /// x and c must outlive it. As many threads add to it as it has parts.
  GramProduct(const Panel& x, const Vector& means, Index parts);

  /// Adds some rows. `row_means` are theirs, or null for zeros.
  void add_rows(const AnyLines& rows, const double* row_means);

  /// Adds the entries of sorted columns from row `first` to `last`. `row_means` are those of all
  /// rows.
  void add_columns(const AnyLines& columns, Index first, Index last, const double* row_means);

  /// Adds columns in any order, all rows at once.
  void add_unsorted_columns(const AnyLines& columns, Index rows, const double* row_means);

  /// y receives as many columns as it has.
  void finish(Block y) const;

 private:
  void add_range(const AnyLines& columns, Index rows, const double* row_means, Index t,
                 Panel& product);

  const Panel& x_;
  const Vector& means_;
  Eigen::RowVectorXd shift_, slope_;
  PartialSums sums_;
  Panel totals_;  ///< 1'T and m'T of each part
};

}  // namespace spcart::sparse
