#pragma once

#include <array>
#include <span>
#include <string_view>
#include <type_traits>

#include "spcart/data.hpp"

namespace spcart {

/// Numbers that lie side by side.
struct Line {
  const void* data = nullptr;
  Scalar scalar = Scalar::float64;
};

inline constexpr std::size_t kScalars = 4;

/// The loops over stored numbers, compiled once for each kind of processor. A line is a sample, or
/// a part of one: `count` numbers that lie side by side.
struct LineKernels {
  std::string_view name;

  template <class Real>
  using Prepare = void (*)(const void* line, Index count, double shift, const double* means,
                           const double* scales, Real* out);

  /// out = (line - shift - means) * scales, for a line of each Scalar, in that order; `line` and
  /// `out` may be the same. The other one rounds to single precision at the end.
  std::array<Prepare<double>, kScalars> prepare_double;
  std::array<Prepare<float>, kScalars> prepare_single;

  /// Subtracts shifts[i] and the origin from line i of the strip, which begins at strip + i *
  /// stride, and adds what is left, and its squares, to the sums of each variable.
  void (*measure)(double* strip, Index stride, Index count, std::span<const double> shifts,
                  const double* origin, double* sums, double* squares);

  template <class Real>
  void prepare(Line line, Index count, double shift, const double* means, const double* scales,
               Real* out) const {
    const auto kind = static_cast<std::size_t>(line.scalar);
    if constexpr (std::is_same_v<Real, float>)
      prepare_single[kind](line.data, count, shift, means, scales, out);
    else
      prepare_double[kind](line.data, count, shift, means, scales, out);
  }
  template <class Real>
  void prepare(const double* line, Index count, double shift, const double* means,
               const double* scales, Real* out) const {
    prepare(Line{line, Scalar::float64}, count, shift, means, scales, out);
  }
};

/// All that this processor can run, the plain one first; the last is the one to use.
std::span<const LineKernels> all_line_kernels();
inline const LineKernels& line_kernels() { return all_line_kernels().back(); }

}  // namespace spcart
