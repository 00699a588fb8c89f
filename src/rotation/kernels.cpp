#include "rotation/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace spcart {
namespace {

/// Sums are computed in this many parts, so that a compiler may vectorise them.
constexpr std::size_t kLanes = 8;

[[gnu::always_inline]] inline double sum_of(const double* parts) {
  double sum = 0;
  for (std::size_t l = 0; l < kLanes; ++l) sum += parts[l];
  return sum;
}

[[gnu::always_inline]] inline double squares_up_to(const double* z, std::size_t count,
                                                   double most) {
  std::array<double, kLanes> sums{};
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l)
      sums[l] += std::abs(z[j + l]) <= most ? z[j + l] * z[j + l] : 0.0;
  for (; j < count; ++j) sums[0] += std::abs(z[j]) <= most ? z[j] * z[j] : 0.0;
  return sum_of(sums.data());
}

[[gnu::always_inline]] inline std::size_t keep_body(const double* z, std::int32_t first,
                                                    std::int32_t count, const Threshold& t,
                                                    std::int32_t* rows, double* values,
                                                    double* zeroed) {
  *zeroed += squares_up_to(z, static_cast<std::size_t>(count), t.least);
  std::size_t kept = 0;
  for (std::int32_t j = 0; j < count; ++j) {
    rows[kept] = first + j;
    values[kept] = z[j];
    kept += std::abs(z[j]) > t.least ? 1 : 0;
  }
  if (t.shrink != 0)
    for (std::size_t k = 0; k < kept; ++k)
      values[k] = std::copysign(std::abs(values[k]) - t.shrink, values[k]);
  return kept;
}

/// Ties, some of which stay: rare, and not worth a fast loop.
std::size_t keep_with_ties(const double* z, std::int32_t first, std::int32_t count,
                           const Threshold& t, std::int32_t* rows, double* values, double* zeroed) {
  std::size_t kept = 0;
  for (std::int32_t j = 0; j < count; ++j) {
    const double size = std::abs(z[j]);
    if (size > t.least || (size == t.least && first + j >= t.ties_from)) {
      rows[kept] = first + j;
      values[kept++] = z[j];
    } else {
      *zeroed += z[j] * z[j];
    }
  }
  return kept;
}

/// kParts registers hold as many entries of the sum, in kChains independent sums of every
/// kChains-th column: a single sum would be limited by its latency.
template <Index kBytes, int kParts, std::size_t kChains>
[[gnu::always_inline]] inline void add_columns_part(const double* v, std::ptrdiff_t r,
                                                    const std::int32_t* rows, const double* values,
                                                    std::size_t count, double* b) {
  using Register = Lanes<double, kBytes>;
  typename Register::Type sums[kChains][kParts] = {};  // NOLINT(modernize-avoid-c-arrays)
  const auto add = [&](std::size_t k, std::size_t chain) __attribute__((always_inline)) {
    const double* column = v + rows[k] * r;
#pragma GCC unroll 8
    for (int part = 0; part < kParts; ++part)
      // NOLINTNEXTLINE(modernize-avoid-c-arrays)
      sums[chain][part] += values[k] * lanes<kBytes>(column + part * Register::kCount);
  };
  std::size_t k = 0;
  for (; k + kChains <= count; k += kChains) {
#pragma GCC unroll 8
    for (std::size_t chain = 0; chain < kChains; ++chain) add(k + chain, chain);
  }
  for (; k < count; ++k) add(k, 0);
  for (int part = 0; part < kParts; ++part) {
    for (std::size_t chain = 1; chain < kChains; ++chain) sums[0][part] += sums[chain][part];
    lanes<kBytes>(b + part * Register::kCount) += sums[0][part];
  }
}

template <Index kBytes>
[[gnu::always_inline]] inline void add_columns_body(const double* v, std::ptrdiff_t r,
                                                    const std::int32_t* rows, const double* values,
                                                    std::size_t count, double* b) {
  constexpr std::ptrdiff_t kWidth = Lanes<double, kBytes>::kCount;
  std::ptrdiff_t i = 0;
  for (; i + 8 * kWidth <= r; i += 8 * kWidth)
    add_columns_part<kBytes, 8, 1>(v + i, r, rows, values, count, b + i);
  for (; i + 4 * kWidth <= r; i += 4 * kWidth)
    add_columns_part<kBytes, 4, 2>(v + i, r, rows, values, count, b + i);
  for (; i + 2 * kWidth <= r; i += 2 * kWidth)
    add_columns_part<kBytes, 2, 4>(v + i, r, rows, values, count, b + i);
  for (; i < r; i += kWidth) add_columns_part<kBytes, 1, 8>(v + i, r, rows, values, count, b + i);
}

