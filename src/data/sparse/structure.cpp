#include "data/sparse/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "data/sparse/any_lines.hpp"
#include "spcart/error.hpp"

namespace spcart::sparse {
namespace {

/// Lines whose values are not looked at.
template <class I>
using Indices = Lines<double, I>;

template <class I>
Indices<I> indices_of(const SparseView& view) {
  return Indices<I>::compressed(nullptr, static_cast<const I*>(view.inner),
                                static_cast<const I*>(view.outer),
                                view.major == SparseView::Major::row ? view.rows : view.cols);
}

/// Whether the indices of each line are ascending, and from 0 to length - 1.
template <class I>
bool are_sorted(const Indices<I>& lines, Index length) {
  bool good = true;
  for (Index i = 0; i < lines.count; ++i) {
    Index before = -1;
    for (I k = lines.begin[i]; k < lines.end[i]; ++k) {
      good &= lines.inner[k] > before && lines.inner[k] < length;
      before = lines.inner[k];
    }
  }
  return good;
}

/// Throws Error if an index is out of range, or occurs twice in a line.
template <class I>
void check_indices(const Indices<I>& lines, Index length) {
  std::vector<Index> seen(static_cast<std::size_t>(length), -1);
  for (Index i = 0; i < lines.count; ++i)
    for (I k = lines.begin[i]; k < lines.end[i]; ++k) {
      const I index = lines.inner[k];
      if (index < 0 || index >= length)
        throw Error(fmt::format("sparse table: index {} in line {} is not within 0 to {}", index, i,
                                length - 1));
      Index& last = seen[static_cast<std::size_t>(index)];
      if (last == i)
        throw Error(fmt::format("sparse table: line {} has two entries at {}", i, index));
      last = i;
    }
}

template <class I>
bool check(const Indices<I>& lines, Index length) {
  if (lines.count == 0) return true;
  if (lines.begin[0] != 0)
    throw Error(fmt::format("sparse table: outer[0] is {}, not 0", lines.begin[0]));
  for (Index i = 0; i < lines.count; ++i)
    if (lines.end[i] < lines.begin[i])
      throw Error(fmt::format("sparse table: outer falls from {} to {} at line {}", lines.begin[i],
                              lines.end[i], i));
  const Index parts = lines.entries() > kWorthThreads ? threads() : 1;
  std::vector<char> sorted(static_cast<std::size_t>(parts));
  for_parts(lines, parts, [&](Index t, Index first, Index last) {
    sorted[static_cast<std::size_t>(t)] = are_sorted(lines.range(first, last), length);
  });
  if (std::ranges::all_of(sorted, [](char part) { return part != 0; })) return true;
  check_indices(lines, length);
  return false;
}

}  // namespace

bool check_structure(const SparseView& view) {
  const Index length = view.major == SparseView::Major::row ? view.cols : view.rows;
  return view.wide ? check(indices_of<std::int64_t>(view), length)
                   : check(indices_of<std::int32_t>(view), length);
}

}  // namespace spcart::sparse
