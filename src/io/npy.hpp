#pragma once

#include <string_view>

#include "io/cache.hpp"
#include "spcart/table.hpp"

namespace spcart::io {

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads a two-dimensional NumPy array, in the type and order in which it is stored if the library
/// supports that type, otherwise widened. A plain file that does not fit in memory is not read: the
/// table is used in place.
Table read_npy(ByteSource& source, Cache& cache);

}  // namespace spcart::io
