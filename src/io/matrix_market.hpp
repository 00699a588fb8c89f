#pragma once

#include <string_view>

#include "io/cache.hpp"
#include "io/name_files.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

inline constexpr std::string_view kMatrixMarketBanner = "%%MatrixMarket";

/// Reads a MatrixMarket file: coordinates become rows of sparse entries, arrays stay dense. Entries
/// given more than once are summed. Missing values become NaN unless the options reject them. It is
/// transposed if the options or the names beside the file say so.
Table read_matrix_market(ByteSource& source, const ReadOptions& options, NameFiles& names,
                         Cache& cache);

}  // namespace spcart::io
