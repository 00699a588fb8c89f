#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/cache.hpp"
#include "io/spool/growing_array.hpp"

namespace spcart::io {

/// Writes one part of a file sequentially.
class FileStream {
 public:
  FileStream(const TemporaryFile& file, std::uint64_t offset) : file_(file), next_(offset) {}

  void put(const void* data, std::size_t count) {
    const auto* bytes = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), bytes, bytes + count);
    if (buffer_.size() >= kFull) flush();
  }

  void flush() {
    file_.write_at(next_, buffer_.data(), buffer_.size());
    next_ += buffer_.size();
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 22;

  const TemporaryFile& file_;
  std::uint64_t next_;
  std::vector<char> buffer_;
};

/// The numbers of a dense table as they are read: in memory as long as there is room, then in a
/// file.
class NumberSpool {
 public:
  NumberSpool(Cache& cache, Scalar scalar, Index cols);

  /// Appends `count` uninitialised numbers, and returns their address; they must be set before the
  /// next call.
  char* extend(std::size_t count) {
    const std::size_t bytes = count * size_;
    if (values_.size() + bytes > room_) flush();
    count_ += count;
    return values_.extend(bytes);
  }

  std::size_t count() const { return count_; }

  /// Reserves this many bytes for data that comes with the numbers and stays in memory. Throws
  /// Error if there is not enough memory for that data.
  void make_room(std::size_t bytes);

  /// The appended numbers as a table, each row or each column contiguous. The spool must not be
  /// used afterwards.
  decltype(Table::values) finish(Index rows, Index cols, FileView::Order order);

 private:
  void flush();

  Cache& cache_;
  Scalar scalar_;
  std::size_t size_;  ///< of a number
  std::uint64_t whole_room_;
  std::uint64_t room_;        ///< for numbers in memory
  std::uint64_t others_ = 0;  ///< bytes reserved by make_room
  std::size_t count_ = 0;
  GrowingArray<char> values_;
  std::unique_ptr<TemporaryFile> file_;  ///< once they are too many for memory
  std::uint64_t next_ = kCacheHeader;    ///< offset of the next one
};

/// Bytes that the entries of a sparse table may use in memory beside the offsets of its rows and
/// what others have reserved; at least what sorting a useful run takes.
std::uint64_t room_for_entries(const Cache& cache, Index rows, Index cols, std::uint64_t reserved);

/// Writes a sparse table to a file of the cache, entry by entry in order.
class SparseWriter {
 public:
  SparseWriter(Cache& cache, Index rows, Index cols, std::uint64_t most_entries);

  /// Appends an entry: after the last one in the same row, or in a later row.
  void put(Index row, std::int32_t col, double value);

  FileView finish();

 private:
  void begin_rows(Index end);

  Cache& cache_;
  FileView layout_;
  std::unique_ptr<TemporaryFile> file_;
  FileStream outer_, inner_, values_;
  Index begun_ = 0;  ///< rows whose offsets are written
};

}  // namespace spcart::io
