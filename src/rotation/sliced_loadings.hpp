#pragma once

#include <cstdint>
#include <vector>

#include "rotation/basis_panels.hpp"
#include "rotation/kernels.hpp"
#include "spcart/types.hpp"

namespace spcart {

/// Sparse loadings that are rewritten in every iteration: slices of the variables, one per thread,
/// each with its nonzeros by component in ascending order. Memory is kept for the next iteration.
class SlicedLoadings {
 public:
  SlicedLoadings(Index slices, Index r);

  /// Removes all entries of a slice.
  void clear(Index slice);

  /// The nonzeros of a component within a slice.
  struct Part {
    std::vector<std::int32_t> rows;
    std::vector<double> values;
    std::size_t size = 0;

    /// Appends those of `count` entries of z from variable `first` on that stay; returns how many.
    std::size_t append(const double* z, std::int32_t first, std::int32_t count,
                       const Threshold& threshold, double* zeroed);
  };
  Part& part(Index slice, Index component) { return parts_[index_of(slice, component)]; }
  const Part& part(Index slice, Index component) const {
    return parts_[index_of(slice, component)];
  }

  /// Lengths of the columns, and the sums of their absolute values.
  void measure(Vector& lengths, Vector& l1) const;

  /// Divides each column by its length (unless that is zero) and returns |X - other|^2.
  double normalize(const Vector& lengths, const SlicedLoadings& other);

  /// Takes loadings that are zero in all variables that the basis leaves out.
  void take(const Loadings& x, const BasisPanels& basis);

  Index nonzeros() const;
  Loadings loadings(const BasisPanels& basis) const;  ///< in the basis's own variables

 private:
  std::size_t index_of(Index slice, Index component) const {
    return static_cast<std::size_t>(slice * components_ + component);
  }

  Index slices_, components_;
  std::vector<Part> parts_;
};

}  // namespace spcart
