#pragma once

#include <string_view>

#include "spcart/export.hpp"
#include "spcart/names.hpp"

namespace SPCART_EXPORT spcart {

/// How the principal basis is computed.
enum class Solver {
  automatic,  ///< chosen from the shape of the data
  gram,       ///< eigenvectors of A'A: few variables
  outer,      ///< eigenvectors of AA': few samples
  krylov,     ///< block Krylov with thick restarts: both large, few components
  slepc       ///< the same by SLEPc if the rows are spread over ranks: its vectors are spread too
};
std::string_view name(Solver value);
template <>
Solver parse<Solver>(std::string_view text);

}  // namespace spcart
