#include "spcart/file.hpp"

#include <array>
#include <limits>
#include <mutex>
#include <vector>

#include "data/block_kinds.hpp"
#include "data/dense_blocks.hpp"
#include "data/resample.hpp"
#include "table/file_blocks.hpp"
#include "table/file_scalar.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

/// Whether whole rows of a file by columns would be read in pieces that are too small. The factor 3
/// is the number of buffers.
bool reads_columns(const FileView& view) {
  if (view.order == FileView::Order::row) return false;
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 14;
  const std::uint64_t used = view.memory / 3 / static_cast<std::uint64_t>(view.cols);
  return line_bytes(view.scalar, static_cast<Index>(used / size_of(widened(view.scalar)))) < kPiece;
}

/// T is the type of the numbers in memory.
template <class T>
class DenseFileMatrix final : public DenseBlockMatrix<T>, private Samples {
 public:
  DenseFileMatrix(const FileView& view, const Preparation& preparation, const Tick& tick,
                  FormGram gram)
      : DenseBlockMatrix<T>(view.rows, view.cols), view_(view) {
    this->measure(preparation, tick, gram);
  }

 private:
  using Base = DenseBlockMatrix<T>;
  using Base::cols;
  using Base::has_gram;
  using Base::inverse_scales;
  using Base::means;
  using Base::preparation;
  using Base::row_means;
  using Base::rows;
  using typename Base::Along;
  using typename Base::BlockPass;
  using typename Base::Pass;

  /// Genotypes by columns, which are decoded and prepared at once.
  class GenotypePass final : public Pass {
   public:
    GenotypePass(const FileView& view, Index step)
        : fill_(view.fill), blocks_(packed_genotypes(view), FileView::Order::column, step) {}

    void advance(Index first, Index) override {
      if (block_ == nullptr || first >= block_->first + block_->count) block_ = blocks_.next();
    }

    void load(Index row, Index col, Block tile) const override {
      constexpr Index kTogether = 64;
      std::array<double, kTogether> some;
      for (Index j = 0; j < tile.rows(); ++j)
        for (Index i = 0; i < tile.cols(); i += kTogether) {
          const Index count = std::min(kTogether, tile.cols() - i);
          prepare(row + i, col + j, count, 0, 1, some.data());
          for (Index k = 0; k < count; ++k) tile(j, i + k) = some[static_cast<std::size_t>(k)];
        }
    }

    bool prepare(Index row, Index col, Index count, double mean, double scale,
                 double* out) const override {
      return decode(row, col, count, mean, scale, out);
    }
    bool prepare(Index row, Index col, Index count, double mean, double scale,
                 float* out) const override {
      return decode(row, col, count, mean, scale, out);
    }

   private:
    template <class Real>
    bool decode(Index row, Index col, Index count, double mean, double scale, Real* out) const {
      const double missing = fill_ ? (*fill_)[static_cast<std::size_t>(col)]
                                   : std::numeric_limits<double>::quiet_NaN();
      const auto prepared = [&](double value) { return static_cast<Real>((value - mean) * scale); };
      const auto* line = static_cast<const char*>(block_->values.data) +
                         (col - block_->first) * block_->values.col_stride;
      decode_genotypes<Real>(line, row, count,
                             {prepared(2), prepared(missing), prepared(1), prepared(0)}, out);
      return true;
    }

    std::shared_ptr<const std::vector<double>> fill_;
    DenseBlocks blocks_;
    const DenseBlock* block_ = nullptr;
  };

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    if (view_.scalar == FileScalar::genotype && along == Along::columns &&
        view_.order == FileView::Order::column)
      return std::make_unique<GenotypePass>(view_, step);
    const auto order = along == Along::rows ? FileView::Order::row : FileView::Order::column;
    return std::make_unique<BlockPass>(std::make_unique<DenseBlocks>(view_, order, step), along);
  }

  Index panel_bytes() const override { return panel_bytes_within(view_.memory); }

  Along order() const override { return reads_columns(view_) ? Along::columns : Along::rows; }

  /// Only the variables are read, if these are contiguous in the file.
  void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const override {
    if (has_gram() || order() == Along::rows || row_means().size() > 0)
      return StoredMatrix::do_gram_of(variables, g, tick);
    const std::vector<Index> chosen(variables.begin(), variables.end());
    Preparation same = preparation();
    same.means = means()(chosen);
    same.scale = true;
    same.scales = spcart::inverse_scales(inverse_scales()(chosen));
    g = DenseFileMatrix(selected_columns(view_, variables), same, {}, FormGram::no).gram(tick);
  }

  /// Genotypes are in a file even if there is memory for them. Other tables do not fit.
  const Samples* do_stored_samples() const override {
    return view_.scalar == FileScalar::genotype ? this : nullptr;
  }

  std::unique_ptr<DataMatrix> do_select_rows(std::vector<Index> rows,
                                             const Preparation& preparation, const Tick& tick,
                                             FormGram gram) const override {
    return make_gathered(unpacked(), std::move(rows), preparation, tick, gram);
  }

  std::unique_ptr<DataMatrix> do_permute_columns(std::uint64_t seed,
                                                 const Tick& tick) const override {
    return make_dense(permuted_columns(unpacked(), row_means(), seed, tick),
                      permuted_preparation(*this), tick);
  }

  /// The table in memory, once it is needed there.
  DenseView unpacked() const {
    std::call_once(unpacking_, [this] {
      check_room_for_copy(rows(), cols());
      Table table;
      table.values = view_;
      unpacked_ = std::make_shared<const Matrix>(to_matrix(table));
    });
    DenseView view = view_of(*unpacked_);
    view.owner = unpacked_;
    return view;
  }

  FileView view_;
  mutable std::once_flag unpacking_;
  mutable std::shared_ptr<const Matrix> unpacked_;
};

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
  return with_scalar(widened(view.scalar), [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<DenseFileMatrix<T>>(view, preparation, tick, gram);
  });
}

}  // namespace spcart
