#include "data/sparse/gram.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "data/sparse/products.hpp"
#include "data/stored/panels.hpp"

namespace spcart::sparse {
namespace {

/// Where to divide the columns of L'L into parts of about equal work.
template <class T, class I>
std::vector<Index> column_cuts(const Lines<T, I>& lines, Index size, Index parts) {
  std::vector<double> work(static_cast<std::size_t>(size), 0.0);
  double total = 0;
  for (Index i = 0; i < lines.count; ++i)
    for (I k = lines.begin[i]; k < lines.end[i]; ++k) {
      work[static_cast<std::size_t>(lines.inner[k])] += static_cast<double>(lines.end[i] - k);
      total += static_cast<double>(lines.end[i] - k);
    }
  std::vector<Index> cuts{0};
  double before = 0;
  for (Index j = 0; j < size && static_cast<Index>(cuts.size()) < parts; ++j) {
    before += work[static_cast<std::size_t>(j)];
    if (before * static_cast<double>(parts) >= total * static_cast<double>(cuts.size()))
      cuts.push_back(j + 1);
  }
  cuts.resize(static_cast<std::size_t>(parts), size);
  cuts.push_back(size);
  return cuts;
}

template <class T, class I>
void add_squares(const Lines<T, I>& lines, const double* weights,
                 Block g) {  // NOLINT(performance-unnecessary-value-param): it is written
  constexpr Index kCachedDoubles = Index{1} << 18;
  const Index parts = lines.entries() > kWorthThreads ? threads() : 1;
  const Index step = std::max<Index>(kCachedDoubles / g.rows(), 8);
  const std::vector<Index> cuts = column_cuts(lines, g.cols(), parts);
  parallel_for(parts, parts > 1, [&](Index t) {
    const Index first = cuts[static_cast<std::size_t>(t)];
    const Index last = cuts[static_cast<std::size_t>(t) + 1];
    for_ranges(lines, first, last, step, [&](const Lines<T, I>& part, Index, Index) {
      for (Index i = 0; i < lines.count; ++i)
        for (I own = part.begin[i]; own < part.end[i]; ++own) {
          const double factor = static_cast<double>(lines.values[own]) * (weights ? weights[i] : 1);
          double* column = &g(0, lines.inner[own]);
          for (I k = own; k < lines.end[i]; ++k)
            column[lines.inner[k]] += factor * static_cast<double>(lines.values[k]);
        }
    });
  });
}

}  // namespace

void add_line_squares(const AnyLines& lines, const double* weights, Block g) {
  lines.visit([&](const auto& typed) { add_squares(typed, weights, g); });
}

void multiply_lines(const AnyLines& lines, Index length, const double* weights, Block g,
                    const Tick& tick) {
  Panel spread = Panel::Zero(length, kWidestPanel), products;
  for (Index first = 0; first < lines.count(); first += kWidestPanel) {
    if (tick) tick(static_cast<double>(first) / static_cast<double>(lines.count()));
    const Index width = std::min(kWidestPanel, lines.count() - first);
    lines.visit([&](const auto& typed) {
      for (Index c = 0; c < width; ++c)
        for (auto k = typed.begin[first + c]; k < typed.end[first + c]; ++k)
          spread(typed.inner[k], c) =
              static_cast<double>(typed.values[k]) * (weights ? weights[typed.inner[k]] : 1);
    });
    const AnyLines rest = lines.range(first, lines.count());
    products.setZero(rest.count(), kWidestPanel);
    gather(rest, spread, products.data());
    g.block(first, first, rest.count(), width) = products.leftCols(width);
    lines.visit([&](const auto& typed) {
      for (Index c = 0; c < width; ++c)
        for (auto k = typed.begin[first + c]; k < typed.end[first + c]; ++k)
          spread(typed.inner[k], c) = 0;
    });
  }
}

void finish_gram(const Vector& a, const Vector& w, const Vector& b, const Vector& z,
                 const Vector& d, Block g) {
#pragma omp parallel for schedule(static, 16) if (g.size() > kWorthThreads)
  for (Index j = 0; j < g.cols(); ++j) {
    const Index rest = g.cols() - j;
    g.col(j).tail(rest) +=
        a.tail(rest) * w[j] + w.tail(rest) * a[j] + b.tail(rest) * z[j] + z.tail(rest) * b[j];
    g.col(j).tail(rest).array() *= d[j] * d.tail(rest).array();
  }
  mirror(g);
}

}  // namespace spcart::sparse
