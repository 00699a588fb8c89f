#include <stdexcept>

#include "data/block_kinds.hpp"
#include "data/dense_blocks.hpp"
#include "table/source_blocks.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

template <class T>
class DenseSourceMatrix final : public DenseBlockMatrix<T> {
 public:
  DenseSourceMatrix(const RowSource& source, const Preparation& preparation, const Tick& tick,
                    FormGram gram)
      : DenseBlockMatrix<T>(source.rows, source.cols), checked_(source) {
    this->measure(preparation, tick, gram);
  }

 private:
  using Base = DenseBlockMatrix<T>;
  using typename Base::Along;
  using typename Base::BlockPass;
  using typename Base::Pass;

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    if (along != Along::rows) throw std::logic_error("a source is read by rows");
    return std::make_unique<BlockPass>(std::make_unique<DenseSourceBlocks>(checked_, step), along);
  }

  Index panel_bytes() const override { return panel_bytes_within(checked_.source.memory); }

  void do_outer_gram(Block g, const Tick& tick) const override {
    this->outer_gram_by_products(g, tick);
  }

  CheckedSource checked_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_rows(const RowSource& source, const Preparation& preparation,
                                      const Tick& tick) {
  return make_rows(source, preparation, tick, FormGram::no);
}

std::unique_ptr<DataMatrix> make_rows(const RowSource& source, const Preparation& preparation,
                                      const Tick& tick, FormGram gram) {
  if (source.sparse) {
    const auto checked = std::make_shared<const CheckedSource>(source);
    return make_sparse_rows(
        {.rows = source.rows,
         .cols = source.cols,
         .entries = entries_of(source),
         .memory = source.memory,
         .open = [checked](
                     Index step) { return std::make_unique<SparseSourceBlocks>(*checked, step); }},
        preparation, tick);
  }
  return with_scalar(source.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<DenseSourceMatrix<T>>(source, preparation, tick, gram);
  });
}

double entries_of(const RowSource& source) {
  constexpr double kTypical = 0.1;  // fraction of nonzeros, if nothing is known
  const double all = static_cast<double>(source.rows) * static_cast<double>(source.cols);
  if (!source.sparse) return all;
  return source.entries > 0 ? std::min(source.entries, all) : kTypical * all;
}

}  // namespace spcart
