#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// Entries below which waking other threads costs more than it saves.
inline constexpr Index kWorthThreads = Index{1} << 14;

}  // namespace spcart
