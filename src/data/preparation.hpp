#pragma once

#include "spcart/data.hpp"

namespace spcart {

/// Throws Error where given means or scales do not fit p variables.
void check_preparation(const Preparation& preparation, Index p);

/// For kinds of data that are multiplied in double whatever is asked for.
inline Preparation in_double(Preparation preparation) {
  preparation.precision = Precision::full;
  return preparation;
}

/// 1/s, or 0 for a variable that does not vary.
Vector inverse_scales(const Vector& scales);

}  // namespace spcart
