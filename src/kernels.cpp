#include "kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define SPCART_X86 1
#include <immintrin.h>
#endif

// The bodies below are plain loops, inlined into one copy a processor kind, where the compiler
// vectorises them for it. Sums are taken in kLanes parts, so that it may.
#define SPCART_INLINE [[gnu::always_inline]] inline

namespace spcart {
namespace {

constexpr std::ptrdiff_t kLanes = 8;

SPCART_INLINE double sum_of(const double* lanes) {
  double sum = 0;
  for (std::ptrdiff_t l = 0; l < kLanes; ++l) sum += lanes[l];
  return sum;
}

SPCART_INLINE double squares_up_to(const double* z, std::ptrdiff_t count, double most) {
  std::array<double, kLanes> lanes{};
  std::ptrdiff_t j = 0;
  for (; j + kLanes <= count; j += kLanes)
    for (std::ptrdiff_t l = 0; l < kLanes; ++l)
      lanes[l] += std::abs(z[j + l]) <= most ? z[j + l] * z[j + l] : 0.0;
  for (; j < count; ++j) lanes[0] += std::abs(z[j]) <= most ? z[j] * z[j] : 0.0;
  return sum_of(lanes.data());
}

SPCART_INLINE std::size_t keep_body(const double* z, std::int32_t first, std::int32_t count,
                                    const Threshold& t, std::int32_t* rows, double* values,
                                    double* zeroed) {
  *zeroed += squares_up_to(z, count, t.least);
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

/// Equal entries, some of which stay: rare, and not worth a fast loop.
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

/// A register of the processor kind.
template <int kBytes>
using Register [[gnu::vector_size(kBytes)]] = double;

/// kParts registers hold as many entries of the sum.
template <int kBytes, int kParts>
SPCART_INLINE void add_columns_part(const double* v, std::ptrdiff_t r, const std::int32_t* rows,
                                    const double* values, std::size_t count, double* b) {
  constexpr std::ptrdiff_t kWidth = kBytes / sizeof(double);
  Register<kBytes> sums[kParts], column;  // NOLINT(modernize-avoid-c-arrays)
  std::memcpy(sums, b, sizeof(sums));
  for (std::size_t k = 0; k < count; ++k) {
#pragma GCC unroll 8
    for (int part = 0; part < kParts; ++part) {
      std::memcpy(&column, v + rows[k] * r + part * kWidth, sizeof(column));
      sums[part] += values[k] * column;
    }
  }
  std::memcpy(b, sums, sizeof(sums));
}

template <int kBytes>
SPCART_INLINE void add_columns_body(const double* v, std::ptrdiff_t r, const std::int32_t* rows,
                                    const double* values, std::size_t count, double* b) {
  constexpr std::ptrdiff_t kWidth = kBytes / sizeof(double);
  std::ptrdiff_t i = 0;
  for (; i + 8 * kWidth <= r; i += 8 * kWidth)
    add_columns_part<kBytes, 8>(v + i, r, rows, values, count, b + i);
  for (; i + 4 * kWidth <= r; i += 4 * kWidth)
    add_columns_part<kBytes, 4>(v + i, r, rows, values, count, b + i);
  for (; i + 2 * kWidth <= r; i += 2 * kWidth)
    add_columns_part<kBytes, 2>(v + i, r, rows, values, count, b + i);
  for (; i < r; i += kWidth) add_columns_part<kBytes, 1>(v + i, r, rows, values, count, b + i);
}

SPCART_INLINE Kernels::Split split_body(const double* z, std::size_t count, double low, double high,
                                        double* between) {
  std::array<double, kLanes> all{}, below{}, number{};
  const auto length = static_cast<std::ptrdiff_t>(count);
  std::ptrdiff_t j = 0;
  const auto add = [&](std::ptrdiff_t lane, double value) {
    const bool is_below = std::abs(value) < low;
    all[lane] += value * value;
    below[lane] += is_below ? value * value : 0.0;
    number[lane] += is_below ? 1.0 : 0.0;
  };
  for (; j + kLanes <= length; j += kLanes)
    for (std::ptrdiff_t l = 0; l < kLanes; ++l) add(l, z[j + l]);
  for (; j < length; ++j) add(0, z[j]);

  Kernels::Split s;
  s.energy_all = sum_of(all.data());
  s.energy_below = sum_of(below.data());
  s.below = static_cast<std::size_t>(sum_of(number.data()));
  for (j = 0; j < length; ++j) {
    const double size = std::abs(z[j]);
    between[s.between] = size;
    s.between += size >= low && size < high ? 1 : 0;
  }
  return s;
}

SPCART_INLINE void ascend_body(double* z, std::size_t count, double c) {
  for (std::size_t j = 0; j < count; ++j) z[j] *= z[j] * z[j] - c;
}

#ifdef SPCART_X86
#define SPCART_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")]]

// Compressing stores have no plain loop that a compiler would recognise.

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
  __m256i place =
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
                        _mm256_maskz_compress_epi32(stays, place));
    place = _mm256_add_epi32(place, _mm256_set1_epi32(8));
    kept += static_cast<std::size_t>(__builtin_popcount(stays));
  }
  *zeroed += sum_of(squares);
  return kept;
}

SPCART_AVX512 Kernels::Split split_avx512(const double* z, std::size_t count, double low,
                                          double high, double* between) {
  const __m512d lower = _mm512_set1_pd(low), upper = _mm512_set1_pd(high);
  __m512d all = _mm512_setzero_pd(), below = all;
  Kernels::Split s;
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

#define SPCART_KERNELS(space, bytes, target, keep_body, split_body)                        \
  namespace space {                                                                        \
  target std::size_t keep(const double* z, std::int32_t first, std::int32_t count,         \
                          const Threshold& t, std::int32_t* rows, double* values,          \
                          double* zeroed) {                                                \
    if (t.ties_from < first + count)                                                       \
      return keep_with_ties(z, first, count, t, rows, values, zeroed);                     \
    return keep_body(z, first, count, t, rows, values, zeroed);                            \
  }                                                                                        \
  target void add_columns(const double* v, std::ptrdiff_t r, const std::int32_t* rows,     \
                          const double* values, std::size_t count, double* b) {            \
    add_columns_body<bytes>(v, r, rows, values, count, b);                                 \
  }                                                                                        \
  target Kernels::Split split(const double* z, std::size_t count, double low, double high, \
                              double* between) {                                           \
    return split_body(z, count, low, high, between);                                       \
  }                                                                                        \
  target void ascend(double* z, std::size_t count, double c) { ascend_body(z, count, c); } \
  constexpr Kernels kAll{#space, keep, add_columns, split, ascend};                        \
  }

SPCART_KERNELS(plain, 16, , keep_body, split_body)
#ifdef SPCART_X86
SPCART_KERNELS(avx2, 32, [[gnu::target("avx2,fma")]], keep_body, split_body)
SPCART_KERNELS(avx512, 64, SPCART_AVX512, keep_avx512, split_avx512)
#endif

std::vector<Kernels> supported() {
  std::vector<Kernels> found{plain::kAll};
#ifdef SPCART_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(avx2::kAll);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    found.push_back(avx512::kAll);
#endif
  return found;
}

}  // namespace

std::span<const Kernels> all_kernels() {
  static const std::vector<Kernels> found = supported();
  return found;
}

}  // namespace spcart
