#pragma once

#include <algorithm>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::sparse {

/// Lines of a compressed sparse table S: rows of a CSR, columns of a CSC one, or parts of them. The
/// entries of line i are those from begin[i] to end[i]; inner - base is their index in the line.
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
  /// Number of entries, if the lines are contiguous.
  Index entries() const { return count > 0 ? Index{end[count - 1]} - Index{begin[0]} : 0; }
};

/// Where to divide contiguous lines into parts of about equal work.
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

/// Calls visit(part, first, last) for ranges of `step` indices from `first` to `last`, where `part`
/// is the part of the lines in this range. The entries of a line must be sorted.
template <class T, class I, class Visit>
void for_ranges(const Lines<T, I>& lines, Index first, Index last, Index step, Visit visit) {
  std::vector<I> begin(static_cast<std::size_t>(lines.count)), end(begin);
  for (std::size_t i = 0; i < end.size(); ++i) {
    const I* found = std::lower_bound(lines.inner + lines.begin[i], lines.inner + lines.end[i],
                                      static_cast<I>(first));
    end[i] = static_cast<I>(found - lines.inner);
  }
  for (Index start = first; start < last; start += step) {
    const Index stop = std::min(start + step, last);
    begin.swap(end);
    for (std::size_t i = 0; i < end.size(); ++i) {
      I k = begin[i];
      while (k < lines.end[i] && lines.inner[k] < stop) ++k;
      end[i] = k;
    }
    visit(Lines<T, I>{lines.values, lines.inner, begin.data(), end.data(), lines.count, start},
          start, stop);
  }
}

}  // namespace spcart::sparse
