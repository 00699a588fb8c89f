#include "table/file_scalar.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace spcart {
namespace {

static_assert(std::endian::native == std::endian::little);

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
    case FileScalar::float64:
      break;
  }
  return f(double{}, double{});
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

void widen(FileScalar scalar, const char* from, std::size_t count, char* to) {
  with_types(scalar, [&]<class From, class To>(From, To) {
    auto* out = reinterpret_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<From, bool>) {
        out[i] = from[i] != 0 ? 1 : 0;  // any byte except zero is true
      } else {
        From value;
        std::memcpy(&value, from + i * sizeof(From), sizeof(From));
        out[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a number
      }
    }
  });
}

}  // namespace spcart
