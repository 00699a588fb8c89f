#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "simd.hpp"
#include "spcart/threads.hpp"

namespace spcart {

/// Lines of a compressed sparse table S: rows of a CSR, columns of a CSC one, or parts of them. The
/// entries of line i are those from begin[i] to end[i]; inner - base is their place in the line.
template <class T, class I>
struct Lines {
  const T* values;
  const I* inner;
  const I* begin;
  const I* end;
  Index count;
  Index base = 0;

  static Lines compressed(const T* values, const I* inner, const I* outer, Index count) {
    return {values, inner, outer, outer + 1, count};
  }
  Lines range(Index first, Index last) const {
    return {values, inner, begin + first, end + first, last - first, base};
  }
  /// Where lines lie one behind the other.
  Index entries() const { return count > 0 ? Index{end[count - 1]} - Index{begin[0]} : 0; }
};

/// Where to cut lines that lie one behind the other into parts of about equal work.
template <class T, class I>
std::vector<Index> balanced_cuts(const Lines<T, I>& lines, Index parts) {
  const auto work_before = [&](Index i) { return Index{lines.begin[i]} - lines.begin[0] + i; };
  std::vector<Index> cuts{0};
  for (Index part = 1; part < parts; ++part) {
    const Index goal = (lines.entries() + lines.count) * part / parts;
    Index low = cuts.back(), high = lines.count;
    while (low < high) {
      const Index middle = (low + high) / 2;
      work_before(middle) < goal ? low = middle + 1 : high = middle;
    }
    cuts.push_back(low);
  }
  cuts.push_back(lines.count);
  return cuts;
}

/// visit(part, first, last) for ranges of `step` rows from `first` to `last`, where `part` is what
/// the columns have in these rows. The entries of a column must be sorted.
template <class T, class I, class Visit>
void for_row_ranges(const Lines<T, I>& columns, Index first, Index last, Index step, Visit visit) {
  std::vector<I> begin(static_cast<std::size_t>(columns.count)), end(begin);
  for (std::size_t j = 0; j < end.size(); ++j) {
    const I* found = std::lower_bound(columns.inner + columns.begin[j],
                                      columns.inner + columns.end[j], static_cast<I>(first));
    end[j] = static_cast<I>(found - columns.inner);
  }
  for (Index row = first; row < last; row += step) {
    const Index stop = std::min(row + step, last);
    begin.swap(end);
    for (std::size_t j = 0; j < end.size(); ++j) {
      I k = begin[j];
      while (k < columns.end[j] && columns.inner[k] < stop) ++k;
      end[j] = k;
    }
    visit(Lines<T, I>{columns.values, columns.inner, begin.data(), end.data(), columns.count, row},
          row, stop);
  }
}

/// Some columns of a block of vectors, row by row, so that an entry of S meets all of them at once:
/// 4, 8, 12 or 16, filled up with zeros.
using Panel = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
inline constexpr Index kWidestPanel = 16;

/// Doubles of a panel that are kept at a time where S is stored by columns. With more they leave
/// the cache; with less the columns are cut into pieces too short to be read fast.
inline constexpr Index kKeptDoubles = Index{1} << 19;

/// f(panel, columns, tick) for all columns of x, panel by panel, where `columns` are those of y
/// that the panel stands for.
template <class F>
void for_panels(ConstBlock x, Block y, const Tick& tick, F f) {
  Panel panel;
  for (Index first = 0; first < x.cols(); first += kWidestPanel) {
    const Index columns = std::min(x.cols() - first, kWidestPanel);
    panel.setZero(x.rows(), (columns + 3) / 4 * 4);
    panel.leftCols(columns) = x.middleCols(first, columns);
    const auto part = [&](double done) {
      if (tick)
        tick((static_cast<double>(first) + done * static_cast<double>(columns)) /
             static_cast<double>(x.cols()));
    };
    f(panel, y.middleCols(first, columns), part);
  }
}

namespace kernels {

/// How many entries ahead the rows of a panel are asked for: they lie all over it.
inline constexpr Index kAhead = 16;

/// visit(value, row of the panel) for each entry of line i.
template <Index W, class Number, class T, class I, class Visit>
[[gnu::always_inline]] inline void for_line(const Lines<T, I>& lines, Index i, Number* panel,
                                            Visit visit) {
  const auto row = [&](Index k) __attribute__((always_inline)) {
    return panel + (static_cast<Index>(lines.inner[k]) - lines.base) * W;
  };
  const Index end = lines.end[i];
  for (Index k = lines.begin[i]; k < end; ++k) {
    for (Index c = 0; c < W; c += 8) __builtin_prefetch(row(std::min(k + kAhead, end - 1)) + c);
    visit(static_cast<double>(lines.values[k]), row(k));
  }
}

/// sum += S_i x
template <Index W, class T, class I>
[[gnu::always_inline]] inline void gather_line(const Lines<T, I>& lines, Index i, const double* x,
                                               Four* sum) {
  for_line<W>(
      lines, i, x, [&](double value, const double* row) __attribute__((always_inline)) {
        for (Index c = 0; c < W / 4; ++c) sum[c] += value * four(row + 4 * c);
      });
}

/// sum += S_i'y
template <Index W, class T, class I>
[[gnu::always_inline]] inline void scatter_line(const Lines<T, I>& lines, Index i, const Four* y,
                                                double* sum) {
  for_line<W>(
      lines, i, sum, [&](double value, double* row) __attribute__((always_inline)) {
        for (Index c = 0; c < W / 4; ++c) four(row + 4 * c) += value * y[c];
      });
}

template <class T, class I>
struct Gather {
  Lines<T, I> lines;
  const double* x;
  double* sum;

