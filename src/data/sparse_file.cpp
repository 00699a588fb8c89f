#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "data/file_blocks.hpp"
#include "data/file_kinds.hpp"
#include "data/stored.hpp"
#include "data/stored_values.hpp"

namespace spcart {
namespace {

/// Sums over numbers about the first of them, which lose nothing to a large mean.
struct ShiftedSums {
  double count = 0, origin = 0, sum = 0, squares = 0;

  void add(double value) {
    if (count == 0) origin = value;
    count += 1;
    sum += value - origin;
    squares += (value - origin) * (value - origin);
  }
  double total() const { return count * origin + sum; }

  /// The squares of all numbers about a centre.
  double about(double centre) const {
    if (count == 0) return 0;
    const double shift = origin - centre + sum / count;
    return std::max(squares - sum * sum / count, 0.0) + count * shift * shift;
  }
};

/// T is the type in which the numbers come to memory.
template <class T>
class SparseFileMatrix final : public StoredMatrix {
 public:
  SparseFileMatrix(const FileView& view, const Preparation& preparation, const Tick& tick)
      : StoredMatrix(view.rows, view.cols, static_cast<double>(view.entries)), view_(view) {
    measure(preparation, tick);
  }

 private:
  /// visit(row, columns, values, count) for every row.
  template <class Visit>
  void for_rows(const Tick& tick, Visit visit) const {
    SparseBlocks blocks(view_);
    while (const SparseBlock* block = blocks.next()) {
      if (tick) tick(static_cast<double>(block->first) / static_cast<double>(rows()));
      const auto* inner = static_cast<const std::int32_t*>(block->values.inner);
      const auto* values = static_cast<const T*>(block->values.values);
      for (Index i = 0; i < block->count; ++i) {
        const auto begin = block->outer[static_cast<std::size_t>(i)];
        visit(block->first + i, inner + begin, values + begin,
              block->outer[static_cast<std::size_t>(i) + 1] - begin);
      }
    }
  }

  /// In one pass. Zeros count too, but are never visited: with t = m_i + c_j, the squares of a
  /// variable are those of its entries about t, plus t^2 of its zeros.
  Moments moments(const Preparation& preparation, const Tick& tick) const override {
    const bool remove_row_mean = preparation.remove_row_mean;
    const auto p = static_cast<std::size_t>(cols());
    const auto n = static_cast<double>(rows());
    std::vector<ShiftedSums> entries(p), means_there(remove_row_mean ? p : 0);
    ShiftedSums row_means;
    Moments m;
    m.row_means = Vector::Zero(remove_row_mean ? rows() : 0);
    m.largest = Vector::Zero(cols());
    for_rows(tick, [&](Index row, const std::int32_t* inner, const T* values, Index count) {
      double mean = 0;
      for (Index k = 0; remove_row_mean && k < count; ++k) mean += static_cast<double>(values[k]);
      if (remove_row_mean) {
        mean /= static_cast<double>(cols());
        m.row_means[row] = mean;
        row_means.add(mean);
      }
      for (Index k = 0; k < count; ++k) {
        const auto value = static_cast<double>(values[k]);
        const auto j = static_cast<std::size_t>(inner[k]);
        if (!std::isfinite(value)) refuse(value, row, inner[k]);
        m.largest[inner[k]] = std::max(m.largest[inner[k]], std::abs(value));
        entries[j].add(value - mean);
        if (remove_row_mean) means_there[j].add(mean);
      }
    });
    m.means.resize(cols());
    m.squares.resize(cols());
    for (Index j = 0; j < cols(); ++j) {
      const ShiftedSums& of = entries[static_cast<std::size_t>(j)];
      const ShiftedSums there = remove_row_mean ? means_there[static_cast<std::size_t>(j)]
                                                : ShiftedSums{.count = of.count};
      const double elsewhere = n - of.count;  // samples where it is zero
      const double mean_elsewhere =
          elsewhere > 0 ? (row_means.total() - there.total()) / elsewhere : 0;
      const double c =
          of.count == n ? of.origin + of.sum / n : (of.total() - elsewhere * mean_elsewhere) / n;
      m.means[j] = c;
      m.squares[j] = of.about(c);
      if (of.count == n) continue;
      const double all = remove_row_mean ? row_means.about(-c) : n * c * c;
      const double taken = remove_row_mean ? there.about(-c) : of.count * c * c;
      m.squares[j] += std::max(all - taken, 0.0);
    }
    return m;
  }

