#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/stored.hpp"
#include "data/stored_values.hpp"
#include "parallel.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Compressed lines: the rows of a CSR, or the columns of a CSC matrix. A line times a block is a
/// gather, its transpose a scatter; which of them is A and which A' depends on the kind.
template <class T, class I>
struct Lines {
  const T* values;
  const I* inner;
  const I* outer;
  Index count;   ///< number of lines
  Index length;  ///< of each

  /// y = L x, where y has a row a line.
  void gather(const RowMajor& x, RowMajor& y) const {
#pragma omp parallel for schedule(static) if (worth_threads(x))
    for (Index i = 0; i < count; ++i) gather_line(i, x, y.row(i));
  }

  /// y = L'x, where x has a row a line. Each thread takes a range of lines and a sum of its own;
  /// the sums are added in order, so that the result does not depend on who was first.
  void scatter(const RowMajor& x, RowMajor& y) const {
    in_ranges(y, [&](Index i, RowMajor& sum) { scatter_line(i, x.row(i), sum); });
  }

  template <class Row>
  void gather_line(Index i, const RowMajor& x, Row&& y) const {
    y.setZero();
    for (I k = outer[i]; k < outer[i + 1]; ++k)
      y += static_cast<double>(values[k]) * x.row(inner[k]);
  }

  template <class Row>
  void scatter_line(Index i, const Row& x, RowMajor& sum) const {
    for (I k = outer[i]; k < outer[i + 1]; ++k)
      sum.row(inner[k]) += static_cast<double>(values[k]) * x;
  }

  bool worth_threads(const RowMajor& block) const {
    return Index{outer[count]} * block.cols() > kWorthThreads;
  }

  template <class Visit>
  void in_ranges(RowMajor& y, Visit visit) const {
    const Index ranges = worth_threads(y) ? std::min(threads(), count) : 1;
    std::vector<RowMajor> sums(static_cast<std::size_t>(ranges));
    parallel_for(ranges, ranges > 1, [&](Index t) {
      RowMajor& sum = sums[static_cast<std::size_t>(t)];
      sum.setZero(y.rows(), y.cols());
      for (Index i = count * t / ranges; i < count * (t + 1) / ranges; ++i) visit(i, sum);
    });
    y = std::move(sums.front());
    for (std::size_t t = 1; t < sums.size(); ++t) y += sums[t];
  }

