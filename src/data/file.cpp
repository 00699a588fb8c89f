#include "spcart/file.hpp"

#include "data/file_kinds.hpp"
#include "data/load_dense.hpp"
#include "data/stored/stored.hpp"
#include "table/file_blocks.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

/// T is the type of the numbers in memory.
template <class T>
class DenseFileMatrix final : public StoredMatrix {
 public:
  DenseFileMatrix(const FileView& view, const Preparation& preparation, const Tick& tick,
                  FormGram gram)
      : StoredMatrix(view.rows, view.cols,
                     static_cast<double>(view.rows) * static_cast<double>(view.cols)),
        view_(view) {
    measure(preparation, tick, gram);
  }

 private:
  class FilePass final : public Pass {
   public:
    FilePass(const FileView& view, Along along, Index step)
        : by_row_(along == Along::rows),
          blocks_(view, by_row_ ? FileView::Order::row : FileView::Order::column, step) {}

    void advance(Index first, Index) override {
      if (block_ == nullptr || first >= block_->first + block_->count) block_ = blocks_.next();
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
    bool by_row_;
    DenseBlocks blocks_;
    const DenseBlock* block_ = nullptr;  ///< contains the current panel
  };

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    return std::make_unique<FilePass>(view_, along, step);
  }

  Index panel_bytes() const override { return panel_bytes_of(view_); }

  FileView view_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation,
                                      const Tick& tick) {
  return make_file(view, preparation, tick, FormGram::no);
}

std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation,
                                      const Tick& tick, FormGram gram) {
  check_extent(view);
  if (view.sparse) return make_sparse_file(view, preparation, tick);
  return with_scalar(widened(view.scalar), [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<DenseFileMatrix<T>>(view, preparation, tick, gram);
  });
}

}  // namespace spcart
