#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// Four numbers that are worked on at once; where the machine has no such registers the compiler
/// splits them.
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

[[gnu::always_inline]] inline const Four& four(const double* at) {
  return *reinterpret_cast<const Four*>(at);
}
[[gnu::always_inline]] inline Four& four(double* at) { return *reinterpret_cast<Four*>(at); }

/// Which instructions: those that every machine of its kind has, or wide ones.
enum class Simd { plain, wide };

#ifdef __x86_64__
inline Simd best_simd() {
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return wide ? Simd::wide : Simd::plain;
}

template <class Kernel>
[[gnu::target("avx2,fma")]] void call_wide(const Kernel& kernel) {
  kernel();
}
#else
inline Simd best_simd() { return Simd::plain; }

template <class Kernel>
void call_wide(const Kernel& kernel) {
  kernel();
}
#endif

/// Calls a kernel, with wide instructions where the machine has them. They reach what is inlined
/// only: the kernel's operator() and all that it calls must be [[gnu::always_inline]].
template <class Kernel>
void call_vectorized(const Kernel& kernel, Simd simd = best_simd()) {
  simd == Simd::wide ? call_wide(kernel) : kernel();
}

}  // namespace spcart
