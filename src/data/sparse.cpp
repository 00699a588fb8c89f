#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "data/sparse_lines.hpp"
#include "data/stored.hpp"
#include "data/stored_values.hpp"
#include "parallel.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

/// Entries after which a pass asks whether it shall go on.
constexpr Index kSlab = Index{1} << 24;

template <class I>
double stored_entries(const SparseView& view) {
  const Index lines = view.major == SparseView::Major::row ? view.rows : view.cols;
  return lines > 0 ? static_cast<double>(static_cast<const I*>(view.outer)[lines]) : 0;
}

template <class T, class I>
class SparseMatrix final : public StoredMatrix {
 public:
  SparseMatrix(const SparseView& view, const Preparation& preparation)
      : StoredMatrix(view.rows, view.cols, stored_entries<I>(view)),
        view_(view),
        by_row_(view.major == SparseView::Major::row),
        outer_(static_cast<const I*>(view.outer)),
        lines_(Lines<T, I>::compressed(static_cast<const T*>(view.values),
                                       static_cast<const I*>(view.inner), outer_,
                                       by_row_ ? view.rows : view.cols)) {
    check();
    Preparation full = preparation;
    full.precision = Precision::full;
    measure(full);
  }

 private:
  Index line_length() const { return by_row_ ? cols() : rows(); }

  /// Structure. Threads only find out whether it is sound; what is wrong first is then looked for
  /// in order, so that the message is always the same.
  void check() {
    if (outer_[0] != 0) throw Error(fmt::format("sparse table: outer[0] is {}, not 0", outer_[0]));
    for (Index i = 0; i < lines_.count; ++i)
      if (outer_[i + 1] < outer_[i])
        throw Error(fmt::format("sparse table: outer falls from {} to {} at line {}", outer_[i],
                                outer_[i + 1], i));
    const Index parts = lines_.entries() > kWorthThreads ? threads() : 1;
    const std::vector<Index> cuts = balanced_cuts(lines_, parts);
    std::vector<char> sorted(static_cast<std::size_t>(parts));
    parallel_for(parts, parts > 1, [&](Index t) {
      const auto part = static_cast<std::size_t>(t);
      sorted[part] = are_sorted(cuts[part], cuts[part + 1]);
    });
    sorted_ = std::ranges::all_of(sorted, [](char part) { return part != 0; });
    if (!sorted_) check_entries();
  }

  /// Whether indices rise in each of these lines and are within it.
  bool are_sorted(Index first, Index last) const {
    const auto length = line_length();
    bool good = true;
    for (Index i = first; i < last; ++i) {
      Index before = -1;
      for (I k = outer_[i]; k < outer_[i + 1]; ++k) {
        good &= lines_.inner[k] > before && lines_.inner[k] < length;
        before = lines_.inner[k];
      }
    }
    return good;
  }

  void check_entries() const {
    std::vector<Index> seen(static_cast<std::size_t>(line_length()), -1);
    for (Index i = 0; i < lines_.count; ++i)
      for (I k = outer_[i]; k < outer_[i + 1]; ++k) {
        const I place = lines_.inner[k];
        if (place < 0 || place >= line_length())
          throw Error(fmt::format("sparse table: index {} in line {} is not within 0 to {}", place,
                                  i, line_length() - 1));
        Index& last = seen[static_cast<std::size_t>(place)];
        if (last == i)
          throw Error(fmt::format("sparse table: line {} has two entries at {}", i, place));
        last = i;
      }
  }

  /// visit(sample, value, row) for all entries, where `row` points to four numbers that belong to
  /// the variable; each part of the result begins as `four_numbers`.
  template <class Visit>
  PartialSums over_entries(const Panel& four_numbers, Visit visit) const {
    PartialSums sums(parts_for(lines_, cols(), 4), cols(), 4);
    const std::vector<Index> cuts = balanced_cuts(lines_, sums.parts());
    parallel_for(sums.parts(), sums.parts() > 1, [&](Index t) {
      sums.part(t) = four_numbers;
      double* numbers = sums.part(t).data();
      for (Index i = cuts[static_cast<std::size_t>(t)]; i < cuts[static_cast<std::size_t>(t) + 1];
           ++i)
        for (I k = outer_[i]; k < outer_[i + 1]; ++k) {
          const Index place = lines_.inner[k];
          visit(by_row_ ? i : place, static_cast<double>(lines_.values[k]),
                numbers + 4 * (by_row_ ? place : i));
        }
    });
    return sums;
  }

  Moments moments(const Preparation& preparation, const Tick&) const override {
    const bool remove_row_mean = preparation.remove_row_mean;
    Moments m;
    const Vector entries = measure_means(remove_row_mean, m);
    measure_squares(entries, m);
    if (!remove_row_mean) m.row_means.resize(0);
    return m;
  }

