#pragma once

#include <memory>
#include <utility>

#include "data/load_dense.hpp"
#include "data/stored/stored.hpp"
#include "table/block_reader.hpp"

namespace spcart {

/// A dense table that is read in blocks, once for every product; T is the type of the numbers in
/// memory.
template <class T>
class DenseBlockMatrix : public StoredMatrix {
 protected:
  DenseBlockMatrix(Index rows, Index cols)
      : StoredMatrix(rows, cols, static_cast<double>(rows) * static_cast<double>(cols)) {}

  class BlockPass final : public Pass {
   public:
    /// Each block holds a multiple of the pass's step, except the last.
    BlockPass(std::unique_ptr<BlockReader<DenseBlock>> blocks, Along along)
        : blocks_(std::move(blocks)), by_row_(along == Along::rows) {}

    void advance(Index first, Index) override {
      if (block_ == nullptr || first >= block_->first + block_->count) block_ = blocks_->next();
    }

    void load(Index row, Index col, Block tile) const override {
      (by_row_ ? row : col) -= block_->first;
      load_dense<T>(block_->values, row, col, tile);
    }

    Line line(Index row, Index col) const override {
      (by_row_ ? row : col) -= block_->first;
      return line_of<T>(block_->values, row, col);
    }

   private:
    std::unique_ptr<BlockReader<DenseBlock>> blocks_;
    bool by_row_;
    const DenseBlock* block_ = nullptr;  ///< contains the current panel
  };
};

}  // namespace spcart