  template <Index W>
  [[gnu::always_inline]] void run() const {
    for (Index i = 0; i < lines.count; ++i) {
      Four t[W / 4] = {};
      gather_line<W>(lines, i, x, t);
      for (Index c = 0; c < W / 4; ++c) four(sum + i * W + 4 * c) += t[c];
    }
  }
};

template <class T, class I>
struct Scatter {
  Lines<T, I> lines;
  const double* y;
  double* sum;

  template <Index W>
  [[gnu::always_inline]] void run() const {
    for (Index i = 0; i < lines.count; ++i) {
      Four t[W / 4];
      for (Index c = 0; c < W / 4; ++c) t[c] = four(y + i * W + 4 * c);
      scatter_line<W>(lines, i, t, sum);
    }
  }
};

/// T = S x - 1 shift - m slope, sum += S'T, total += 1'T, weighted += m'T: each row of S is used
/// twice while it is in cache, and no row of T is kept.
template <class T, class I>
struct GatherScatter {
  Lines<T, I> lines;
  const double* x;
  const double* shift;
  const double* slope;
  const double* row_means;  ///< m, or null for zeros
  double* sum;
  double* total;
  double* weighted;

  template <Index W>
  [[gnu::always_inline]] void run() const {
    for (Index i = 0; i < lines.count; ++i) {
      const double m = row_means ? row_means[i] : 0;
      Four t[W / 4];
      for (Index c = 0; c < W / 4; ++c) t[c] = -four(shift + 4 * c) - m * four(slope + 4 * c);
      gather_line<W>(lines, i, x, t);
      for (Index c = 0; c < W / 4; ++c) four(total + 4 * c) += t[c];
      for (Index c = 0; c < W / 4; ++c) four(weighted + 4 * c) += m * t[c];
      scatter_line<W>(lines, i, t, sum);
    }
  }
};

template <Index W, class Kernel>
struct OfWidth {
  const Kernel& kernel;
  [[gnu::always_inline]] void operator()() const { kernel.template run<W>(); }
};

/// Runs a kernel on panels of the given width.
template <class Kernel>
void run(const Kernel& kernel, Index width, Simd simd = best_simd()) {
  switch (width) {
    case 4:
      return call_vectorized(OfWidth<4, Kernel>{kernel}, simd);
    case 8:
      return call_vectorized(OfWidth<8, Kernel>{kernel}, simd);
    case 12:
      return call_vectorized(OfWidth<12, Kernel>{kernel}, simd);
    default:
      return call_vectorized(OfWidth<16, Kernel>{kernel}, simd);
  }
}

}  // namespace kernels

/// How many threads may each add to a panel of their own: such panels beyond two take together at
/// most a fifth of the table's memory.
template <class T, class I>
Index parts_for(const Lines<T, I>& lines, Index rows, Index width) {
  if (lines.entries() * width <= kWorthThreads) return 1;
  const Index spare = lines.entries() * static_cast<Index>(sizeof(T) + sizeof(I)) / 5;
  return std::min(threads(), 2 + spare / (rows * width * static_cast<Index>(sizeof(double))));
}

/// A panel that threads add to, each in a part of its own.
class PartialSums {
 public:
  PartialSums(Index parts, Index rows, Index width) : parts_(static_cast<std::size_t>(parts)) {
    parallel_for(parts, parts > 1, [&](Index t) { part(t).setZero(rows, width); });
  }

