#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/io.hpp"

namespace SPCART_EXPORT spcart {

/// What will be done with a table, as far as its preparation depends on it.
struct PrepareOptions {
  Preparation preparation = {};
  Index components = 2;                      ///< maximum number that will be computed
  Solver solver = Solver::automatic;         ///< requested for principal components
  bool without_pca = false;                  ///< principal components are available, or not needed
  std::optional<std::uint64_t> memory = {};  ///< bytes that everything may use; if not set, the
                                             ///< system's memory limits only a table in a file
};

/// How to read a table so that memory remains for what is planned: within the same limit.
ReadOptions reserve_work(ReadOptions reading, const PrepareOptions& planned);

/// Prepares a table for fits: from its size, its storage and the memory, chooses the solver for its
/// principal components, and measures the table in one pass that also forms A'A if that solver
/// needs it. A memory map that does not fit in memory is read in blocks from its file. The
/// decisions are in the matrix's plan, which fit, path, choose, compare and bootstrap follow.
/// Throws Error if the requested solver needs too much memory.
std::unique_ptr<DataMatrix> prepare(const Table& table, const PrepareOptions& options = {},
                                    const Tick& tick = {});

/// The same for samples that are not in a table. Those of a source are read in blocks, within the
/// memory.
std::unique_ptr<DataMatrix> prepare(const RowSource& source, const PrepareOptions& options = {},
                                    const Tick& tick = {});
std::unique_ptr<DataMatrix> prepare(const LinearOperator& s, const PrepareOptions& options = {},
                                    const Tick& tick = {});
std::unique_ptr<DataMatrix> prepare(const SampleMoments& moments,
                                    const PrepareOptions& options = {}, const Tick& tick = {});

}  // namespace spcart
