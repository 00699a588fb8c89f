#pragma once

#include <string_view>

#include "io/byte_source.hpp"
#include "spcart/table.hpp"

namespace spcart::io {

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads a NumPy array of two dimensions, in the type and order in which it is stored where the
/// library knows that type, else widened.
Table read_npy(ByteSource& source);

}  // namespace spcart::io