/// Most entries have the same index as in the last iteration, so that runs of them are compared at
/// once.
[[gnu::always_inline]] inline double compare_body(std::span<const std::int32_t> x_rows, double* x,
                                                  double scale,
                                                  std::span<const std::int32_t> y_rows,
                                                  const double* y) {
  constexpr std::size_t kRun = 2 * kLanes;
  std::array<double, kRun> sums{};
  double apart = 0;
  std::size_t j = 0, k = 0;
  const auto same_run = [&] {
    if (j + kRun > x_rows.size() || k + kRun > y_rows.size()) return false;
    std::int32_t different = 0;
    for (std::size_t l = 0; l < kRun; ++l) different |= x_rows[j + l] ^ y_rows[k + l];
    return different == 0;
  };
  while (j < x_rows.size()) {
    if (same_run()) {
      for (std::size_t l = 0; l < kRun; ++l) {
        x[j + l] *= scale;
        const double difference = x[j + l] - y[k + l];
        sums[l] += difference * difference;
      }
      j += kRun;
      k += kRun;
      continue;
    }
    for (const std::size_t end = std::min(j + kRun, x_rows.size()); j < end; ++j) {
      x[j] *= scale;
      for (; k < y_rows.size() && y_rows[k] < x_rows[j]; ++k) apart += y[k] * y[k];
      const bool both = k < y_rows.size() && y_rows[k] == x_rows[j];
      const double difference = x[j] - (both ? y[k++] : 0.0);
      apart += difference * difference;
    }
  }
  for (; k < y_rows.size(); ++k) apart += y[k] * y[k];
  for (const double sum : sums) apart += sum;
  return apart;
}

[[gnu::always_inline]] inline SizeSplit split_body(const double* z, std::size_t count, double low,
                                                   double high, double* between) {
  std::array<double, kLanes> all{}, below{}, number{};
  std::size_t j = 0;
  const auto add = [&](std::size_t lane, double value) {
    const bool is_below = std::abs(value) < low;
    all[lane] += value * value;
    below[lane] += is_below ? value * value : 0.0;
    number[lane] += is_below ? 1.0 : 0.0;
  };
  for (; j + kLanes <= count; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) add(l, z[j + l]);
  for (; j < count; ++j) add(0, z[j]);

  SizeSplit s;
  s.energy_all = sum_of(all.data());
  s.energy_below = sum_of(below.data());
  s.below = static_cast<std::size_t>(sum_of(number.data()));
  for (j = 0; j < count; ++j) {
    const double size = std::abs(z[j]);
    between[s.between] = size;
    s.between += size >= low && size < high ? 1 : 0;
  }
  return s;
}

[[gnu::always_inline]] inline void varimax_body(double* z, std::size_t count, double c) {
  for (std::size_t j = 0; j < count; ++j) z[j] *= z[j] * z[j] - c;
}

#ifdef __x86_64__
// Compilers do not recognise a plain loop as a compressing store.

SPCART_AVX512 double sum_of(__m512d lanes) {
  std::array<double, kLanes> parts{};
  _mm512_storeu_pd(parts.data(), lanes);
  return sum_of(parts.data());
}

