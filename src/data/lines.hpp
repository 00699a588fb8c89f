#pragma once

#include <span>
#include <string_view>

#include "spcart/types.hpp"

namespace spcart {

/// The loops over stored numbers, compiled once for each kind of processor. A line is a sample, or
/// a part of one: `count` numbers that lie side by side.
struct LineKernels {
  std::string_view name;

  /// out = (line - shift - means) * scales; `line` and `out` may be the same.
  void (*prepare_double)(const double* line, Index count, double shift, const double* means,
                         const double* scales, double* out);
  /// The same, rounded to single precision at the end.
  void (*prepare_single)(const double* line, Index count, double shift, const double* means,
                         const double* scales, float* out);

  /// Subtracts shifts[i] and the origin from line i of the strip, which begins at strip + i *
  /// stride, and adds what is left, and its squares, to the sums of each variable.
  void (*measure)(double* strip, Index stride, Index count, std::span<const double> shifts,
                  const double* origin, double* sums, double* squares);

  void prepare(const double* line, Index count, double shift, const double* means,
               const double* scales, double* out) const {
    prepare_double(line, count, shift, means, scales, out);
  }
  void prepare(const double* line, Index count, double shift, const double* means,
               const double* scales, float* out) const {
    prepare_single(line, count, shift, means, scales, out);
  }
};

/// All that this processor can run, the plain one first; the last is the one to use.
std::span<const LineKernels> all_line_kernels();
inline const LineKernels& line_kernels() { return all_line_kernels().back(); }

}  // namespace spcart
