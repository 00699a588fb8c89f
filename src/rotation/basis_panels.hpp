#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "base/parallel.hpp"
#include "spcart/types.hpp"

namespace spcart {

/// A basis V, which must outlive it, divided into slices, one per thread, and those into panels
/// that stay in cache: V is read once per iteration.
class SPCART_EXPORT_TO_MPI BasisPanels {
 public:
  explicit BasisPanels(ConstBlock v);
  BasisPanels(BasisPanels&&) = default;
  BasisPanels& operator=(BasisPanels&&) = delete;

  /// A whole basis without the rows that no rotation lifts above a bound, because no entry of a
  /// rotated row is larger than the norm of the row; none if that would save little.
  std::optional<BasisPanels> above(double bound) const;

  Index variables() const { return transposed_.cols(); }

  /// The row of V of a row, the number of rows of V, and the sum of squares of the rows that are
  /// left out.
  Index variable(Index row) const {
    return kept_.empty() ? row : kept_[static_cast<std::size_t>(row)];
  }
  Index all_variables() const { return all_variables_; }
  double left_out() const { return left_out_; }

  Index components() const { return components_; }
  Index slices() const { return slices_; }

  /// Where the rows of a slice end.
  Index end_of(Index slice) const { return variables() * (slice + 1) / slices_; }

  /// Some rows of V.
  auto rows(Index first, Index count) const { return v_.middleRows(first, count); }

  /// V' with rows of zeros below, so that its columns are whole registers.
  const Matrix& transposed() const { return transposed_; }

  /// V'V, to see whether V is orthonormal.
  Matrix gram() const;

  /// Calls visit(slice, first, count) for the panels of each slice in order, slices in parallel.
  /// `width` is the number of columns that are used together with a panel.
  template <class Visit>
  void for_panels(Index width, Visit visit) const {
    const Index step = panel_size(width);
    parallel_for(slices_, slices_ > 1, [&](Index slice) {
      const Index last = end_of(slice);
      for (Index first = slice == 0 ? 0 : end_of(slice - 1); first < last; first += step)
        visit(slice, first, std::min(step, last - first));
    });
  }

  /// Maximum number of variables in a panel.
  Index panel_size(Index width) const;

 private:
  BasisPanels(const BasisPanels& whole, std::vector<std::int32_t> kept, double left_out);

  Matrix own_;  ///< V without the rows that are left out
  Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> v_;
  std::vector<std::int32_t> kept_;  ///< empty: all
  Index all_variables_, components_, slices_;
  Matrix transposed_;
  Vector squares_;  ///< of the norm of each row, unless some are left out
  double left_out_ = 0;
};

}  // namespace spcart
