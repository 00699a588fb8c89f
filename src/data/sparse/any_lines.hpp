#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "base/parallel.hpp"
#include "data/sparse/lines.hpp"
#include "spcart/views.hpp"

namespace spcart::sparse {

/// Lines of any type: inner loops visit those of their own type, everything around them is compiled
/// once.
class AnyLines {
 public:
  template <class T, class I>
  AnyLines(const Lines<T, I>& lines)  // NOLINT(google-explicit-constructor): a wider type
      : lines_(lines) {}

  /// The rows of a CSR table, the columns of a CSC one.
  static AnyLines of(const SparseView& view);

  Index count() const;
  /// Number of entries, if the lines are contiguous.
  Index entries() const;
  /// Bytes of an entry: its value and its index.
  Index entry_bytes() const;
  AnyLines range(Index first, Index last) const;

  /// Calls f(lines of their type).
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), lines_);
  }

 private:
  std::variant<Lines<std::uint8_t, std::int32_t>, Lines<std::int32_t, std::int32_t>,
               Lines<float, std::int32_t>, Lines<double, std::int32_t>,
               Lines<std::uint8_t, std::int64_t>, Lines<std::int32_t, std::int64_t>,
               Lines<float, std::int64_t>, Lines<double, std::int64_t>>
      lines_;
};

std::vector<Index> balanced_cuts(const AnyLines& lines, Index parts);

/// Calls f(part, first, last) for parts of about equal work, in parallel.
template <class F>
void for_parts(const AnyLines& lines, Index parts, F f) {
  const std::vector<Index> cuts = balanced_cuts(lines, parts);
  parallel_for(parts, parts > 1, [&](Index t) {
    f(t, cuts[static_cast<std::size_t>(t)], cuts[static_cast<std::size_t>(t) + 1]);
  });
}

void for_ranges(const AnyLines& lines, Index first, Index last, Index step,
                const std::function<void(const AnyLines& part, Index first, Index last)>& visit);

}  // namespace spcart::sparse
