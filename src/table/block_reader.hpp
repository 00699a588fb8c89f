#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "spcart/views.hpp"

namespace spcart {

/// Uninitialised memory for any type that grows as needed.
class RawBuffer {
 public:
  /// Reserves this many bytes; the content is lost if it grows.
  char* reserve(std::size_t bytes) {
    if (bytes > size_) {
      data_.reset();  // not to hold both at a time
      data_ = std::make_unique_for_overwrite<Bytes>(bytes);
      size_ = bytes;
    }
    return data_.get();
  }
  /// Makes room for that many bytes after the first `used`, which are kept; returns where it is.
  char* extend(std::size_t used, std::size_t bytes) {
    if (used + bytes > size_) {
      const std::size_t size = std::max(used + bytes, 2 * size_);
      auto larger = std::make_unique_for_overwrite<Bytes>(size);
      std::copy_n(data_.get(), used, larger.get());
      data_ = std::move(larger);
      size_ = size;
    }
    return data_.get() + used;
  }
  char* data() const { return data_.get(); }

 private:
  using Bytes = char[];  // NOLINT(modernize-avoid-c-arrays)
  std::unique_ptr<Bytes> data_;
  std::size_t size_ = 0;
};

/// Rows (or columns) `first` to `first + count - 1` of a table that is read in blocks.
struct DenseBlock {
  Index first = 0, count = 0;
  DenseView values;  ///< of the block alone

  RawBuffer stored, kept;
};

struct SparseBlock {
  Index first = 0, count = 0;
  SparseView values;

  std::vector<std::int32_t> outer;
  RawBuffer inner, stored, kept;
};

/// The blocks of a table from first to last.
template <class Block>
class BlockReader {
 public:
  BlockReader() = default;
  virtual ~BlockReader() = default;
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// The next block, or null after the last; the previous one is released.
  virtual const Block* next() = 0;
};

}  // namespace spcart
