#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/block_kinds.hpp"
#include "data/preparation.hpp"
#include "data/sparse/products.hpp"
#include "data/stored/panels.hpp"
#include "data/stored/stored.hpp"

namespace spcart {
namespace {

using sparse::AnyLines;
using sparse::GramProduct;
using sparse::kWidestPanel;
using sparse::Panel;
using sparse::PartialSums;

/// Sums of deviations from the first number, which are accurate even for a large mean.
struct ShiftedSums {
  double count = 0, origin = 0, sum = 0, squares = 0;

  void add(double value) {
    if (count == 0) origin = value;
    count += 1;
    sum += value - origin;
    squares += (value - origin) * (value - origin);
  }
  double total() const { return count * origin + sum; }
  double mean() const { return origin + sum / count; }

  /// The squares of all numbers about a centre.
  double about(double centre) const {
    if (count == 0) return 0;
    const double shift = mean() - centre;
    return std::max(squares - sum * sum / count, 0.0) + count * shift * shift;
  }
};

/// All columns of a block in panels, because the file is read once for all of them.
std::vector<Panel> panels_of(ConstBlock x) {
  std::vector<Panel> panels;
  for (Index first = 0; first < x.cols(); first += kWidestPanel) {
    const Index columns = std::min(x.cols() - first, kWidestPanel);
    panels.emplace_back(Panel::Zero(x.rows(), (columns + 3) / 4 * 4)).leftCols(columns) =
        x.middleCols(first, columns);
  }
  return panels;
}

/// The columns of y that belong to panel g.
auto columns_of(Block& y, std::size_t g) {
  const Index first = static_cast<Index>(g) * kWidestPanel;
  return y.middleCols(first, std::min(y.cols() - first, kWidestPanel));
}

class SparseBlockMatrix final : public StoredMatrix {
 public:
  SparseBlockMatrix(SparseRows rows, const Preparation& preparation, const Tick& tick)
      : StoredMatrix(rows.rows, rows.cols, rows.entries), rows_(std::move(rows)) {
    measure(in_double(preparation), tick);
  }

 private:
  /// Calls visit(rows, first) for every block of rows.
  template <class Visit>
  void for_blocks(const Tick& tick, Visit visit) const {
    const auto blocks = rows_.open(1);
    while (const SparseBlock* block = blocks->next()) {
      if (tick) tick(static_cast<double>(block->first) / static_cast<double>(rows()));
      visit(AnyLines::of(block->values), block->first);
    }
  }

  /// Number of threads that may each have a panel of their own.
  Index parts(Index width) const {
    if (static_cast<double>(width) * entries() <= static_cast<double>(kWorthThreads)) return 1;
    const auto bytes = static_cast<std::uint64_t>(cols() * width) * sizeof(double);
    return std::min(threads(), 2 + static_cast<Index>(rows_.memory / bytes));
  }

  /// What one pass measures of a variable.
  struct Seen {
    ShiftedSums entries;        ///< without the means of their rows
    ShiftedSums means_of_rows;  ///< of the rows in which it has entries
    double largest = 0;
  };

  Moments moments(const Preparation& preparation, const Tick& tick, FormGram) const override {
    const bool remove_row_mean = preparation.remove_row_mean;
    Moments m;
    m.row_means.resize(remove_row_mean ? rows() : 0);
    ShiftedSums row_means;
    std::vector<Seen> seen(static_cast<std::size_t>(cols()));
    for_blocks(tick, [&](const AnyLines& any, Index first) {
      any.visit([&](const auto& block) {
        for (Index i = 0; i < block.count; ++i) {
          double mean = 0;
          if (remove_row_mean) {
            const auto* values = block.values;
            mean = std::accumulate(values + block.begin[i], values + block.end[i], 0.0) /
                   static_cast<double>(cols());
            m.row_means[first + i] = mean;
          }
          row_means.add(mean);
          look_at(block, i, first + i, mean, seen);
        }
      });
    });
    m.means.resize(cols());
    m.squares.resize(cols());
    m.largest.resize(cols());
    for (Index j = 0; j < cols(); ++j) {
      const Seen& variable = seen[static_cast<std::size_t>(j)];
      m.largest[j] = variable.largest;
      set_moments(variable, row_means, m.means[j], m.squares[j]);
    }
    return m;
  }

  template <class Lines>
  void look_at(const Lines& block, Index i, Index row, double mean, std::vector<Seen>& seen) const {
    for (auto k = block.begin[i]; k < block.end[i]; ++k) {
      const auto value = static_cast<double>(block.values[k]);
      if (!std::isfinite(value)) reject(value, row, block.inner[k]);
      Seen& variable = seen[static_cast<std::size_t>(block.inner[k])];
      variable.entries.add(value - mean);
      variable.means_of_rows.add(mean);
      variable.largest = std::max(variable.largest, std::abs(value));
    }
  }

