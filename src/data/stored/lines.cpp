#include "data/stored/lines.hpp"

#include "table/with_scalar.hpp"

namespace spcart {
namespace {

template <class T, class Real>
[[gnu::always_inline]] inline void prepare(const void* line, Index count, double shift,
                                           const double* means, const double* scales, Real* out) {
  const T* from = static_cast<const T*>(line);
#pragma omp simd
  for (Index j = 0; j < count; ++j)
    out[j] = static_cast<Real>((static_cast<double>(from[j]) - shift - means[j]) * scales[j]);
}

template <Index kCount>
using Doubles = Lanes<double, kCount * sizeof(double)>;

/// kParts registers of kCount numbers hold as many variables of each sum while all samples are
/// read.
template <Index kCount, Index kParts>
[[gnu::always_inline]] inline void measure_part(double* strip, Index stride,
                                                std::span<const double> shifts,
                                                const double* origin, double* sums_to,
                                                double* squares_to) {
  constexpr Index kBytes = Doubles<kCount>::kBytes;
  using Register = typename Doubles<kCount>::Type;
  Register about[kParts], sums[kParts], squares[kParts];  // NOLINT(modernize-avoid-c-arrays)
  for (Index part = 0; part < kParts; ++part) {
    about[part] = lanes<kBytes>(origin + part * kCount);
    sums[part] = lanes<kBytes>(sums_to + part * kCount);
    squares[part] = lanes<kBytes>(squares_to + part * kCount);
  }
  for (const double shift : shifts) {
#pragma GCC unroll 4
    for (Index part = 0; part < kParts; ++part) {
      Register& at = lanes<kBytes>(strip + part * kCount);
      const Register x = at - shift - about[part];
      sums[part] += x;
      squares[part] += x * x;
      at = x;
    }
    strip += stride;
  }
  for (Index part = 0; part < kParts; ++part) {
    lanes<kBytes>(sums_to + part * kCount) = sums[part];
    lanes<kBytes>(squares_to + part * kCount) = squares[part];
  }
}

}  // namespace

template <class Real>
void prepare_line(Line line, Index count, double shift, const double* means, const double* scales,
                  Real* out, Simd simd) {
  with_scalar(line.scalar, [&]<class T>(T) {
    call_vectorized(
        [=]() __attribute__((always_inline)) {
          prepare<T>(line.data, count, shift, means, scales, out);
        },
        simd);
  });
}

template void prepare_line(Line, Index, double, const double*, const double*, double*, Simd);
template void prepare_line(Line, Index, double, const double*, const double*, float*, Simd);

void measure_strip(double* strip, Index stride, Index count, std::span<const double> shifts,
                   const double* origin, double* sums, double* squares, Simd simd) {
  const auto measure = [=]() __attribute__((always_inline)) {
    constexpr Index kRegister = Lanes<double>::kCount, kParts = 4, kStep = kParts * kRegister;
    Index j = 0;
    for (; j + kStep <= count; j += kStep)
      measure_part<kRegister, kParts>(strip + j, stride, shifts, origin + j, sums + j, squares + j);
    for (; j < count; ++j)
      measure_part<1, 1>(strip + j, stride, shifts, origin + j, sums + j, squares + j);
  };
  call_vectorized(measure, simd);
}

}  // namespace spcart
