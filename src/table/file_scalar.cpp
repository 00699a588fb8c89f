#include "table/file_scalar.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace spcart {
namespace {

static_assert(std::endian::native == std::endian::little);

/// Four of them in a byte.
struct Genotypes {
  std::uint8_t packed;
};

constexpr Index kPerByte = 4;

/// Calls f with a value of the type in the file and one of the type in memory; only their types
/// matter.
template <class F>
decltype(auto) with_types(FileScalar scalar, F&& f) {
  switch (scalar) {
    case FileScalar::uint8:
      return f(std::uint8_t{}, std::uint8_t{});
    case FileScalar::int32:
      return f(std::int32_t{}, std::int32_t{});
    case FileScalar::float32:
      return f(float{}, float{});
    case FileScalar::boolean:
      return f(bool{}, std::uint8_t{});
    case FileScalar::int8:
      return f(std::int8_t{}, std::int32_t{});
    case FileScalar::int16:
      return f(std::int16_t{}, std::int32_t{});
    case FileScalar::uint16:
      return f(std::uint16_t{}, std::int32_t{});
    case FileScalar::uint32:
      return f(std::uint32_t{}, double{});
    case FileScalar::int64:
      return f(std::int64_t{}, double{});
    case FileScalar::uint64:
      return f(std::uint64_t{}, double{});
    case FileScalar::genotype:
      return f(Genotypes{}, double{});
    case FileScalar::float64:
      break;
  }
  return f(double{}, double{});
}

template <class From, class To>
void widen_each(const char* from, std::size_t count, To* out) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<From, bool>) {
      out[i] = from[i] != 0 ? 1 : 0;  // any byte except zero is true
    } else {
      From value;
      std::memcpy(&value, from + i * sizeof(From), sizeof(From));
      out[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a number
    }
  }
}

}  // namespace

std::size_t size_of(Scalar scalar) {
  return scalar == Scalar::uint8 ? 1 : scalar == Scalar::float64 ? 8 : 4;
}

std::size_t size_of(FileScalar scalar) {
  return with_types(scalar, [](auto stored, auto) { return sizeof(stored); });
}

Scalar widened(FileScalar scalar) {
  return with_types(scalar, []<class To>(auto, To) { return scalar_of<To>(); });
}

bool is_kept(FileScalar scalar) {
  return with_types(scalar,
                    []<class From, class To>(From, To) { return std::is_same_v<From, To>; });
}

std::uint64_t line_bytes(FileScalar scalar, Index count) {
  if (scalar == FileScalar::genotype) count = (count + kPerByte - 1) / kPerByte;
  return static_cast<std::uint64_t>(count) * size_of(scalar);
}

template <class Real>
void decode_genotypes(const char* from, Index skipped, Index count,
                      const std::array<Real, 4>& numbers, Real* to) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  const auto number = [&](Index i) {
    return numbers[bytes[i / kPerByte] >> (2 * (i % kPerByte)) & 3U];
  };
  Index i = skipped;
  const Index end = skipped + count;
  for (; i < end && i % kPerByte != 0; ++i) *to++ = number(i);
  for (; i + kPerByte <= end; i += kPerByte, to += kPerByte) {
    const unsigned byte = bytes[i / kPerByte];
    to[0] = numbers[byte & 3U];
    to[1] = numbers[byte >> 2 & 3U];
    to[2] = numbers[byte >> 4 & 3U];
    to[3] = numbers[byte >> 6];
  }
  for (; i < end; ++i) *to++ = number(i);
}

template void decode_genotypes(const char*, Index, Index, const std::array<double, 4>&, double*);
template void decode_genotypes(const char*, Index, Index, const std::array<float, 4>&, float*);

void widen(FileScalar scalar, const char* from, std::size_t count, char* to) {
  with_types(scalar, [&]<class From, class To>(From, To) {
    auto* out = reinterpret_cast<To*>(to);
    if constexpr (std::is_same_v<From, Genotypes>)
      decode_genotypes<To>(from, 0, static_cast<Index>(count),
                           {2, std::numeric_limits<To>::quiet_NaN(), 1, 0}, out);
    else
      widen_each<From>(from, count, out);
  });
}

}  // namespace spcart