  class Walk final : public Pass {
   public:
    Walk(const FileView& view, Index step) : blocks_(view, step) {}

    void advance(Index first, Index) override {
      if (block_ == nullptr || first >= block_->first + block_->count) block_ = blocks_.next();
    }

    void load(Index row, Index col, Block tile) const override {
      tile.setZero();
      const auto* inner = static_cast<const std::int32_t*>(block_->values.inner);
      const auto* values = static_cast<const T*>(block_->values.values);
      for (Index i = 0; i < tile.cols(); ++i) {
        const auto line = static_cast<std::size_t>(row - block_->first + i);
        const std::int32_t* last = inner + block_->outer[line + 1];
        const std::int32_t* at = std::lower_bound(inner + block_->outer[line], last, col);
        for (; at != last && *at < col + tile.rows(); ++at)
          tile(*at - col, i) = static_cast<double>(values[at - inner]);
      }
    }

   private:
    SparseBlocks blocks_;
    const SparseBlock* block_ = nullptr;  ///< the panel that is ready lies within it
  };

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    if (along != Along::rows) throw std::logic_error("a sparse file is read by rows");
    return std::make_unique<Walk>(view_, step);
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    const Matrix dx = scaled(x);
    const Matrix across = dx.transpose();
    Vector line(x.cols());
    for_rows(tick, [&](Index row, const std::int32_t* inner, const T* values, Index count) {
      line.setZero();
      for (Index k = 0; k < count; ++k)
        line += static_cast<double>(values[k]) * across.col(inner[k]);
      y.row(row) = line.transpose();
    });
    correct_times(dx, y);
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    Matrix across = Matrix::Zero(y.cols(), cols());
    Vector line(y.cols());
    for_rows(tick, [&](Index row, const std::int32_t* inner, const T* values, Index count) {
      line = y.row(row).transpose();
      for (Index k = 0; k < count; ++k)
        across.col(inner[k]) += static_cast<double>(values[k]) * line;
    });
    x = across.transpose();
    correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    const Matrix dx = scaled(x);
    const Matrix across = dx.transpose();
    const Vector shift = across * means(), sums = across.rowwise().sum();
    Matrix sum = Matrix::Zero(x.cols(), cols());
    Vector line(x.cols()), total = Vector::Zero(x.cols()), weighted = total;
    for_rows(tick, [&](Index row, const std::int32_t* inner, const T* values, Index count) {
      const double mean = row_means().size() > 0 ? row_means()[row] : 0;
      line = -shift - mean * sums;
      for (Index k = 0; k < count; ++k)
        line += static_cast<double>(values[k]) * across.col(inner[k]);
      total += line;
      weighted += mean * line;
      for (Index k = 0; k < count; ++k) sum.col(inner[k]) += static_cast<double>(values[k]) * line;
    });
    y = sum.transpose();
    y.noalias() -= means() * total.transpose();
    y.rowwise() -= weighted.transpose();
    y = scaled(y);
  }

  Index panel_bytes() const override { return panel_bytes_of(view_); }

  /// By products with unit vectors, as many at a time as one pass can take.
  void do_outer_gram(Block g, const Tick& tick) const override {
    constexpr Index kLeast = 16;
    const Index fitting = panel_bytes() / (cols() * static_cast<Index>(sizeof(double)));
    const Index step = std::clamp(fitting, std::min(kLeast, rows()), rows());
    for (Index first = 0; first < rows(); first += step) {
      const Index count = std::min(step, rows() - first);
      Matrix units = Matrix::Zero(rows(), count), x(cols(), count);
      units.middleRows(first, count).setIdentity();
      const auto part = [&](double done) {
        if (tick)
          tick((static_cast<double>(first) + done * static_cast<double>(count)) /
               static_cast<double>(rows()));
      };
      do_adjoint_times(units, x, part);
      do_times(x, g.middleCols(first, count), part);
    }
  }

  FileView view_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_sparse_file(const FileView& view, const Preparation& preparation,
                                             const Tick& tick) {
  return with_scalar(widened(view.scalar), [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<SparseFileMatrix<T>>(view, preparation, tick);
  });
}

}  // namespace spcart
