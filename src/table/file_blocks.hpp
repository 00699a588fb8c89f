#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "spcart/file.hpp"
#include "table/read_ahead.hpp"

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
  char* data() const { return data_.get(); }

 private:
  using Bytes = char[];  // NOLINT(modernize-avoid-c-arrays)
  std::unique_ptr<Bytes> data_;
  std::size_t size_ = 0;
};

/// Rows (or columns) `first` to `first + count - 1` of a table in a file.
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

/// The blocks of a dense table from first to last, of whole rows or of whole columns; each holds a
/// multiple of `step` of them, except the last.
class DenseBlocks {
 public:
  DenseBlocks(const FileView& view, FileView::Order along, Index step = 1);

  const DenseBlock* next() { return ahead_.next(); }

 private:
  bool fill(DenseBlock& block, const std::stop_token& stop);
  void read(DenseBlock& block, const std::stop_token& stop) const;
  std::uint64_t piece_bytes(const DenseBlock& block) const;
  const void* decode(DenseBlock& block) const;

  FileView view_;
  bool by_row_;      ///< blocks are of whole rows
  bool contiguous_;  ///< a block is contiguous in the file
  Index length_;     ///< of a line
  Index lines_;      ///< number in a block
  Index first_ = 0;  ///< line that is read next
  ReadAhead<DenseBlock> ahead_;
};

/// The same for the rows of a sparse table.
class SparseBlocks {
 public:
  explicit SparseBlocks(const FileView& view, Index step = 1);

  const SparseBlock* next() { return ahead_.next(); }

 private:
  bool fill(SparseBlock& block);
  void read_offsets();
  void read_entries(SparseBlock& block);

  FileView view_;
  Index step_;
  Index most_entries_;                 ///< maximum in a block of more than one step
  Index first_ = 0;                    ///< row that is read next
  Index window_ = 0;                   ///< row of the first offset
  std::vector<std::int64_t> offsets_;  ///< of the rows, and the end of the last one
  ReadAhead<SparseBlock> ahead_;
};

/// Some columns of a dense table that is stored by columns, in ascending order.
FileView selected_columns(FileView view, std::span<const Index> columns);

/// The bytes of genotypes that are stored by columns, four in each.
FileView packed_genotypes(FileView view);

/// Throws Error if the file is too short for the view.
void check_extent(const FileView& view);

}  // namespace spcart
