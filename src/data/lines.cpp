#include "data/lines.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define SPCART_X86 1
#endif

// The bodies below are inlined into one copy a processor kind.
#define SPCART_INLINE [[gnu::always_inline]] inline

namespace spcart {
namespace {

template <class T, class Real>
SPCART_INLINE void prepare_body(const void* line, Index count, double shift, const double* means,
                                const double* scales, Real* out) {
  const T* from = static_cast<const T*>(line);
#pragma GCC ivdep
  for (Index j = 0; j < count; ++j)
    out[j] = static_cast<Real>((static_cast<double>(from[j]) - shift - means[j]) * scales[j]);
}

/// kParts registers hold as many variables of each sum while all samples pass by.
template <int kBytes, int kParts>
SPCART_INLINE void measure_part(double* strip, Index stride, std::span<const double> shifts,
                                const double* origin, double* sums_to, double* squares_to) {
  using Register [[gnu::vector_size(kBytes)]] = double;
  constexpr Index kWidth = kBytes / sizeof(double);
  Register about[kParts], sums[kParts], squares[kParts];  // NOLINT(modernize-avoid-c-arrays)
  for (int part = 0; part < kParts; ++part) {
    std::memcpy(&about[part], origin + part * kWidth, kBytes);
    std::memcpy(&sums[part], sums_to + part * kWidth, kBytes);
    std::memcpy(&squares[part], squares_to + part * kWidth, kBytes);
  }
  for (const double shift : shifts) {
#pragma GCC unroll 4
    for (int part = 0; part < kParts; ++part) {
      Register x;
      std::memcpy(&x, strip + part * kWidth, kBytes);
      x = x - shift - about[part];
      sums[part] += x;
      squares[part] += x * x;
      std::memcpy(strip + part * kWidth, &x, kBytes);
    }
    strip += stride;
  }
  for (int part = 0; part < kParts; ++part) {
    std::memcpy(sums_to + part * kWidth, &sums[part], kBytes);
    std::memcpy(squares_to + part * kWidth, &squares[part], kBytes);
  }
}

template <int kBytes>
SPCART_INLINE void measure_body(double* strip, Index stride, Index count,
                                std::span<const double> shifts, const double* origin, double* sums,
                                double* squares) {
  constexpr int kParts = 4;
  constexpr Index kStep = kParts * kBytes / sizeof(double);
  Index j = 0;
  for (; j + kStep <= count; j += kStep)
    measure_part<kBytes, kParts>(strip + j, stride, shifts, origin + j, sums + j, squares + j);
  for (; j < count; ++j)
    measure_part<sizeof(double), 1>(strip + j, stride, shifts, origin + j, sums + j, squares + j);
}

#define SPCART_LINE_KERNELS(space, bytes, target)                                               \
  namespace space {                                                                             \
  template <class T, class Real>                                                                \
  target void prepare(const void* line, Index count, double shift, const double* means,         \
                      const double* scales, Real* out) {                                        \
    prepare_body<T>(line, count, shift, means, scales, out);                                    \
  }                                                                                             \
  template <class Real>                                                                         \
  constexpr std::array<LineKernels::Prepare<Real>, kScalars> kPrepare{                          \
      prepare<std::uint8_t, Real>, prepare<std::int32_t, Real>, prepare<float, Real>,           \
      prepare<double, Real>};                                                                   \
  target void measure(double* strip, Index stride, Index count, std::span<const double> shifts, \
                      const double* origin, double* sums, double* squares) {                    \
    measure_body<bytes>(strip, stride, count, shifts, origin, sums, squares);                   \
  }                                                                                             \
  constexpr LineKernels kAll{#space, kPrepare<double>, kPrepare<float>, measure};               \
  }

SPCART_LINE_KERNELS(plain, 16, )
#ifdef SPCART_X86
SPCART_LINE_KERNELS(avx2, 32, [[gnu::target("avx2,fma")]])
#endif

std::vector<LineKernels> supported() {
  std::vector<LineKernels> found{plain::kAll};
#ifdef SPCART_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(avx2::kAll);
#endif
  return found;
}

}  // namespace

std::span<const LineKernels> all_line_kernels() {
  static const std::vector<LineKernels> found = supported();
  return found;
}

}  // namespace spcart