  /// Row means (zeros where they stay), means and largest; returns how many entries a variable has.
  Vector measure_means(bool remove_row_mean, Moments& m) const {
    const PartialSums parts =
        over_entries(Panel::Zero(cols(), 4), [](Index, double value, double* row) {
          row[0] += value;
          row[1] = std::max(row[1], std::abs(value));
          row[2] += 1;
          row[3] += value - value;  // zero, or not a number where the value is not finite
        });
    Matrix sums(cols(), 4);
    parts.add_up(sums);
    if (!(sums.col(3).array() == 0).all()) refuse_first();
    m.largest = parts.part(0).col(1);
    for (Index t = 1; t < parts.parts(); ++t) m.largest = m.largest.cwiseMax(parts.part(t).col(1));
    m.row_means = Vector::Zero(rows());
    if (remove_row_mean)
      m.row_means = stored_times(Panel::Ones(cols(), 4), {}).col(0) / static_cast<double>(cols());
    m.means = (sums.col(0) / static_cast<double>(rows())).array() - m.row_means.mean();
    return sums.col(2);
  }

  [[noreturn]] void refuse_first() const {
    for (Index i = 0; i < lines_.count; ++i)
      for (I k = outer_[i]; k < outer_[i + 1]; ++k) {
        const auto value = static_cast<double>(lines_.values[k]);
        const Index place = lines_.inner[k];
        if (!std::isfinite(value)) refuse(value, by_row_ ? i : place, by_row_ ? place : i);
      }
    throw std::logic_error("a value that is not finite has gone");
  }

  /// Zeros count too, but are never visited: with t = m_i + c_j, the squares of a variable are
  /// those of its entries about t, plus t^2 of its zeros.
  void measure_squares(const Vector& entries, Moments& m) const {
    const auto n = static_cast<double>(rows());
    Panel start = Panel::Zero(cols(), 4);
    start.col(3) = m.means;
    const PartialSums parts = over_entries(start, [&](Index i, double value, double* row) {
      const double t = m.row_means[i] + row[3];
      row[0] += value - t;
      row[1] += (value - t) * (value - t);
      row[2] -= t * t;
    });
    Matrix sums(cols(), 3);
    parts.add_up(sums);
    const double mean = m.row_means.mean();
    sums.col(2).array() += (m.row_means.array() - mean).square().sum();
    sums.col(2).array() += n * (m.means.array() + mean).square();
    for (Index j = 0; j < cols(); ++j)
      if (entries[j] == n) {
        // No zeros: what the first pass lost to rounding can be given back.
        sums(j, 2) = -sums(j, 0) * sums(j, 0) / n;
        m.means[j] += sums(j, 0) / n;
      }
    m.squares = (sums.col(1) + sums.col(2)).cwiseMax(0.0);
  }

  /// A panel is filled when it is reached: its tiles are copied from there.
  class Filled final : public Pass {
   public:
    Filled(const SparseMatrix& a, Along along, Index step)
        : a_(a),
          by_sample_(along == Along::rows),
          panel_(by_sample_ ? a.cols() : step, by_sample_ ? step : a.rows()) {}

    void advance(Index first, Index count) override {
      first_ = first;
      by_sample_ ? a_.fill(first, 0, panel_.leftCols(count))
                 : a_.fill(0, first, panel_.topRows(count));
    }
    void load(Index row, Index col, Block tile) const override {
      tile = panel_.block(col - (by_sample_ ? 0 : first_), row - (by_sample_ ? first_ : 0),
                          tile.rows(), tile.cols());
    }

   private:
    const SparseMatrix& a_;
    bool by_sample_;
    Matrix panel_;
    Index first_ = 0;
  };

  std::unique_ptr<Pass> open(Along along, Index step) const override {
    return std::make_unique<Filled>(*this, along, step);
  }

  void fill(Index row, Index col, Block panel) const {
    panel.setZero();
    const Index lines = by_row_ ? panel.cols() : panel.rows();
    const Index first_line = by_row_ ? row : col;
    const Index first = by_row_ ? col : row;
    const Index last = first + (by_row_ ? panel.rows() : panel.cols());
#pragma omp parallel for schedule(static) if (panel.size() > kWorthThreads)
    for (Index i = 0; i < lines; ++i)
      for (I k = outer_[first_line + i]; k < outer_[first_line + i + 1]; ++k) {
        const Index place = Index{lines_.inner[k]} - first;
        if (place < 0 || place >= last - first) continue;
        (by_row_ ? panel(place, i) : panel(i, place)) = static_cast<double>(lines_.values[k]);
      }
  }

  /// f(first, last) for all of `count` lines or samples, with a tick now and then.
  template <class F>
  void for_slabs(Index count, const Tick& tick, F f) const {
    const Index slabs = lines_.entries() / kSlab + 1;
    for (Index slab = 0; slab < slabs; ++slab) {
      if (tick) tick(static_cast<double>(slab) / static_cast<double>(slabs));
      f(count * slab / slabs, count * (slab + 1) / slabs);
    }
  }

