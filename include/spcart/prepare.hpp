#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "spcart/data.hpp"
#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

/// What will be done with a table, as far as it decides how the table is prepared.
struct PrepareOptions {
  Preparation preparation = {};
  Index components = 2;               ///< the most that will be looked for
  Solver solver = Solver::automatic;  ///< that is wanted for principal components
  bool without_pca = false;  ///< principal components are at hand, or there is no need for them
  std::optional<std::uint64_t> memory = {};  ///< bytes that all may take; if it is not set, what
                                             ///< the system has limits a table in a file only
};

/// Makes a table ready for fits: looks at its size, its storage and the memory, decides by what
/// solver its principal components will be found, and measures it in one pass that also forms A'A
/// if that solver needs it. What was decided is in the matrix's plan, which fit, path, choose,
/// compare and bootstrap follow. Throws Error if the solver that is wanted takes too much memory.
std::unique_ptr<DataMatrix> prepare(const Table& table, const PrepareOptions& options = {},
                                    const Tick& tick = {});

}  // namespace spcart
