#pragma once

#include <memory>

#include "spcart/row_source.hpp"
#include "table/block_reader.hpp"
#include "table/fingerprint.hpp"
#include "table/read_ahead.hpp"

namespace spcart {

/// The samples of a source, one pass from first to last, whatever the sizes of its blocks.
class SourceRows {
 public:
  SourceRows(const RowSource& source, std::shared_ptr<SamePasses> passes)
      : source_(source), passes_(std::move(passes)), fingerprint_(source.cols) {}

  Index first() const { return first_; }  ///< sample that comes next
  bool ended() const { return first_ == source_.rows; }

  /// Visits at most `count` samples: calls visit(view, first row in it, number of rows), several
  /// times if they are in several blocks.
  template <class View, class Visit>
  void take(Index count, Visit visit) {
    while (count > 0) {
      const auto& view = current<View>();
      const Index rows = std::min(view.rows - used_, count);
      visit(view, used_, rows);
      used_ += rows;
      first_ += rows;
      count -= rows;
    }
  }

  /// To be called when a block is filled; after the last one the pass is compared with others.
  template <class Block>
  void filled(const Block& block) {
    fingerprint_.add(block);
    if (ended()) finish();
  }

 private:
  template <class View>
  const View& current();
  void advance();
  void finish();

  const RowSource& source_;
  std::shared_ptr<SamePasses> passes_;
  Fingerprint fingerprint_;
  RowSource::NextBlock next_;
  std::optional<RowBlock> block_;
  Index used_ = 0;  ///< rows of the block
  Index first_ = 0;
};

/// A source and what its passes share.
struct CheckedSource {
  explicit CheckedSource(RowSource given);

  RowSource source;
  std::shared_ptr<SamePasses> passes = std::make_shared<SamePasses>();
};

/// The blocks of a dense source; each holds a multiple of `step` samples, except the last.
class DenseSourceBlocks final : public BlockReader<DenseBlock> {
 public:
  explicit DenseSourceBlocks(const CheckedSource& checked, Index step = 1);

  const DenseBlock* next() override { return ahead_.next(); }

 private:
  bool fill(DenseBlock& block);

  const RowSource& source_;
  SourceRows rows_;
  Index lines_;  ///< samples in a block
  ReadAhead<DenseBlock> ahead_;
};

/// The same for a sparse source.
class SparseSourceBlocks final : public BlockReader<SparseBlock> {
 public:
  explicit SparseSourceBlocks(const CheckedSource& checked, Index step = 1);

  const SparseBlock* next() override { return ahead_.next(); }

 private:
  bool fill(SparseBlock& block);
  template <class T, class I>
  void append(const SparseView& view, Index row, Index count, SparseBlock& block) const;

  const RowSource& source_;
  SourceRows rows_;
  Index step_;
  std::size_t most_entries_;  ///< maximum in a block of more than one step
  ReadAhead<SparseBlock> ahead_;
};

}  // namespace spcart