  Index threads_for_panel(Index width) const {
    return lines_.entries() * width > kWorthThreads ? threads() : 1;
  }

  /// L x for the lines L, which are S or S'.
  Panel gather(const Panel& x, const Tick& tick) const {
    Panel y = Panel::Zero(lines_.count, x.cols());
    const Index parts = threads_for_panel(x.cols());
    for_slabs(lines_.count, tick, [&](Index first, Index last) {
      const Lines<T, I> slab = lines_.range(first, last);
      const std::vector<Index> cuts = balanced_cuts(slab, parts);
      parallel_for(parts, parts > 1, [&](Index t) {
        const auto part = static_cast<std::size_t>(t);
        kernels::run(kernels::Gather<T, I>{slab.range(cuts[part], cuts[part + 1]), x.data(),
                                           y.row(first + cuts[part]).data()},
                     x.cols());
      });
    });
    return y;
  }

  /// x = S'y where lines are samples: each thread sums up by itself.
  void scatter_rows(const Panel& y, Block x, const Tick& tick) const {
    PartialSums sums(parts_for(lines_, cols(), y.cols()), cols(), y.cols());
    for_slabs(rows(), tick, [&](Index first, Index last) {
      const Lines<T, I> slab = lines_.range(first, last);
      const std::vector<Index> cuts = balanced_cuts(slab, sums.parts());
      parallel_for(sums.parts(), sums.parts() > 1, [&](Index t) {
        const auto part = static_cast<std::size_t>(t);
        kernels::run(kernels::Scatter<T, I>{slab.range(cuts[part], cuts[part + 1]),
                                            y.row(first + cuts[part]).data(), sums.part(t).data()},
                     y.cols());
      });
    });
    sums.add_up(x);
  }

  /// S x where lines are variables: each thread has samples of its own, as far as their order lets
  /// it find them.
  Panel scatter_columns(const Panel& x, const Tick& tick) const {
    Panel y = Panel::Zero(rows(), x.cols());
    if (!sorted_) {
      kernels::run(kernels::Scatter<T, I>{lines_, x.data(), y.data()}, x.cols());
      return y;
    }
    const Index parts = threads_for_panel(x.cols());
    for_slabs(rows(), tick, [&](Index first, Index last) {
      const auto cut = [&](Index t) { return first + (last - first) * t / parts; };
      parallel_for(parts, parts > 1, [&](Index t) {
        for_row_ranges(
            lines_, cut(t), cut(t + 1), kKeptDoubles / x.cols(),
            [&](const Lines<T, I>& part, Index row, Index) {
              kernels::run(kernels::Scatter<T, I>{part, x.data(), y.row(row).data()}, x.cols());
            });
      });
    });
    return y;
  }

  Panel stored_times(const Panel& x, const Tick& tick) const {
    return by_row_ ? gather(x, tick) : scatter_columns(x, tick);
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    const Matrix dx = scaled(x);
    spcart::for_panels(dx, y, tick, [&](const Panel& panel, Block columns, const Tick& part) {
      columns = stored_times(panel, part).leftCols(columns.cols());
    });
    correct_times(dx, y);
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    spcart::for_panels(y, x, tick, [&](const Panel& panel, Block columns, const Tick& part) {
      if (by_row_)
        scatter_rows(panel, columns, part);
      else
        columns = gather(panel, part).leftCols(columns.cols());
    });
    correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    const double* m = row_means().size() > 0 ? row_means().data() : nullptr;
    const bool in_order = by_row_ || sorted_;
    spcart::for_panels(
        scaled(x), y, tick, [&](const Panel& panel, Block columns, const Tick& part) {
          GramProduct product(panel, means(),
                              in_order ? parts_for(lines_, cols(), panel.cols()) : 1);
          if (in_order)
            for_slabs(rows(), part, [&](Index first, Index last) {
              by_row_ ? product.add_rows(lines_.range(first, last), m ? m + first : nullptr)
                      : product.add_columns(lines_, first, last, m);
            });
          else
            product.add_unsorted_columns(lines_, rows(), m);
          product.finish(columns);
        });
    y = scaled(y);
  }

  SparseView view_;
  bool by_row_;
  const I* outer_;
  Lines<T, I> lines_;
  bool sorted_ = false;  ///< whether indices rise in each line
};

}  // namespace

std::unique_ptr<DataMatrix> make_sparse(const SparseView& view, const Preparation& preparation) {
  return with_scalar(view.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    if (view.wide) return std::make_unique<SparseMatrix<T, std::int64_t>>(view, preparation);
    return std::make_unique<SparseMatrix<T, std::int32_t>>(view, preparation);
  });
}

}  // namespace spcart
