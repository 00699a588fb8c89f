#pragma once

#include <cstddef>

#include "spcart/types.hpp"

namespace spcart {

/// An index of Eigen as one of the standard containers.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace spcart