  void check() const {
    if (outer[0] != 0) throw Error(fmt::format("sparse table: outer[0] is {}, not 0", outer[0]));
    std::vector<Index> seen(static_cast<std::size_t>(length), -1);
    for (Index i = 0; i < count; ++i) {
      if (outer[i + 1] < outer[i])
        throw Error(fmt::format("sparse table: outer falls from {} to {} at line {}", outer[i],
                                outer[i + 1], i));
      for (I k = outer[i]; k < outer[i + 1]; ++k) {
        if (inner[k] < 0 || inner[k] >= length)
          throw Error(fmt::format("sparse table: index {} in line {} is not within 0 to {}",
                                  inner[k], i, length - 1));
        Index& last = seen[static_cast<std::size_t>(inner[k])];
        if (last == i)
          throw Error(fmt::format("sparse table: line {} has two entries at {}", i, inner[k]));
        last = i;
      }
    }
  }
};

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
        lines_{static_cast<const T*>(view.values), static_cast<const I*>(view.inner),
               static_cast<const I*>(view.outer), by_row_ ? view.rows : view.cols,
               by_row_ ? view.cols : view.rows} {
    lines_.check();
    Preparation full = preparation;
    full.precision = Precision::full;
    measure(full);
  }

 private:
  template <class Visit>
  void for_entries(Visit visit) const {
    for (Index i = 0; i < lines_.count; ++i)
      for (I k = lines_.outer[i]; k < lines_.outer[i + 1]; ++k) {
        const auto value = static_cast<double>(lines_.values[k]);
        by_row_ ? visit(i, Index{lines_.inner[k]}, value) : visit(Index{lines_.inner[k]}, i, value);
      }
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
    m.row_means = Vector::Zero(rows());
    m.means = m.largest = Vector::Zero(cols());
    Vector entries = Vector::Zero(cols());
    for_entries([&](Index i, Index j, double value) {
      if (!std::isfinite(value)) refuse(value, i, j);
      if (remove_row_mean) m.row_means[i] += value / static_cast<double>(cols());
      m.means[j] += value;
      m.largest[j] = std::max(m.largest[j], std::abs(value));
      entries[j] += 1;
    });
    m.means = (m.means / static_cast<double>(rows())).array() - m.row_means.mean();
    return entries;
  }

  /// Zeros count too, but are never visited: with t = m_i + c_j, the squares of a variable are
  /// those of its entries about t, plus t^2 of its zeros.
  void measure_squares(const Vector& entries, Moments& m) const {
    const auto n = static_cast<double>(rows());
    Vector sums = Vector::Zero(cols()), zeros = sums;
    m.squares = sums;
    for_entries([&](Index i, Index j, double value) {
      const double t = m.row_means[i] + m.means[j];
      sums[j] += value - t;
      m.squares[j] += (value - t) * (value - t);
      zeros[j] -= t * t;
    });
    const double mean = m.row_means.mean();
    zeros.array() += (m.row_means.array() - mean).square().sum();
    zeros.array() += n * (m.means.array() + mean).square();
    for (Index j = 0; j < cols(); ++j)
      if (entries[j] == n) {
        // No zeros: what the first pass lost to rounding can be given back.
        zeros[j] = -sums[j] * sums[j] / n;
        m.means[j] += sums[j] / n;
      }
    m.squares = (m.squares + zeros).cwiseMax(0.0);
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
    for (Index i = 0; i < lines; ++i) {
      const I* begin = lines_.inner + lines_.outer[first_line + i];
      const I* end = lines_.inner + lines_.outer[first_line + i + 1];
      for (const I* k = begin; k < end; ++k) {
        if (*k < first || *k >= last) continue;
        const auto value = static_cast<double>(lines_.values[k - lines_.inner]);
        (by_row_ ? panel(*k - first, i) : panel(i, *k - first)) = value;
      }
    }
  }

  void do_times(ConstBlock x, Block y, const Tick&) const override {
    const Matrix dx = scaled(x);
    RowMajor product(rows(), x.cols());
    by_row_ ? lines_.gather(dx, product) : lines_.scatter(dx, product);
    y = product;
    correct_times(dx, y);
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick&) const override {
    RowMajor product(cols(), y.cols());
    by_row_ ? lines_.scatter(y, product) : lines_.gather(y, product);
    x = product;
    correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    if (!by_row_) {
      Matrix product(rows(), x.cols());
      do_times(x, product, tick);
      do_adjoint_times(product, y, tick);
      return;
    }
    const RowMajor dx = scaled(x);
    const Eigen::RowVectorXd shift = means().transpose() * dx, sums = dx.colwise().sum();
    RowMajor product(rows(), x.cols()), sum(cols(), x.cols());
    lines_.in_ranges(sum, [&](Index i, RowMajor& range_sum) {
      auto line = product.row(i);
      lines_.gather_line(i, dx, line);
      line -= shift;
      if (row_means().size() > 0) line -= row_means()[i] * sums;
      lines_.scatter_line(i, line, range_sum);
    });
    y = sum;
    correct_adjoint(product, y);
  }

  SparseView view_;
  bool by_row_;
  Lines<T, I> lines_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_sparse(const SparseView& view, const Preparation& preparation) {
  return with_scalar(view.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    if (view.wide) return std::make_unique<SparseMatrix<T, std::int64_t>>(view, preparation);
    return std::make_unique<SparseMatrix<T, std::int32_t>>(view, preparation);
  });
}

}  // namespace spcart
