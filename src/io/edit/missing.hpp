#pragma once

#include <string_view>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "io/cache.hpp"

namespace spcart::io {

/// Handles the missing values (NaN) of a table that was just read, and adds a note. Infinite values
/// are always rejected. In a file that is used in place, missing values that are rejected and
/// infinite ones are left to be found by the first pass over it, which looks at every number
/// anyway.
void handle_missing(Table& table, Missing missing, std::string_view file, Cache& cache,
                    const Tick& tick = {});

/// Keeps only the marked samples and variables, in place or, for a file, in a copy.
SPCART_EXPORT_TO_MPI void keep_only(Table& table, const std::vector<bool>& rows,
                                    const std::vector<bool>& cols, Cache& cache,
                                    const Tick& tick = {});

}  // namespace spcart::io
