#pragma once

#include <cstdint>

#include "base/export_to_mpi.hpp"
#include "spcart/prepare.hpp"

namespace spcart {

/// What the choice of a solver depends on.
struct TableSize {
  Index rows = 0, cols = 0;
  double entries = 0;                 ///< numbers that are stored
  bool sparse = false;                ///< only the nonzeros are stored
  bool in_file = false;               ///< it is read in blocks, at least on one rank
  std::uint64_t bytes_in_memory = 0;  ///< on one machine or, if it is spread, on one rank
  int ranks = 1;                      ///< over which the rows are spread
  int ranks_on_host = 1;              ///< that share the memory of this machine
};

/// The requested solver or, if that is automatic, one whose matrices fit in memory and that reads a
/// file least often. Throws Error if the requested one needs too much memory.
SPCART_EXPORT_TO_MPI Solver planned_solver(const TableSize& table, const PrepareOptions& options);

}  // namespace spcart
