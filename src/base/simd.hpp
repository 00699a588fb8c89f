#pragma once

#include <type_traits>

#include "spcart/types.hpp"

namespace spcart {

/// Numbers that are processed at once; the compiler splits them if the machine has no registers of
/// that size.
template <class Real, Index kRegisterBytes = 32>
struct Lanes {
  static constexpr Index kBytes = kRegisterBytes, kCount = kBytes / sizeof(Real);
  using Type [[gnu::vector_size(kBytes), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;
};
using Four = Lanes<double>::Type;

template <Index kBytes = 32, class Real>
[[gnu::always_inline]] inline auto& lanes(Real* at) {
  return *reinterpret_cast<typename Lanes<Real, kBytes>::Type*>(at);
}
template <Index kBytes = 32, class Real>
[[gnu::always_inline]] inline const auto& lanes(const Real* at) {
  return *reinterpret_cast<const typename Lanes<Real, kBytes>::Type*>(at);
}

/// The instruction set: the one that every processor of its architecture has, or a wider one. A
/// processor that supports one of them supports all before it.
enum class Simd { plain, avx2, avx512 };

#ifdef __x86_64__
#define SPCART_AVX2 [[gnu::target("avx2,fma")]]
#ifdef __clang__
#define SPCART_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,fma")]]
#else
#define SPCART_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")]]
#endif

inline Simd best_simd() {
  static const Simd best = [] {
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    return !avx2 ? Simd::plain : avx512 ? Simd::avx512 : Simd::avx2;
  }();
  return best;
}
#else
#define SPCART_AVX2
#define SPCART_AVX512

inline Simd best_simd() { return Simd::plain; }
#endif

/// A number of bytes, known when a kernel is compiled.
template <Index kBytes>
using RegisterBytes = std::integral_constant<Index, kBytes>;

template <class Kernel, class... Bytes>
SPCART_AVX2 auto call_avx2(const Kernel& kernel, Bytes... bytes) {
  return kernel(bytes...);
}
template <class Kernel, class... Bytes>
SPCART_AVX512 auto call_avx512(const Kernel& kernel, Bytes... bytes) {
  return kernel(bytes...);
}

/// Calls kernel() with registers of 32 bytes if the machine has them. Wide instructions are used in
/// inlined code only: the kernel's operator() and everything that it calls must be
/// [[gnu::always_inline]].
template <class Kernel>
auto call_vectorized(const Kernel& kernel, Simd simd = best_simd()) {
  return simd == Simd::plain ? kernel() : call_avx2(kernel);
}

/// Calls kernel(RegisterBytes) in the same way, with the widest registers that the machine has: for
/// kernels that gain from them although they slow down some processors.
template <class Kernel>
auto call_widest(const Kernel& kernel, Simd simd = best_simd()) {
  switch (simd) {
    case Simd::avx512:
      return call_avx512(kernel, RegisterBytes<64>{});
    case Simd::avx2:
      return call_avx2(kernel, RegisterBytes<32>{});
    default:
      return kernel(RegisterBytes<16>{});
  }
}

}  // namespace spcart
