#pragma once

#include "spcart/export.hpp"
#include "spcart/row_source.hpp"
#include "spcart/table.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// All that components depend on, of any number of samples: their number, means and scatter. Those
/// of two parts of the data become those of both, so that parts may be measured one after the
/// other, or on different machines.
struct SampleMoments {
  Index samples = 0;
  Vector means = {};    ///< of the variables
  Matrix scatter = {};  ///< the sum of (a - means) (a - means)' over the samples a

  /// Makes them those of these samples and others. Without samples they become the others'. Throws
  /// Error if the others have another number of variables.
  void add(const SampleMoments& others);
};

/// The moments of all samples, in one pass over them. A covariance has none: throws Error.
SampleMoments moments_of(const Table& table, const Tick& tick = {});
SampleMoments moments_of(const RowSource& source, const Tick& tick = {});

}  // namespace spcart
