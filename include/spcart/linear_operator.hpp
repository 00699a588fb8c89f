#pragma once

#include <functional>

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// A table S of which only products with blocks of vectors are known.
struct LinearOperator {
  Index rows = 0, cols = 0;
  std::function<void(ConstBlock x, Block y)> times;          ///< y = S x
  std::function<void(ConstBlock y, Block x)> adjoint_times;  ///< x = S'y
};

}  // namespace spcart
