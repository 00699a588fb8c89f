#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "spcart/resample.hpp"

namespace spcart {

/// A table of some rows of a dense one, which are read where they lie: nothing is copied. `rows`
/// rise.
std::unique_ptr<DataMatrix> make_gathered(const DenseView& view, std::vector<Index> rows,
                                          const Preparation& preparation, const Tick& tick);

/// The rows of a sparse table, copied; the view owns them. `rows` rise.
SparseView selected_rows(const SparseView& view, const std::vector<Index>& rows);

/// The columns of a sparse table, copied likewise. `columns` rise.
SparseView selected_columns(const SparseView& view, std::span<const Index> columns);

/// The values of each variable, less the row means unless there are none, in a random order of
/// their own.
Matrix permuted_columns(const DenseView& view, const Vector& row_means, std::uint64_t seed,
                        const Tick& tick);

/// The same for a sparse table, whose row means stay: entries go to random rows of their columns.
SparseView permuted_columns(const SparseView& view, std::uint64_t seed);

}  // namespace spcart
