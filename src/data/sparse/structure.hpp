#pragma once

#include "spcart/views.hpp"

namespace spcart::sparse {

/// Throws Error if the structure of a compressed table is broken; returns whether its lines are
/// sorted. Threads check whether everything is valid; an error is then located sequentially, so
/// that the message is always the same.
bool check_structure(const SparseView& view);

}  // namespace spcart::sparse
