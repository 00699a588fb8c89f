#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// Numbers that are worked on at once; where the machine has no such registers the compiler splits
/// them.
template <class Real>
struct Lanes {
  static constexpr Index kBytes = 32, kCount = kBytes / sizeof(Real);
  using Type [[gnu::vector_size(kBytes), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;
};
using Four = Lanes<double>::Type;

template <class Real>
[[gnu::always_inline]] inline auto& lanes(Real* at) {
  return *reinterpret_cast<typename Lanes<Real>::Type*>(at);
}
template <class Real>
[[gnu::always_inline]] inline const auto& lanes(const Real* at) {
  return *reinterpret_cast<const typename Lanes<Real>::Type*>(at);
}

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
