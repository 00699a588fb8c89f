#include <fmt/format.h>

#include "spcart/data.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// A matrix A whose products with A'A cost p^2 instead of a pass over the samples.
class MatrixWithGram final : public DataMatrix {
 public:
  MatrixWithGram(const DataMatrix& a, const Matrix& gram)
      : DataMatrix(a.rows(), a.cols(), a.samples(), a.entries()), a_(a), gram_(gram) {
    if (gram.rows() != a.cols() || gram.cols() != a.cols())
      throw Error(
          fmt::format("gram: it is {} x {} for {} variables", gram.rows(), gram.cols(), a.cols()));
    if (a.subtracts_products()) set_subtracts_products();
    set_statistics(a.preparation(), a.column_squared_norms(), a.constant_columns());
  }

 private:
  void do_times(ConstBlock x, Block y, const Tick& tick) const override { y = a_.times(x, tick); }
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    x = a_.adjoint_times(y, tick);
  }
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    if (tick) tick(0);
    y.noalias() = gram_ * x;
  }
  void do_gram(Block g, const Tick&) const override { g = gram_; }
  void do_outer_gram(Block g, const Tick& tick) const override { g = a_.outer_gram(tick); }
  const Execution& do_execution() const override { return a_.execution(); }

  const DataMatrix& a_;
  const Matrix& gram_;
};

}  // namespace

std::unique_ptr<DataMatrix> with_gram(const DataMatrix& a, const Matrix& gram) {
  return std::make_unique<MatrixWithGram>(a, gram);
}

}  // namespace spcart
