#pragma once

#include <vector>

#include "mpi/local_rows.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {

/// The moments of all ranks, at the root. All ranks call it together.
Moments all_moments(const Ranks& ranks, const Moments& local);

/// The largest value of all ranks for each variable, at the root.
Vector largest_at_root(const Ranks& ranks, const Vector& local);

/// The statistics of the stored rows, as StoredMatrix computes them for rows on one machine.
struct Statistics {
  Preparation used;
  Vector inverse_scales, squared_norms;
  std::vector<Index> constant;
};

Statistics statistics_of(const Moments& moments, const Vector& rounding,
                         const Preparation& preparation);

}  // namespace spcart::mpi
