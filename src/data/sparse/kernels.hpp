#pragma once

#include <algorithm>

#include "base/simd.hpp"
#include "data/sparse/lines.hpp"

namespace spcart::sparse {

/// Some columns of a block of vectors, row by row, so that an entry of S is multiplied with all of
/// them at once: 4, 8, 12 or 16, padded with zeros.
using Panel = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
inline constexpr Index kWidestPanel = 16;

/// Calls f(panel, columns, tick) for all columns of x, panel by panel, where `columns` are the
/// columns of y that belong to the panel.
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

/// Number of entries by which the rows of a panel are prefetched, because they are scattered over
/// it.
inline constexpr Index kAhead = 16;

/// Calls visit(value, row of the panel) for each entry of line i.
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
        for (Index c = 0; c < W / 4; ++c) sum[c] += value * lanes(row + 4 * c);
      });
}

/// sum += S_i'y
template <Index W, class T, class I>
[[gnu::always_inline]] inline void scatter_line(const Lines<T, I>& lines, Index i, const Four* y,
                                                double* sum) {
  for_line<W>(
      lines, i, sum, [&](double value, double* row) __attribute__((always_inline)) {
        for (Index c = 0; c < W / 4; ++c) lanes(row + 4 * c) += value * y[c];
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
      Four t[W / 4] = {};  // NOLINT(modernize-avoid-c-arrays)
      gather_line<W>(lines, i, x, t);
      for (Index c = 0; c < W / 4; ++c) lanes(sum + i * W + 4 * c) += t[c];
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
      Four t[W / 4];  // NOLINT(modernize-avoid-c-arrays)
      for (Index c = 0; c < W / 4; ++c) t[c] = lanes(y + i * W + 4 * c);
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
      Four t[W / 4];  // NOLINT(modernize-avoid-c-arrays)
      for (Index c = 0; c < W / 4; ++c) t[c] = -lanes(shift + 4 * c) - m * lanes(slope + 4 * c);
      gather_line<W>(lines, i, x, t);
      for (Index c = 0; c < W / 4; ++c) lanes(total + 4 * c) += t[c];
      for (Index c = 0; c < W / 4; ++c) lanes(weighted + 4 * c) += m * t[c];
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
void run_kernel(const Kernel& kernel, Index width, Simd simd = best_simd()) {
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

}  // namespace spcart::sparse
