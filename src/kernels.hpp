#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace spcart {

/// What stays of a rotated loading: entries above `least`, and of those that equal it the ones from
/// `ties_from` on. Where `shrink` is not zero the entries that stay lose that much of their size.
struct Threshold {
  double least = 0;
  std::int32_t ties_from = INT32_MAX;
  double shrink = 0;
};

/// Entries that a kernel may write beyond the last one that counts.
inline constexpr std::ptrdiff_t kSpare = 8;

/// Inner loops of rotation and truncation, compiled once for each kind of processor.
struct Kernels {
  std::string_view name;

  /// Writes the entries of z[0 .. count) that stay, with their places counted from `first`, to
  /// `rows` and `values`, which must have room for all and kSpare more. Adds to `zeroed` the
  /// squares of the others.
  std::size_t (*keep)(const double* z, std::int32_t first, std::int32_t count,
                      const Threshold& threshold, std::int32_t* rows, double* values,
                      double* zeroed);

  /// b += sum of values[k] times column rows[k] of the matrix v, whose columns have length r, a
  /// multiple of kSpare.
  void (*add_columns)(const double* v, std::ptrdiff_t r, const std::int32_t* rows,
                      const double* values, std::size_t count, double* b);

  /// How many |z| are below `low`, with the sum of their squares; those from there to `high` are
  /// written to `between`, which must have room for all and kSpare more.
  struct Split {
    std::size_t below = 0, between = 0;
    double energy_below = 0, energy_all = 0;
  };
  Split (*split)(const double* z, std::size_t count, double low, double high, double* between);

  /// z = z (z^2 - c), entry by entry.
  void (*ascend)(double* z, std::size_t count, double c);
};

/// All that this processor can run, the plain one first; the last is the one to use.
std::span<const Kernels> all_kernels();
inline const Kernels& kernels() { return all_kernels().back(); }

}  // namespace spcart
