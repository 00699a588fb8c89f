#pragma once

#include <string_view>

#include "io/cache.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

/// Reads a zip archive of arrays: the sparse matrix that SciPy's save_npz wrote (csr, csc or coo),
/// or the two-dimensional array `part` of NumPy's savez, whose name may be left out if there is
/// only one.
Table read_npz(ByteSource& source, std::string_view part, const ReadOptions& options, Cache& cache,
               const Tick& tick);

}  // namespace spcart::io
