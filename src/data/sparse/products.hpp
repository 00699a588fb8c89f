#pragma once

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "data/sparse/kernels.hpp"
#include "data/sparse/lines.hpp"
#include "spcart/threads.hpp"

namespace spcart::sparse {

/// Doubles of a panel that are kept at a time if S is stored by columns. More would not stay in
/// cache; fewer would divide the columns into pieces too short to be read fast.
inline constexpr Index kKeptDoubles = Index{1} << 19;

/// y += L x for contiguous lines L, where y has one row per line.
template <class T, class I>
void gather(const Lines<T, I>& lines, const Panel& x, double* y) {
  const Index parts = lines.entries() * x.cols() > kWorthThreads ? threads() : 1;
  for_parts(lines, parts, [&](Index, Index first, Index last) {
    run_kernel(Gather<T, I>{lines.range(first, last), x.data(), y + first * x.cols()}, x.cols());
  });
}

/// Number of threads that may each add to a panel of their own: such panels beyond two may use at
/// most a fifth of the table's memory in total.
template <class T, class I>
Index parts_for(const Lines<T, I>& lines, Index rows, Index width) {
  if (lines.entries() * width <= kWorthThreads) return 1;
  const Index spare = lines.entries() * static_cast<Index>(sizeof(T) + sizeof(I)) / 5;
  return std::min(threads(), 2 + spare / (rows * width * static_cast<Index>(sizeof(double))));
}

/// A panel to which threads add, each to a part of its own.
class PartialSums {
 public:
  PartialSums(Index parts, Index rows, Index width) : parts_(static_cast<std::size_t>(parts)) {
    parallel_for(parts, parts > 1, [&](Index t) { part(t).setZero(rows, width); });
  }

  Index parts() const { return static_cast<Index>(parts_.size()); }
  Panel& part(Index t) { return parts_[static_cast<std::size_t>(t)]; }
  const Panel& part(Index t) const { return parts_[static_cast<std::size_t>(t)]; }

  /// y = their sum, always in the same order, without the padding columns.
  void add_up(Block y) const {
    constexpr Index kRows = 1024;
#pragma omp parallel for schedule(static) if (parts() > 1)
    for (Index first = 0; first < y.rows(); first += kRows) {
      const Index rows = std::min(kRows, y.rows() - first);
      auto sum = y.middleRows(first, rows);
      sum = part(0).block(first, 0, rows, y.cols());
      for (Index t = 1; t < parts(); ++t) sum += part(t).block(first, 0, rows, y.cols());
    }
  }

 private:
  std::vector<Panel> parts_;
};

/// S'T - c 1'T - 1 m'T for T = (S - m 1' - 1 c') x, where x is a panel, c are the means of the
/// columns of S and m those of its rows. S is passed block by block, and no more of T is kept than
/// stays in cache.
class GramProduct {
 public:
  /// x and c must outlive it. As many threads add to it as it has parts.
  GramProduct(const Panel& x, const Vector& means, Index parts)
      : x_(x),
        means_(means),
        shift_(means.transpose() * x),
        slope_(x.colwise().sum()),
        sums_(parts, x.rows(), x.cols()),
        totals_(Panel::Zero(2 * parts, x.cols())) {}

  /// Adds some rows. `row_means` are theirs, or null for zeros.
  template <class T, class I>
  void add_rows(const Lines<T, I>& rows, const double* row_means) {
    for_parts(rows, sums_.parts(), [&](Index t, Index first, Index last) {
      const double* m = row_means ? row_means + first : nullptr;
      run_kernel(GatherScatter<T, I>{rows.range(first, last), x_.data(), shift_.data(),
                                     slope_.data(), m, sums_.part(t).data(),
                                     totals_.row(2 * t).data(), totals_.row(2 * t + 1).data()},
                 x_.cols());
    });
  }

  /// Adds the entries of sorted columns from row `first` to `last`. `row_means` are those of all
  /// rows.
  template <class T, class I>
  void add_columns(const Lines<T, I>& columns, Index first, Index last, const double* row_means) {
    const auto cut = [&](Index t) { return first + (last - first) * t / sums_.parts(); };
    parallel_for(sums_.parts(), sums_.parts() > 1, [&](Index t) {
      Panel product;
      for_ranges(columns, cut(t), cut(t + 1), kKeptDoubles / x_.cols(),
                 [&](const Lines<T, I>& part, Index row, Index stop) {
                   add_range(part, stop - row, row_means ? row_means + row : nullptr, t, product);
                 });
    });
  }

  /// Adds columns in any order, all rows at once.
  template <class T, class I>
  void add_unsorted_columns(const Lines<T, I>& columns, Index rows, const double* row_means) {
    Panel product;
    add_range(columns, rows, row_means, 0, product);
  }

  /// y receives as many columns as it has.
  void finish(Block y) const {
    sums_.add_up(y);
    Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(x_.cols()), weighted = total;
    for (Index t = 0; t < sums_.parts(); ++t) {
      total += totals_.row(2 * t);
      weighted += totals_.row(2 * t + 1);
    }
    y.noalias() -= means_ * total.head(y.cols());
    y.rowwise() -= weighted.head(y.cols());
  }

 private:
  template <class T, class I>
  void add_range(const Lines<T, I>& columns, Index rows, const double* row_means, Index t,
                 Panel& product) {
    product = -shift_.replicate(rows, 1);
    const Eigen::Map<const Vector> m(row_means, row_means ? rows : 0);
    if (row_means) product.noalias() -= m * slope_;
    run_kernel(Scatter<T, I>{columns, x_.data(), product.data()}, x_.cols());
    totals_.row(2 * t) += product.colwise().sum();
    if (row_means) totals_.row(2 * t + 1).noalias() += m.transpose() * product;
    run_kernel(Gather<T, I>{columns, product.data(), sums_.part(t).data()}, x_.cols());
  }

  const Panel& x_;
  const Vector& means_;
  Eigen::RowVectorXd shift_, slope_;
  PartialSums sums_;
  Panel totals_;  ///< 1'T and m'T of each part
};

}  // namespace spcart::sparse
