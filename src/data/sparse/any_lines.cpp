#include "data/sparse/any_lines.hpp"

#include "table/with_scalar.hpp"

namespace spcart::sparse {

AnyLines AnyLines::of(const SparseView& view) {
  const Index count = view.major == SparseView::Major::row ? view.rows : view.cols;
  return with_scalar(view.scalar, [&]<class T>(T) -> AnyLines {
    const auto lines = [&]<class I>(I) {
      return Lines<T, I>::compressed(static_cast<const T*>(view.values),
                                     static_cast<const I*>(view.inner),
                                     static_cast<const I*>(view.outer), count);
    };
    if (view.wide) return lines(std::int64_t{});
    return lines(std::int32_t{});
  });
}

Index AnyLines::count() const {
  return visit([](const auto& lines) { return lines.count; });
}

Index AnyLines::entries() const {
  return visit([](const auto& lines) { return lines.entries(); });
}

Index AnyLines::entry_bytes() const {
  return visit([]<class T, class I>(const Lines<T, I>&) {
    return static_cast<Index>(sizeof(T) + sizeof(I));
  });
}

AnyLines AnyLines::range(Index first, Index last) const {
  return visit([&](const auto& lines) -> AnyLines { return lines.range(first, last); });
}

std::vector<Index> balanced_cuts(const AnyLines& lines, Index parts) {
  return lines.visit([&](const auto& typed) { return balanced_cuts(typed, parts); });
}

void for_ranges(const AnyLines& lines, Index first, Index last, Index step,
                const std::function<void(const AnyLines& part, Index first, Index last)>& visit) {
  lines.visit([&](const auto& typed) { for_ranges(typed, first, last, step, visit); });
}

}  // namespace spcart::sparse
