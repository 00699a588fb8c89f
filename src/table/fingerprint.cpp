#include "table/fingerprint.hpp"

#include <bit>

#include "spcart/error.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

/// A bijection that changes about half of all bits if one changes (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Zero for both zeros.
template <class T>
std::uint64_t bits_of(T value) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0);
}

}  // namespace

Fingerprint::Fingerprint(Index cols) : factors_(static_cast<std::size_t>(cols)) {
  std::uint64_t state = 0;
  for (std::uint64_t& factor : factors_) factor = mixed(state += kStep) | 1;
}

void Fingerprint::add_row(Index row, std::uint64_t sum) {
  value_ += mixed(sum + (static_cast<std::uint64_t>(row) + 1) * kStep);
}

void Fingerprint::add(const DenseBlock& block) {
  const DenseView& view = block.values;
  with_scalar(view.scalar, [&]<class T>(T) {
    for (Index i = 0; i < view.rows; ++i) {
      const T* row = static_cast<const T*>(view.data) + i * view.row_stride;
      std::uint64_t sum = 0;
      for (Index j = 0; j < view.cols; ++j)
        sum += bits_of(row[j * view.col_stride]) * factors_[static_cast<std::size_t>(j)];
      add_row(block.first + i, sum);
    }
  });
}

void Fingerprint::add(const SparseBlock& block) {
  const SparseView& view = block.values;
  const auto* inner = static_cast<const std::int32_t*>(view.inner);
  with_scalar(view.scalar, [&]<class T>(T) {
    for (Index i = 0; i < view.rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::uint64_t sum = 0;
      for (std::int32_t k = block.outer[at]; k < block.outer[at + 1]; ++k)
        sum += bits_of(static_cast<const T*>(view.values)[k]) *
               factors_[static_cast<std::size_t>(inner[k])];
      add_row(block.first + i, sum);
    }
  });
}

void SamePasses::check(std::uint64_t fingerprint) {
  const std::scoped_lock lock(mutex_);
  if (!first_) first_ = fingerprint;
  if (*first_ != fingerprint)
    throw Error(
        "the source of samples does not give the same numbers in every pass: they must not depend "
        "on random numbers without a seed, on the time, or on what other passes have used up");
}

}  // namespace spcart