  Index parts() const { return static_cast<Index>(parts_.size()); }
  Panel& part(Index t) { return parts_[static_cast<std::size_t>(t)]; }
  const Panel& part(Index t) const { return parts_[static_cast<std::size_t>(t)]; }

  /// y = their sum, always in the same order, without the columns that only fill up.
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
/// columns of S and m those of its rows. S is given to it block by block, and no more of T is kept
/// than stays in cache.
class GramProduct {
 public:
  /// x and c must outlive it. As many threads as it has parts will add to it.
  GramProduct(const Panel& x, const Vector& means, Index parts)
      : x_(x),
        means_(means),
        shift_(means.transpose() * x),
        slope_(x.colwise().sum()),
        sums_(parts, x.rows(), x.cols()),
        totals_(Panel::Zero(2 * parts, x.cols())) {}

  /// Some rows. `row_means` are theirs, or null for zeros.
  template <class T, class I>
  void add_rows(const Lines<T, I>& rows, const double* row_means) {
    const std::vector<Index> cuts = balanced_cuts(rows, sums_.parts());
    parallel_for(sums_.parts(), sums_.parts() > 1, [&](Index t) {
      const Index first = cuts[static_cast<std::size_t>(t)];
      const Lines<T, I> range = rows.range(first, cuts[static_cast<std::size_t>(t) + 1]);
      const double* m = row_means ? row_means + first : nullptr;
      kernels::run(kernels::GatherScatter<T, I>{range, x_.data(), shift_.data(), slope_.data(), m,
                                                sums_.part(t).data(), totals_.row(2 * t).data(),
                                                totals_.row(2 * t + 1).data()},
                   x_.cols());
    });
  }

  /// All that sorted columns have from row `first` to `last`. `row_means` are those of all rows.
  template <class T, class I>
  void add_columns(const Lines<T, I>& columns, Index first, Index last, const double* row_means) {
    const auto cut = [&](Index t) { return first + (last - first) * t / sums_.parts(); };
    parallel_for(sums_.parts(), sums_.parts() > 1, [&](Index t) {
      Panel product;
      for_row_ranges(columns, cut(t), cut(t + 1), kKeptDoubles / x_.cols(),
                     [&](const Lines<T, I>& part, Index row, Index stop) {
                       add_range(part, stop - row, row_means ? row_means + row : nullptr, t,
                                 product);
                     });
    });
  }

  /// Columns in any order, all rows at once.
  template <class T, class I>
  void add_unsorted_columns(const Lines<T, I>& columns, Index rows, const double* row_means) {
    Panel product;
    add_range(columns, rows, row_means, 0, product);
  }

  /// y gets as many columns as it has.
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
    kernels::run(kernels::Scatter<T, I>{columns, x_.data(), product.data()}, x_.cols());
    totals_.row(2 * t) += product.colwise().sum();
    if (row_means) totals_.row(2 * t + 1).noalias() += m.transpose() * product;
    kernels::run(kernels::Gather<T, I>{columns, product.data(), sums_.part(t).data()}, x_.cols());
  }

  const Panel& x_;
  const Vector& means_;
  Eigen::RowVectorXd shift_, slope_;
  PartialSums sums_;
  Panel totals_;  ///< 1'T and m'T of each part
};

}  // namespace spcart
