#pragma once

#include "io/cache.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

/// Reads separated text. The separator is detected in the first lines if none is given (0). Missing
/// cells become NaN unless the options reject them. Columns of text are set aside, unless the
/// options reject them; excluded variables are left out, and for a covariance their rows too.
Table read_csv(ByteSource& source, const ReadOptions& options, Cache& cache, char separator = 0,
               const Tick& tick = {});

/// The same for a look at it: cells that are rejected there are missing.
Inspection inspect_csv(ByteSource& source, const ReadOptions& options, Cache& cache, char separator,
                       const Tick& tick);

}  // namespace spcart::io
