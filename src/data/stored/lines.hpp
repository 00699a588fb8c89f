#pragma once

#include <span>

#include "base/simd.hpp"
#include "spcart/data.hpp"

namespace spcart {

/// Contiguous numbers: a sample, or a part of one.
struct Line {
  const void* data = nullptr;
  Scalar scalar = Scalar::float64;
};

/// out = (line - shift - means) * scales, rounded to Real at the end; `line` and `out` may be the
/// same.
template <class Real>
void prepare_line(Line line, Index count, double shift, const double* means, const double* scales,
                  Real* out, Simd simd = best_simd());

/// A strip is some lines of doubles, line i at strip + i * stride. Subtracts shifts[i] and the
/// origin from line i, and adds the differences, and their squares, to the sums of each variable.
void measure_strip(double* strip, Index stride, Index count, std::span<const double> shifts,
                   const double* origin, double* sums, double* squares, Simd simd = best_simd());

}  // namespace spcart
