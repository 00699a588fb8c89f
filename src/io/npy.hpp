#pragma once

#include <string_view>

#include "io/cache.hpp"
#include "spcart/table.hpp"

namespace spcart::io {

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads a NumPy array of two dimensions, in the type and order in which it is stored where the
/// library knows that type, else widened. A plain file that does not fit in memory is not read: the
/// table is where it is.
Table read_npy(ByteSource& source, Cache& cache);

}  // namespace spcart::io