  /// Zeros count too, but were not visited: with t = m_i + c_j, the squares of a variable are those
  /// of its entries about t, plus t^2 for its zeros.
  void set_moments(const Seen& seen, const ShiftedSums& row_means, double& mean,
                   double& squares) const {
    const auto n = static_cast<double>(rows());
    if (seen.entries.count == n) {
      mean = seen.entries.mean();
      squares = seen.entries.about(mean);
      return;
    }
    const double zeros = row_means.total() - seen.means_of_rows.total();
    mean = (seen.entries.total() - zeros) / n;
    squares = seen.entries.about(mean) +
              std::max(row_means.about(-mean) - seen.means_of_rows.about(-mean), 0.0);
  }

  class BlockPass final : public Pass {
   public:
    explicit BlockPass(std::unique_ptr<BlockReader<SparseBlock>> blocks)
        : blocks_(std::move(blocks)) {}

    void advance(Index first, Index) override {
      if (block_ == nullptr || first >= block_->first + block_->count) block_ = blocks_->next();
    }

    void load(Index row, Index col, Block tile) const override {
      tile.setZero();
      AnyLines::of(block_->values).visit([&](const auto& lines) {
        for (Index i = 0; i < tile.cols(); ++i) {
          const Index line = row - block_->first + i;
          const auto* last = lines.inner + lines.end[line];
          const auto* at = std::lower_bound(lines.inner + lines.begin[line], last, col);
          for (; at != last && *at < col + tile.rows(); ++at)
            tile(*at - col, i) = static_cast<double>(lines.values[at - lines.inner]);
        }
      });
    }

   private:
    std::unique_ptr<BlockReader<SparseBlock>> blocks_;
    const SparseBlock* block_ = nullptr;  ///< contains the current panel
  };

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    if (along != Along::rows) throw std::logic_error("a sparse table is read by rows");
    return std::make_unique<BlockPass>(rows_.open(step));
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    const Matrix dx = scaled(x);
    const std::vector<Panel> panels = panels_of(dx);
    Panel product;
    for_blocks(tick, [&](const AnyLines& block, Index first) {
      for (std::size_t g = 0; g < panels.size(); ++g) {
        const Panel& panel = panels[g];
        product.setZero(block.count(), panel.cols());
        sparse::gather(block, panel, product.data());
        auto columns = columns_of(y, g);
        columns.middleRows(first, block.count()) = product.leftCols(columns.cols());
      }
    });
    correct_times(dx, y);
  }

  /// Adds S'y for some rows S and y.
  static void scatter(const AnyLines& rows, const Panel& y, PartialSums& sums) {
    const Index width = y.cols();
    const Index parts = rows.entries() * width > kWorthThreads ? sums.parts() : 1;
    sparse::for_parts(rows, parts, [&](Index t, Index first, Index last) {
      sparse::scatter_lines(rows.range(first, last), y.data() + first * width, width,
                            sums.part(t).data());
    });
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    std::vector<PartialSums> sums;
    for (const Panel& panel : panels_of(y.topRows(0)))
      sums.emplace_back(parts(panel.cols()), cols(), panel.cols());
    for_blocks(tick, [&](const AnyLines& block, Index first) {
      const std::vector<Panel> panels = panels_of(y.middleRows(first, block.count()));
      for (std::size_t g = 0; g < panels.size(); ++g) scatter(block, panels[g], sums[g]);
    });
    for (std::size_t g = 0; g < sums.size(); ++g) sums[g].add_up(columns_of(x, g));
    correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    const double* m = row_means().size() > 0 ? row_means().data() : nullptr;
    const std::vector<Panel> panels = panels_of(scaled(x));
    std::vector<GramProduct> products;
    products.reserve(panels.size());
    for (const Panel& panel : panels) products.emplace_back(panel, means(), parts(panel.cols()));
    for_blocks(tick, [&](const AnyLines& block, Index first) {
      for (GramProduct& product : products) product.add_rows(block, m ? m + first : nullptr);
    });
    for (std::size_t g = 0; g < products.size(); ++g) products[g].finish(columns_of(y, g));
    y = scaled(y);
  }

  Index panel_bytes() const override { return panel_bytes_within(rows_.memory); }

  void do_outer_gram(Block g, const Tick& tick) const override { outer_gram_by_products(g, tick); }

  SparseRows rows_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_sparse_rows(SparseRows rows, const Preparation& preparation,
                                             const Tick& tick) {
  return std::make_unique<SparseBlockMatrix>(std::move(rows), preparation, tick);
}

}  // namespace spcart
