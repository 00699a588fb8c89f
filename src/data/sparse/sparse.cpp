#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "data/preparation.hpp"
#include "data/resample.hpp"
#include "data/sparse/any_lines.hpp"
#include "data/sparse/gram.hpp"
#include "data/sparse/products.hpp"
#include "data/sparse/structure.hpp"
#include "data/stored/stored.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

using sparse::AnyLines;
using sparse::GramProduct;
using sparse::Panel;
using sparse::PartialSums;

/// Number of entries after which a pass calls the tick.
constexpr Index kSlab = Index{1} << 24;

/// Nanoseconds of a thread, measured: per pair of entries of a line, per entry and column of a
/// panel, per operation of a dense product, and to fill an entry of a dense panel.
constexpr double kSquares = 1, kGathered = 0.1, kDense = 0.022, kLoad = 1;

class SparseMatrix final : public StoredMatrix, public Samples {
 public:
  SparseMatrix(const SparseView& view, const Preparation& preparation)
      : StoredMatrix(view.rows, view.cols, static_cast<double>(AnyLines::of(view).entries())),
        view_(view),
        by_row_(view.major == SparseView::Major::row),
        lines_(AnyLines::of(view)),
        sorted_(sparse::check_structure(view)) {
    measure(in_double(preparation));
  }

 private:
  Index line_length() const { return by_row_ ? cols() : rows(); }

  /// Calls visit(sample, value, row) for all entries, where `row` points to four numbers that
  /// belong to the variable; each part of the result starts as `four_numbers`.
  template <class Visit>
  PartialSums over_entries(const Panel& four_numbers, Visit visit) const {
    PartialSums sums(sparse::parts_for(lines_, cols(), 4), cols(), 4);
    sparse::for_parts(lines_, sums.parts(), [&](Index t, Index first, Index last) {
      sums.part(t) = four_numbers;
      double* numbers = sums.part(t).data();
      lines_.visit([&](const auto& lines) {
        for (Index i = first; i < last; ++i)
          for (auto k = lines.begin[i]; k < lines.end[i]; ++k) {
            const Index index = lines.inner[k];
            visit(by_row_ ? i : index, static_cast<double>(lines.values[k]),
                  numbers + 4 * (by_row_ ? index : i));
          }
      });
    });
    return sums;
  }

  Moments moments(const Preparation& preparation, const Tick&, FormGram) const override {
    Moments m;
    const Vector entries = measure_means(preparation.remove_row_mean, m);
    measure_squares(entries, m);
    if (!preparation.remove_row_mean) m.row_means.resize(0);
    return m;
  }

  /// Row means (zeros if they are not removed), means and largest; returns the number of entries
  /// per variable.
  Vector measure_means(bool remove_row_mean, Moments& m) const {
    const PartialSums parts =
        over_entries(Panel::Zero(cols(), 4), [](Index, double value, double* row) {
          row[0] += value;
          row[1] = std::max(row[1], std::abs(value));
          row[2] += 1;
          row[3] += value - value;  // zero, or NaN if the value is not finite
        });
    Matrix sums(cols(), 4);
    parts.add_up(sums);
    if (!(sums.col(3).array() == 0).all()) reject_first();
    m.largest = parts.part(0).col(1);
    for (Index t = 1; t < parts.parts(); ++t) m.largest = m.largest.cwiseMax(parts.part(t).col(1));
    m.row_means = Vector::Zero(rows());
    if (remove_row_mean)
      m.row_means = stored_times(Panel::Ones(cols(), 4), {}).col(0) / static_cast<double>(cols());
    m.means = (sums.col(0) / static_cast<double>(rows())).array() - m.row_means.mean();
    return sums.col(2);
  }

  [[noreturn]] void reject_first() const {
    lines_.visit([&](const auto& lines) {
      for (Index i = 0; i < lines.count; ++i)
        for (auto k = lines.begin[i]; k < lines.end[i]; ++k) {
          const auto value = static_cast<double>(lines.values[k]);
          const Index index = lines.inner[k];
          if (!std::isfinite(value)) reject(value, by_row_ ? i : index, by_row_ ? index : i);
        }
    });
    throw std::logic_error("a value that is not finite has gone");
  }

