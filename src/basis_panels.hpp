#pragma once

#include <algorithm>

#include "parallel.hpp"
#include "spcart/types.hpp"

namespace spcart {

/// A basis V, which must outlive it, cut into slices, one a thread, and those into panels that stay
/// in cache: V is read once for all that is done with its rotation.
class BasisPanels {
 public:
  explicit BasisPanels(ConstBlock v);

  Index variables() const { return transposed_.cols(); }
  Index components() const { return components_; }
  Index slices() const { return slices_; }

  /// Some rows of V.
  auto rows(Index first, Index count) const { return v_.middleRows(first, count); }

  /// V' with rows of zeros below, so that its columns are whole registers.
  const Matrix& transposed() const { return transposed_; }

  /// V'V, to see whether V is orthonormal.
  Matrix gram() const;

  /// visit(slice, first, count) for the panels of each slice in turn, slices side by side. `width`
  /// is the number of columns that go with a panel.
  template <class Visit>
  void for_panels(Index width, Visit visit) const {
    const Index step = panel_size(width);
    parallel_for(slices_, slices_ > 1, [&](Index slice) {
      const Index last = variables() * (slice + 1) / slices_;
      for (Index first = variables() * slice / slices_; first < last; first += step)
        visit(slice, first, std::min(step, last - first));
    });
  }

  /// Variables in a panel at the most.
  Index panel_size(Index width) const;

 private:
  Eigen::Ref<const Matrix> v_;
  Index components_, slices_;
  Matrix transposed_;
};

}  // namespace spcart
