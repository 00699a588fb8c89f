#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/preparation.hpp"
#include "data/stored/stored.hpp"
#include "spcart/error.hpp"
#include "spcart/linear_operator.hpp"

namespace spcart {
namespace {

/// Vectors that are multiplied at a time, if they are unit vectors.
constexpr Index kTogether = 64;

class OperatorMatrix final : public StoredMatrix {
 public:
  OperatorMatrix(const LinearOperator& s, const Preparation& preparation, const Tick& tick)
      : StoredMatrix(s.rows, s.cols, static_cast<double>(s.rows) * static_cast<double>(s.cols)),
        s_(s) {
    if (!s_.times || !s_.adjoint_times)
      throw Error("a linear operator needs products with it and with its adjoint");
    set_subtracts_products();
    measure(in_double(preparation), tick);
  }

 private:
  Matrix stored_times(ConstBlock x) const {
    Matrix y(rows(), x.cols());
    s_.times(x, y);
    return y;
  }

  Matrix stored_adjoint_times(ConstBlock y) const {
    Matrix x(cols(), y.cols());
    s_.adjoint_times(y, x);
    return x;
  }

  /// Calls visit(first, values) for some columns of S at a time, or for some rows of it, which are
  /// then the columns of `values`: for whichever are fewer.
  template <class Visit>
  void for_lines(const Tick& tick, Visit visit) const {
    const bool by_row = rows() < cols();
    const Index lines = by_row ? rows() : cols();
    for (Index first = 0; first < lines; first += kTogether) {
      if (tick) tick(static_cast<double>(first) / static_cast<double>(lines));
      const Index count = std::min(kTogether, lines - first);
      Matrix units = Matrix::Zero(lines, count);
      units.middleRows(first, count).setIdentity();
      visit(first, by_row ? stored_adjoint_times(units) : stored_times(units));
    }
  }

  /// Squares are summed about the means, so that large means lose no digits.
  Moments moments(const Preparation& preparation, const Tick& tick, FormGram) const override {
    Moments m;
    if (preparation.remove_row_mean)
      m.row_means = stored_times(Vector::Ones(cols())) / static_cast<double>(cols());
    const Vector row_means = preparation.remove_row_mean ? m.row_means : Vector::Zero(rows());
    m.means = stored_adjoint_times(Vector::Ones(rows())) / static_cast<double>(rows());
    m.means.array() -= row_means.mean();
    m.squares.setZero(cols());
    const bool by_row = rows() < cols();
    for_lines(tick, [&](Index first, Matrix values) {
      for (Index k = 0; k < values.cols(); ++k) {
        auto line = values.col(k);
        if (Index at = 0; !line.allFinite()) {
          while (std::isfinite(line[at])) ++at;
          reject(line[at], by_row ? first + k : at, by_row ? at : first + k);
        }
        if (by_row) {
          line -= m.means;
          line.array() -= row_means[first + k];
          m.squares += line.cwiseAbs2();
        } else {
          line -= row_means;
          line.array() -= m.means[first + k];
          m.squares[first + k] = line.squaredNorm();
        }
      }
    });
    m.largest = m.means.cwiseAbs();
    return m;
  }

  std::unique_ptr<Pass> open(Along, Index) const override {
    throw std::logic_error("an operator has no entries to read");
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    if (tick) tick(0);
    const Matrix dx = scaled(x);
    s_.times(dx, y);
    correct_times(dx, y);
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    if (tick) tick(0);
    s_.adjoint_times(y, x);
    correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    Matrix ax(rows(), x.cols());
    do_times(x, ax, tick);
    do_adjoint_times(ax, y, tick);
  }

  void do_gram(Block g, const Tick& tick) const override {
    std::vector<Index> all(static_cast<std::size_t>(cols()));
    std::iota(all.begin(), all.end(), Index{0});
    do_gram_of(all, g, tick);
  }

  void do_outer_gram(Block g, const Tick& tick) const override { outer_gram_by_products(g, tick); }

  void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const override {
    // NOLINTNEXTLINE(bugprone-parent-virtual-call): that of StoredMatrix would read entries
    DataMatrix::do_gram_of(variables, g, tick);
    g = ((g + g.transpose()) / 2).eval();  // the operator may round in its own way
  }

  LinearOperator s_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_operator(const LinearOperator& s, const Preparation& preparation,
                                          const Tick& tick) {
  return std::make_unique<OperatorMatrix>(s, preparation, tick);
}

}  // namespace spcart
