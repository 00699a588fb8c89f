#pragma once

#include <cstdint>

namespace spcart::testing {

/// Bytes that this rank has sent or received by MPI, in collective and other messages.
std::int64_t bytes_moved();

}  // namespace spcart::testing
