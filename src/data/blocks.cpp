#include <utility>

#include "data/block_kinds.hpp"
#include "data/load_dense.hpp"
#include "data/stored/stored.hpp"
#include "table/file_blocks.hpp"
#include "table/source_blocks.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

using Order = FileView::Order;

/// A dense table that is read in blocks, once for every product.
struct DenseLines {
  Index rows = 0, cols = 0;
  std::uint64_t memory = 0;  ///< bytes that the buffers of one pass may use
  bool has_columns = false;  ///< blocks of whole columns can be read, too
  /// Begins a pass. Each block holds a multiple of `step` rows (or columns), except the last.
  std::function<std::unique_ptr<BlockReader<DenseBlock>>(Order along, Index step)> open;
};

/// T is the type of the numbers in memory.
template <class T>
class DenseBlockMatrix final : public StoredMatrix {
 public:
  DenseBlockMatrix(DenseLines lines, const Preparation& preparation, const Tick& tick,
                   FormGram gram)
      : StoredMatrix(lines.rows, lines.cols,
                     static_cast<double>(lines.rows) * static_cast<double>(lines.cols)),
        lines_(std::move(lines)) {
    measure(preparation, tick, gram);
  }

 private:
  class BlockPass final : public Pass {
   public:
    BlockPass(std::unique_ptr<BlockReader<DenseBlock>> blocks, bool by_row)
        : blocks_(std::move(blocks)), by_row_(by_row) {}

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

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    const bool by_row = along == Along::rows;
    return std::make_unique<BlockPass>(lines_.open(by_row ? Order::row : Order::column, step),
                                       by_row);
  }

  Index panel_bytes() const override { return panel_bytes_within(lines_.memory); }

  void do_outer_gram(Block g, const Tick& tick) const override {
    lines_.has_columns ? StoredMatrix::do_outer_gram(g, tick) : outer_gram_by_products(g, tick);
  }

  DenseLines lines_;
};

std::unique_ptr<DataMatrix> make_dense_lines(Scalar scalar, DenseLines lines,
                                             const Preparation& preparation, const Tick& tick,
                                             FormGram gram) {
  return with_scalar(scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<DenseBlockMatrix<T>>(std::move(lines), preparation, tick, gram);
  });
}

}  // namespace

std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation,
                                      const Tick& tick) {
  return make_file(view, preparation, tick, FormGram::no);
}

std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation,
                                      const Tick& tick, FormGram gram) {
  check_extent(view);
  if (view.sparse)
    return make_sparse_rows(
        {.rows = view.rows,
         .cols = view.cols,
         .entries = static_cast<double>(view.entries),
         .memory = view.memory,
         .open = [view](Index step) { return std::make_unique<SparseBlocks>(view, step); }},
        preparation, tick);
  return make_dense_lines(
      widened(view.scalar),
      {.rows = view.rows,
       .cols = view.cols,
       .memory = view.memory,
       .has_columns = true,
       .open = [view](Order along,
                      Index step) { return std::make_unique<DenseBlocks>(view, along, step); }},
      preparation, tick, gram);
}

std::unique_ptr<DataMatrix> make_rows(const RowSource& source, const Preparation& preparation,
                                      const Tick& tick) {
  return make_rows(source, preparation, tick, FormGram::no);
}

std::unique_ptr<DataMatrix> make_rows(const RowSource& source, const Preparation& preparation,
                                      const Tick& tick, FormGram gram) {
  const auto checked = std::make_shared<const CheckedSource>(source);
  if (source.sparse)
    return make_sparse_rows(
        {.rows = source.rows,
         .cols = source.cols,
         .entries = entries_of(source),
         .memory = source.memory,
         .open = [checked](
                     Index step) { return std::make_unique<SparseSourceBlocks>(*checked, step); }},
        preparation, tick);
  return make_dense_lines(source.scalar,
                          {.rows = source.rows,
                           .cols = source.cols,
                           .memory = source.memory,
                           .open =
                               [checked](Order, Index step) {
                                 return std::make_unique<DenseSourceBlocks>(*checked, step);
                               }},
                          preparation, tick, gram);
}

double entries_of(const RowSource& source) {
  constexpr double kTypical = 0.1;  // fraction of nonzeros, if nothing is known
  const double all = static_cast<double>(source.rows) * static_cast<double>(source.cols);
  if (!source.sparse) return all;
  return source.entries > 0 ? std::min(source.entries, all) : kTypical * all;
}

}  // namespace spcart
