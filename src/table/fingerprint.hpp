#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "table/block_reader.hpp"

namespace spcart {

/// A number that depends on every number of a table and on its place, not on whether zeros are
/// stored or on how rows are divided into blocks. It notices every change of a single number, and
/// others with a probability of nearly one; it is no protection against intent.
class Fingerprint {
 public:
  explicit Fingerprint(Index cols);

  void add(const DenseBlock& block);
  void add(const SparseBlock& block);
  std::uint64_t value() const { return value_; }

 private:
  void add_row(Index row, std::uint64_t sum);

  std::vector<std::uint64_t> factors_;  ///< one per column, odd
  std::uint64_t value_ = 0;
};

/// The fingerprint of the first pass over a table, which all others must have.
class SamePasses {
 public:
  /// Throws Error if another pass had a different fingerprint.
  void check(std::uint64_t fingerprint);

 private:
  std::mutex mutex_;
  std::optional<std::uint64_t> first_;
};

}  // namespace spcart
