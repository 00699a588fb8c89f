#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spcart/file.hpp"
#include "table/block_reader.hpp"
#include "table/read_ahead.hpp"

namespace spcart {

/// The blocks of a dense table from first to last, of whole rows or of whole columns; each holds a
/// multiple of `step` of them, except the last.
class DenseBlocks final : public BlockReader<DenseBlock> {
 public:
  DenseBlocks(const FileView& view, FileView::Order along, Index step = 1);

  const DenseBlock* next() override { return ahead_.next(); }

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
class SparseBlocks final : public BlockReader<SparseBlock> {
 public:
  explicit SparseBlocks(const FileView& view, Index step = 1);

  const SparseBlock* next() override { return ahead_.next(); }

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
