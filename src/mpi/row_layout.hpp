#pragma once

#include <vector>

#include "mpi/local_rows.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {

/// The rows of the ranks.
struct RowLayout {
  std::vector<Index> counts, firsts;  ///< of each rank
  Index rows = 0, cols = 0;
  double entries = 0;
  bool in_memory = true;  ///< all of them
};

RowLayout layout_of(const Ranks& ranks, const LocalRows& local);

// What all ranks call together, to send and get rows. What is at the root only is ignored
// elsewhere.

/// The rows of all ranks become those of y, at the root.
void gather_rows(const Ranks& ranks, const RowLayout& layout, const Matrix& rows, Block y);

/// This rank's rows of y, which is at the root; elsewhere only its number of columns matters.
Matrix scatter_rows(const Ranks& ranks, const RowLayout& layout, const Matrix& y);

/// Those of the root's rows, in ascending order, that are on this rank, as indices of its rows.
std::vector<Index> scatter_indices(const Ranks& ranks, const RowLayout& layout,
                                   const std::vector<Index>& rows);

}  // namespace spcart::mpi
