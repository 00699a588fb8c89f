#pragma once

#include <cstdint>

namespace spcart::testing {

/// Bytes that this rank has handed to MPI or been handed by it, in collective and other messages.
std::int64_t bytes_moved();

}  // namespace spcart::testing
