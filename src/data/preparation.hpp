#pragma once

#include <algorithm>

#include "spcart/data.hpp"

namespace spcart {

/// Throws Error where given means or scales do not fit p variables.
void check_preparation(const Preparation& preparation, Index p);

/// For kinds of data that are multiplied in double whatever is asked for.
inline Preparation in_double(Preparation preparation) {
  preparation.precision = Precision::full;
  return preparation;
}

/// Whether A'A is kept once it is formed: where it takes no more than 128 MB, nor more than A.
inline bool is_gram_kept(Index rows, Index cols) {
  constexpr Index kLargest = 4096;
  return cols <= std::min(rows, kLargest);
}

/// 1/s, or 0 for a variable that does not vary.
Vector inverse_scales(const Vector& scales);

}  // namespace spcart
