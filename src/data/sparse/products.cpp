#include "data/sparse/products.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "spcart/threads.hpp"

namespace spcart::sparse {

void gather_lines(const AnyLines& lines, const double* x, Index width, double* y) {
  lines.visit([&]<class T, class I>(const Lines<T, I>& typed) {
    run_kernel(Gather<T, I>{typed, x, y}, width);
  });
}

void scatter_lines(const AnyLines& lines, const double* y, Index width, double* x) {
  lines.visit([&]<class T, class I>(const Lines<T, I>& typed) {
    run_kernel(Scatter<T, I>{typed, y, x}, width);
  });
}

void gather(const AnyLines& lines, const Panel& x, double* y) {
  const Index parts = lines.entries() * x.cols() > kWorthThreads ? threads() : 1;
  for_parts(lines, parts, [&](Index, Index first, Index last) {
    gather_lines(lines.range(first, last), x.data(), x.cols(), y + first * x.cols());
  });
}

Index parts_for(const AnyLines& lines, Index rows, Index width) {
  if (lines.entries() * width <= kWorthThreads) return 1;
  const Index spare = lines.entries() * lines.entry_bytes() / 5;
  return std::min(threads(), 2 + spare / (rows * width * static_cast<Index>(sizeof(double))));
}

PartialSums::PartialSums(Index parts, Index rows, Index width)
    : parts_(static_cast<std::size_t>(parts)) {
  parallel_for(parts, parts > 1, [&](Index t) { part(t).setZero(rows, width); });
}

void PartialSums::add_up(Block y) const {
  constexpr Index kRows = 1024;
#pragma omp parallel for schedule(static) if (parts() > 1)
  for (Index first = 0; first < y.rows(); first += kRows) {
    const Index rows = std::min(kRows, y.rows() - first);
    auto sum = y.middleRows(first, rows);
    sum = part(0).block(first, 0, rows, y.cols());
    for (Index t = 1; t < parts(); ++t) sum += part(t).block(first, 0, rows, y.cols());
  }
}

GramProduct::GramProduct(const Panel& x, const Vector& means, Index parts)
    : x_(x),
      means_(means),
      shift_(means.transpose() * x),
      slope_(x.colwise().sum()),
      sums_(parts, x.rows(), x.cols()),
      totals_(Panel::Zero(2 * parts, x.cols())) {}

void GramProduct::add_rows(const AnyLines& rows, const double* row_means) {
  for_parts(rows, sums_.parts(), [&](Index t, Index first, Index last) {
    rows.visit([&]<class T, class I>(const Lines<T, I>& lines) {
      run_kernel(
          GatherScatter<T, I>{lines.range(first, last), x_.data(), shift_.data(), slope_.data(),
                              row_means ? row_means + first : nullptr, sums_.part(t).data(),
                              totals_.row(2 * t).data(), totals_.row(2 * t + 1).data()},
          x_.cols());
    });
  });
}

void GramProduct::add_columns(const AnyLines& columns, Index first, Index last,
                              const double* row_means) {
  const auto cut = [&](Index t) { return first + (last - first) * t / sums_.parts(); };
  parallel_for(sums_.parts(), sums_.parts() > 1, [&](Index t) {
    Panel product;
    for_ranges(columns, cut(t), cut(t + 1), kKeptDoubles / x_.cols(),
               [&](const AnyLines& part, Index row, Index stop) {
                 add_range(part, stop - row, row_means ? row_means + row : nullptr, t, product);
               });
  });
}

void GramProduct::add_unsorted_columns(const AnyLines& columns, Index rows,
                                       const double* row_means) {
  Panel product;
  add_range(columns, rows, row_means, 0, product);
}

void GramProduct::finish(Block y) const {
  sums_.add_up(y);
  Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(x_.cols()), weighted = total;
  for (Index t = 0; t < sums_.parts(); ++t) {
    total += totals_.row(2 * t);
    weighted += totals_.row(2 * t + 1);
  }
  y.noalias() -= means_ * total.head(y.cols());
  y.rowwise() -= weighted.head(y.cols());
}

void GramProduct::add_range(const AnyLines& columns, Index rows, const double* row_means, Index t,
                            Panel& product) {
  product = -shift_.replicate(rows, 1);
  const Eigen::Map<const Vector> m(row_means, row_means ? rows : 0);
  if (row_means) product.noalias() -= m * slope_;
  scatter_lines(columns, x_.data(), x_.cols(), product.data());
  totals_.row(2 * t) += product.colwise().sum();
  if (row_means) totals_.row(2 * t + 1).noalias() += m.transpose() * product;
  gather_lines(columns, product.data(), x_.cols(), sums_.part(t).data());
}

}  // namespace spcart::sparse
