#pragma once

#include <string>
#include <vector>

#include "base/simd.hpp"

namespace spcart {

inline std::string name(Simd simd) {
  return simd == Simd::avx512 ? "avx512" : simd == Simd::avx2 ? "avx2" : "plain";
}

/// All instruction sets of this processor, the plain one first.
inline std::vector<Simd> every_simd() {
  std::vector<Simd> every;
  for (const Simd simd : {Simd::plain, Simd::avx2, Simd::avx512})
    if (simd <= best_simd()) every.push_back(simd);
  return every;
}

}  // namespace spcart
