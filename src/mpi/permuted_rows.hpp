#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/local_rows.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {

/// The rows of a rank in a table whose variables are permuted.
struct PermutedRows {
  std::optional<Table> table;      ///< none if the rank has no rows
  bool without_row_means = false;  ///< row means, if they are to be removed, are removed already
};

/// Puts the values of each variable in an independent random order over all rows of all ranks, and
/// returns those of this rank: the same numbers that permute_columns gives on one machine. Row
/// means are removed before from dense rows, and not at all from sparse ones. `counts` are the
/// numbers of rows of the ranks.
///
/// For each variable, one rank gets all its values, shuffles them, and sends them back. The ranks
/// share this work, but each of them goes through all random numbers. A rank needs memory for a
/// copy of its rows in double. Collective: if it fails on one rank, it throws on all, as
/// Ranks::together does.
PermutedRows permuted_rows(const Ranks& ranks, const LocalRows& local,
                           const std::vector<Index>& counts, std::uint64_t seed, const Tick& tick);

}  // namespace spcart::mpi