  /// Zeros count too, but are not visited: with t = m_i + c_j, the squares of a variable are those
  /// of its entries about t, plus t^2 for its zeros.
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
        // No zeros: what the first pass lost to rounding can be corrected.
        sums(j, 2) = -sums(j, 0) * sums(j, 0) / n;
        m.means[j] += sums(j, 0) / n;
      }
    m.squares = (sums.col(1) + sums.col(2)).cwiseMax(0.0);
  }

  /// A panel is filled when it is reached: its tiles are copied from it.
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
    const Index count = by_row_ ? panel.cols() : panel.rows();
    const Index first_line = by_row_ ? row : col;
    const Index first = by_row_ ? col : row;
    const Index last = first + (by_row_ ? panel.rows() : panel.cols());
    lines_.visit([&](const auto& lines) {
#pragma omp parallel for schedule(static) if (panel.size() > kWorthThreads)
      for (Index i = 0; i < count; ++i)
        for (auto k = lines.begin[first_line + i]; k < lines.end[first_line + i]; ++k) {
          const Index index = Index{lines.inner[k]} - first;
          if (index < 0 || index >= last - first) continue;
          (by_row_ ? panel(index, i) : panel(i, index)) = static_cast<double>(lines.values[k]);
        }
    });
  }

  /// Calls f(first, last) for all of `count` lines or samples, with a tick now and then.
  template <class F>
  void for_slabs(Index count, const Tick& tick, F f) const {
    const Index slabs = lines_.entries() / kSlab + 1;
    for (Index slab = 0; slab < slabs; ++slab) {
      if (tick) tick(static_cast<double>(slab) / static_cast<double>(slabs));
      f(count * slab / slabs, count * (slab + 1) / slabs);
    }
  }

  /// L x for the lines L, which are S or S'.
  Panel times_lines(const Panel& x, const Tick& tick) const {
    Panel y = Panel::Zero(lines_.count(), x.cols());
    for_slabs(lines_.count(), tick, [&](Index first, Index last) {
      gather(lines_.range(first, last), x, y.row(first).data());
    });
    return y;
  }

  /// x = S'y if lines are samples: each thread has its own sum.
  void scatter_rows(const Panel& y, const Block& x, const Tick& tick) const {
    PartialSums sums(sparse::parts_for(lines_, cols(), y.cols()), cols(), y.cols());
    for_slabs(rows(), tick, [&](Index begin, Index end) {
      const AnyLines slab = lines_.range(begin, end);
      sparse::for_parts(slab, sums.parts(), [&](Index t, Index first, Index last) {
        sparse::scatter_lines(slab.range(first, last), y.row(begin + first).data(), y.cols(),
                              sums.part(t).data());
      });
    });
    sums.add_up(x);
  }

  /// S x if lines are variables: each thread has its own samples, if the entries are sorted.
  Panel scatter_columns(const Panel& x, const Tick& tick) const {
    Panel y = Panel::Zero(rows(), x.cols());
    if (!sorted_) {
      sparse::scatter_lines(lines_, x.data(), x.cols(), y.data());
      return y;
    }
    const Index parts = lines_.entries() * x.cols() > kWorthThreads ? threads() : 1;
    for_slabs(rows(), tick, [&](Index first, Index last) {
      const auto cut = [&](Index t) { return first + (last - first) * t / parts; };
      parallel_for(parts, parts > 1, [&](Index t) {
        sparse::for_ranges(lines_, cut(t), cut(t + 1), sparse::kKeptDoubles / x.cols(),
                           [&](const AnyLines& part, Index row, Index) {
                             sparse::scatter_lines(part, x.data(), x.cols(), y.row(row).data());
                           });
      });
    });
    return y;
  }

  Panel stored_times(const Panel& x, const Tick& tick) const {
    return by_row_ ? times_lines(x, tick) : scatter_columns(x, tick);
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    const Matrix dx = scaled(x);
    sparse::for_panels(dx, y, tick, [&](const Panel& panel, Block columns, const Tick& part) {
      columns = stored_times(panel, part).leftCols(columns.cols());
    });
    correct_times(dx, y);
  }

  // NOLINTNEXTLINE(performance-unnecessary-value-param): x is written
  void stored_adjoint_times(ConstBlock y, Block x, const Tick& tick) const {
    sparse::for_panels(y, x, tick, [&](const Panel& panel, Block columns, const Tick& part) {
      if (by_row_)
        scatter_rows(panel, columns, part);
      else
        columns = times_lines(panel, part).leftCols(columns.cols());
    });
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    stored_adjoint_times(y, x, tick);
    correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    const double* m = row_means().size() > 0 ? row_means().data() : nullptr;
    const bool in_order = by_row_ || sorted_;
    sparse::for_panels(
        scaled(x), y, tick, [&](const Panel& panel, const Block& columns, const Tick& part) {
          GramProduct product(panel, means(),
                              in_order ? sparse::parts_for(lines_, cols(), panel.cols()) : 1);
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

  /// Whether products of all pairs, `size` x `size` of them, are formed faster from entries than
  /// from dense panels. `by_squares`: as the sum over lines.
  bool pays(bool by_squares, Index size) const {
    if (by_squares && !sorted_) return false;
    double pairs = 0;
    lines_.visit([&](const auto& lines) {
      for (Index i = 0; i < lines.count; ++i) {
        const auto length = static_cast<double>(lines.end[i] - lines.begin[i]);
        pairs += by_squares ? length * length : length * static_cast<double>(size);
      }
    });
    const double filled = static_cast<double>(rows()) * static_cast<double>(cols());
    const double cost = pairs * (by_squares ? kSquares : kGathered);
    return cost < filled * (kDense * static_cast<double>(size) + kLoad);
  }

  /// Whether products of entries may be formed before the means are subtracted: if the means are
  /// not much larger than what remains.
  bool safe() const {
    constexpr double kSafe = 100;
    const PartialSums parts = over_entries(
        Panel::Zero(cols(), 4), [](Index, double value, double* row) { row[0] += value * value; });
    Matrix squares(cols(), 1);
    parts.add_up(squares);
    const Vector before = squares.col(0).array() +
                          static_cast<double>(rows()) * means().array().square() +
                          row_means().squaredNorm();
    const Vector d = scaled(Vector::Ones(cols()));
    return (before.array() * d.array().square() <= kSafe * column_squared_norms().array()).all();
  }

  void multiply_all(bool by_squares, const double* weights, Block g, const Tick& tick) const {
    if (!by_squares) return sparse::multiply_lines(lines_, line_length(), weights, g, tick);
    g.setZero();
    for_slabs(lines_.count(), tick, [&](Index first, Index last) {
      sparse::add_line_squares(lines_.range(first, last), weights ? weights + first : nullptr, g);
    });
  }

  Vector row_means_or_zeros() const {
    return row_means().size() > 0 ? row_means() : Vector::Zero(rows());
  }

  /// D (S - m 1' - 1 c')'(S - m 1' - 1 c') D = D (S'S + 1 w' + w 1' + c z' + z c') D
  void do_gram(Block g, const Tick& tick) const override {
    if (!pays(by_row_, cols()) || !safe()) return StoredMatrix::do_gram(g, tick);
    multiply_all(by_row_, nullptr, g, tick);
    const auto n = static_cast<double>(rows());
    const Vector ones = Vector::Ones(cols());
    Matrix y(rows(), 2), x(cols(), 2);
    y << row_means_or_zeros(), Vector::Ones(rows());
    stored_adjoint_times(y, x, {});
    const Vector w = y.col(0).squaredNorm() / 2 * ones + y.col(0).sum() * means() - x.col(0);
    const Vector z = n / 2 * means() - x.col(1);
    sparse::finish_gram(ones, w, means(), z, scaled(ones), g);
  }

  /// (S - m 1' - 1 c') E (S - m 1' - 1 c')' = S E S' + m w' + w m' + 1 z' + z 1' with E = D D
  void do_outer_gram(Block g, const Tick& tick) const override {
    if (!pays(!by_row_, rows()) || !safe()) return StoredMatrix::do_outer_gram(g, tick);
    const Vector e = scaled(scaled(Vector::Ones(cols()))), ec = e.cwiseProduct(means());
    multiply_all(!by_row_, e.data(), g, tick);
    Panel x = Panel::Zero(cols(), 4);
    x.col(0) = e;
    x.col(1) = ec;
    const Panel y = stored_times(x, {});
    const Vector ones = Vector::Ones(rows()), m = row_means_or_zeros();
    const Vector w = e.sum() / 2 * m + ec.sum() * ones - y.col(0);
    const Vector z = ec.dot(means()) / 2 * ones - y.col(1);
    sparse::finish_gram(m, w, ones, z, ones, g);
  }

  /// By a table of these columns only, unless row means depend on all of them.
  void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const override {
    if (row_means().size() > 0) return StoredMatrix::do_gram_of(variables, g, tick);
    const std::vector<Index> chosen(variables.begin(), variables.end());
    Preparation same = preparation();
    same.means = means()(chosen);
    same.scales = scales()(chosen);
    g = make_sparse(selected_columns(view_, variables), same)->gram(tick);
  }

  const Samples* do_stored_samples() const override { return this; }
  std::unique_ptr<DataMatrix> do_select_rows(std::vector<Index> rows,
                                             const Preparation& preparation, const Tick&,
                                             FormGram) const override {
    return make_sparse(selected_rows(view_, rows), preparation);
  }

  std::unique_ptr<DataMatrix> do_permute_columns(std::uint64_t seed, const Tick&) const override {
    return make_sparse(permuted_columns(view_, seed), measured_anew(preparation()));
  }

  SparseView view_;
  bool by_row_;
  AnyLines lines_;
  bool sorted_;  ///< whether indices are ascending in each line
};

}  // namespace

std::unique_ptr<DataMatrix> make_sparse(const SparseView& view, const Preparation& preparation) {
  return std::make_unique<SparseMatrix>(view, preparation);
}

}  // namespace spcart
