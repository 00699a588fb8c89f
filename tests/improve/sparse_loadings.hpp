#pragma once

#include "spcart/fit.hpp"

namespace spcart {

/// Loadings that nothing has improved.
inline Loadings sparse_loadings(const DataMatrix& a, Index r, Index nonzeros) {
  return fit(a, {.components = r, .nonzeros = nonzeros, .effort = Effort{Effort::Level::none}})
      .loadings;
}

}  // namespace spcart
