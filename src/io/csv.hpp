#pragma once

#include "io/cache.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

/// Reads separated text. The separator is detected in the first line if none is given (0). Missing
/// cells become NaN unless the options reject them; excluded variables are left out, and for a
/// covariance their rows too.
Table read_csv(ByteSource& source, const ReadOptions& options, Cache& cache, char separator = 0);

}  // namespace spcart::io
