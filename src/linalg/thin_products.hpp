#pragma once

#include "base/simd.hpp"

namespace spcart {

/// Products of a panel with few vectors. A BLAS copies the panel before it multiplies, which pays
/// off for many vectors only; here each number of the panel is loaded once and multiplied with all
/// vectors. So the vectors are interleaved: a block of vectors is stored with `width` numbers for
/// each row or column of the panel, of which the last may be zeros.
template <class Real>
struct SkinnyPanel {
  const Real* data;
  Index stride;  ///< from a column to the next
  Index rows, cols;
};

/// Number of samples that stay in a processor cache while they are used twice.
inline constexpr Index kSkinnySamples = 64;

/// Numbers to store per row for this many vectors.
template <class Real>
constexpr Index skinny_width(Index vectors) {
  constexpr Index kLanes = Lanes<Real>::kCount;
  return (vectors + kLanes - 1) / kLanes * kLanes;
}

/// T += P'X
template <class Real>
void skinny_add_adjoint(const SkinnyPanel<Real>& panel, const Real* x, Index width, Real* t,
                        Simd simd = best_simd());

/// Y += P T
template <class Real>
void skinny_add_times(const SkinnyPanel<Real>& panel, const Real* t, Index width, Real* y,
                      Simd simd = best_simd());

}  // namespace spcart