SPCART_AVX512 std::size_t keep_avx512(const double* z, std::int32_t first, std::int32_t count,
                                      const Threshold& t, std::int32_t* rows, double* values,
                                      double* zeroed) {
  const __m512d least = _mm512_set1_pd(t.least), shrink = _mm512_set1_pd(t.shrink);
  const __m512d sign = _mm512_set1_pd(-0.0);
  __m512d squares = _mm512_setzero_pd();
  __m256i index =
      _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  std::size_t kept = 0;
  for (std::int32_t j = 0; j < count; j += 8) {
    const auto inside = static_cast<__mmask8>(count - j < 8 ? (1 << (count - j)) - 1 : 0xff);
    const __m512d entry = _mm512_maskz_loadu_pd(inside, z + j), size = _mm512_abs_pd(entry);
    const __mmask8 stays = _mm512_mask_cmp_pd_mask(inside, size, least, _CMP_GT_OQ);
    squares = _mm512_mask3_fmadd_pd(entry, entry, squares, static_cast<__mmask8>(~stays));
    const __m512d value = _mm512_or_pd(_mm512_sub_pd(size, shrink), _mm512_and_pd(entry, sign));
    _mm512_storeu_pd(values + kept, _mm512_maskz_compress_pd(stays, value));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows + kept),
                        _mm256_maskz_compress_epi32(stays, index));
    index = _mm256_add_epi32(index, _mm256_set1_epi32(8));
    kept += static_cast<std::size_t>(__builtin_popcount(stays));
  }
  *zeroed += sum_of(squares);
  return kept;
}

SPCART_AVX512 SizeSplit split_avx512(const double* z, std::size_t count, double low, double high,
                                     double* between) {
  const __m512d lower = _mm512_set1_pd(low), upper = _mm512_set1_pd(high);
  __m512d all = _mm512_setzero_pd(), below = all;
  SizeSplit s;
  for (std::size_t j = 0; j < count; j += 8) {
    const auto inside = static_cast<__mmask8>(count - j < 8 ? (1 << (count - j)) - 1 : 0xff);
    const __m512d entry = _mm512_maskz_loadu_pd(inside, z + j), size = _mm512_abs_pd(entry);
    const __mmask8 is_below = _mm512_mask_cmp_pd_mask(inside, size, lower, _CMP_LT_OQ);
    const __mmask8 is_between =
        _mm512_mask_cmp_pd_mask(static_cast<__mmask8>(inside & ~is_below), size, upper, _CMP_LT_OQ);
    all = _mm512_fmadd_pd(entry, entry, all);
    below = _mm512_mask3_fmadd_pd(entry, entry, below, is_below);
    _mm512_storeu_pd(between + s.between, _mm512_maskz_compress_pd(is_between, size));
    s.below += static_cast<std::size_t>(__builtin_popcount(is_below));
    s.between += static_cast<std::size_t>(__builtin_popcount(is_between));
  }
  s.energy_all = sum_of(all);
  s.energy_below = sum_of(below);
  return s;
}
#endif

}  // namespace

std::size_t keep_entries(const double* z, std::int32_t first, std::int32_t count,
                         const Threshold& threshold, std::int32_t* rows, double* values,
                         double* zeroed, Simd simd) {
  if (threshold.ties_from < first + count)
    return keep_with_ties(z, first, count, threshold, rows, values, zeroed);
#ifdef __x86_64__
  if (simd == Simd::avx512) return keep_avx512(z, first, count, threshold, rows, values, zeroed);
#endif
  return call_vectorized(
      [&]() __attribute__((always_inline)) {
        return keep_body(z, first, count, threshold, rows, values, zeroed);
      },
      simd);
}

void add_columns(const double* v, std::ptrdiff_t r, const std::int32_t* rows, const double* values,
                 std::size_t count, double* b, Simd simd) {
  call_widest(
      [&]<Index kBytes>(RegisterBytes<kBytes>) __attribute__((always_inline)) {
        add_columns_body<kBytes>(v, r, rows, values, count, b);
      },
      simd);
}

double scale_and_compare(std::span<const std::int32_t> x_rows, double* x, double scale,
                         std::span<const std::int32_t> y_rows, const double* y, Simd simd) {
  return call_vectorized(
      [&]() __attribute__((always_inline)) { return compare_body(x_rows, x, scale, y_rows, y); },
      simd);
}

SizeSplit split_by_size(const double* z, std::size_t count, double low, double high,
                        double* between, Simd simd) {
#ifdef __x86_64__
  if (simd == Simd::avx512) return split_avx512(z, count, low, high, between);
#endif
  return call_vectorized(
      [&]() __attribute__((always_inline)) { return split_body(z, count, low, high, between); },
      simd);
}

void varimax_step(double* z, std::size_t count, double c, Simd simd) {
  call_widest(
      [=](auto) __attribute__((always_inline)) { varimax_body(z, count, c); }, simd);
}

}  // namespace spcart
