#pragma once

#include <cstdint>

#include "spcart/views.hpp"

namespace spcart {

/// Calls f with a value of the stored type; only its type matters.
template <class F>
[[gnu::always_inline]] inline decltype(auto) with_scalar(Scalar scalar, F&& f) {
  switch (scalar) {
    case Scalar::uint8:
      return f(std::uint8_t{});
    case Scalar::int32:
      return f(std::int32_t{});
    case Scalar::float32:
      return f(float{});
    case Scalar::float64:
      break;
  }
  return f(double{});
}

}  // namespace spcart
