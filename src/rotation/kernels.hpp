#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/simd.hpp"

namespace spcart {

// The inner loops of rotation and truncation.

/// Number of entries that a kernel may write beyond the last valid one.
inline constexpr std::ptrdiff_t kSpare = 8;

/// Which entries of a rotated loading stay: those above `least`, and of those equal to it the ones
/// from `ties_from` on. The entries that stay are shrunk by `shrink`.
struct Threshold {
  double least = 0;
  std::int32_t ties_from = INT32_MAX;
  double shrink = 0;
};

/// Writes the entries of z[0 .. count) that stay, with their indices counted from `first`, to
/// `rows` and `values`, which must have room for all and kSpare more; returns how many. Adds the
/// squares of the others to `zeroed`.
std::size_t keep_entries(const double* z, std::int32_t first, std::int32_t count,
                         const Threshold& threshold, std::int32_t* rows, double* values,
                         double* zeroed, Simd simd = best_simd());

/// b += sum of values[k] times column rows[k] of the matrix v, whose columns have length r, a
/// multiple of kSpare.
void add_columns(const double* v, std::ptrdiff_t r, const std::int32_t* rows, const double* values,
                 std::size_t count, double* b, Simd simd = best_simd());

/// Scales the entries x of a sparse vector and returns |x - y|^2. Indices are ascending.
double scale_and_compare(std::span<const std::int32_t> x_rows, double* x, double scale,
                         std::span<const std::int32_t> y_rows, const double* y,
                         Simd simd = best_simd());

/// How many |z| are below a bound, how many are between it and another, and the sums of squares.
struct SizeSplit {
  std::size_t below = 0, between = 0;
  double energy_below = 0, energy_all = 0;
};

/// Splits z at `low` and `high`. The sizes between are written to `between`, which must have room
/// for all and kSpare more.
SizeSplit split_by_size(const double* z, std::size_t count, double low, double high,
                        double* between, Simd simd = best_simd());

/// z = z (z^2 - c), entry by entry.
void varimax_step(double* z, std::size_t count, double c, Simd simd = best_simd());

}  // namespace spcart
