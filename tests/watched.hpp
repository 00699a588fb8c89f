#pragma once

#include <algorithm>

#include "spcart/data.hpp"

namespace spcart::testing {

/// Another matrix, with counts of the calls. For one thread at a time.
class Watched final : public DataMatrix {
 public:
  explicit Watched(const DataMatrix& a)
      : DataMatrix(a.rows(), a.cols(), a.samples(), a.entries()), a_(a) {
    set_statistics(a.preparation(), a.column_squared_norms(), a.constant_columns());
  }

  mutable Index grams = 0;          ///< times that A'A was formed
  mutable Index gram_products = 0;  ///< with A'A
  mutable Index widest = 0;         ///< columns of the largest of them

 private:
  void do_times(ConstBlock x, Block y, const Tick& tick) const override { y = a_.times(x, tick); }
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    x = a_.adjoint_times(y, tick);
  }
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    ++gram_products;
    widest = std::max(widest, x.cols());
    y = a_.gram_times(x, tick);
  }
  void do_gram(Block g, const Tick& tick) const override {
    ++grams;
    g = a_.gram(tick);
  }
  void do_outer_gram(Block g, const Tick& tick) const override { g = a_.outer_gram(tick); }

  const DataMatrix& a_;
};

}  // namespace spcart::testing
