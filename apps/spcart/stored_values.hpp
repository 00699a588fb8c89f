#pragma once

#include <cstdint>

#include "spcart/table.hpp"

namespace spcart::command {

/// What the stored numbers of a table look like, before any preparation.
struct StoredValues {
  double least = 0, greatest = 0;
  Index stored = 0;         ///< numbers kept in memory
  Index nonzeros = 0;       ///< of them
  std::uint64_t bytes = 0;  ///< of the numbers and, where sparse, of their places
};
StoredValues look_at(const Table& table);

Scalar scalar(const Table& table);
bool is_sparse(const Table& table);

/// The stored numbers of one sample of a dense table.
Vector sample(const DenseView& view, Index row);

/// Is this dense table square and symmetric, as covariances and correlations are?
bool is_symmetric(const Table& table);

}  // namespace spcart::command
