#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "spcart/pca.hpp"
#include "spcart/table.hpp"

namespace spcart {

/// The solver for a table: the one that is wanted or, where that is left open, one whose matrices
/// fit in memory and that reads a file least often. `memory` is how many bytes all may take; where
/// it is not set, what the system has limits a table in a file only. Throws Error where what is
/// wanted does not fit.
Solver solver_for(const Table& table, Index components, Solver wanted,
                  std::optional<std::uint64_t> memory = {});

/// The matrix of a table for that solver: for the Gram route, A'A is formed in the pass that
/// measures the table.
std::unique_ptr<DataMatrix> prepare(const Table& table, Preparation preparation, Solver solver,
                                    const Tick& tick = {});

}  // namespace spcart
