#include <type_traits>
#include <utility>

#include "data/load_dense.hpp"
#include "data/resample.hpp"
#include "data/stored/gram_product.hpp"
#include "data/stored/panels.hpp"
#include "data/stored/stored.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

template <class T>
class DenseMatrix : public StoredMatrix, public Samples {
 public:
  DenseMatrix(const DenseView& view, const Preparation& preparation, const Tick& tick,
              FormGram gram)
      : StoredMatrix(view.rows, view.cols,
                     static_cast<double>(view.rows) * static_cast<double>(view.cols)),
        view_(view) {
    measure(preparation, tick, gram);
  }

 protected:
  const DenseView& view() const { return view_; }

 private:
  class WholePass final : public Pass {
   public:
    explicit WholePass(const DenseView& view) : view_(view) {}
    void load(Index row, Index col, Block tile) const override {
      load_dense<T>(view_, row, col, tile);
    }
    Line line(Index row, Index col) const override { return line_of<T>(view_, row, col); }

   private:
    const DenseView& view_;
  };

  std::unique_ptr<Pass> open(Along, Index) const final {
    return std::make_unique<WholePass>(view_);
  }

  const Samples* do_stored_samples() const override { return this; }
  std::unique_ptr<DataMatrix> do_select_rows(std::vector<Index> rows,
                                             const Preparation& preparation, const Tick& tick,
                                             FormGram gram) const final {
    return make_gathered(view_, std::move(rows), preparation, tick, gram);
  }

  std::unique_ptr<DataMatrix> do_permute_columns(std::uint64_t seed, const Tick& tick) const final {
    const Preparation preparation = permuted_preparation(*this);
    return make_dense(permuted_columns(view_, row_means(), seed, tick), preparation, tick);
  }

  DenseView view_;
};

/// Numbers of the type that products are computed in are multiplied in place if that keeps all
/// digits: the product is corrected afterwards, and nothing is copied.
template <class T>
class FloatingMatrix final : public DenseMatrix<T> {
 public:
  using Base = DenseMatrix<T>;
  using Base::Base;

 private:
  bool in_place() const {
    constexpr Precision kOwn = std::is_same_v<T, float> ? Precision::single : Precision::full;
    const bool for_blas = Base::view().row_stride == 1 || Base::view().col_stride == 1;
    return Base::preparation().precision == kOwn && Base::is_correctable() && for_blas;
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    if (!in_place()) return Base::do_times(x, y, tick);
    const Matrix dx = Base::scaled(x);
    const Factor<T> factor{dx};
    Eigen::MatrixX<T> product;
    for_rows(tick, [&](Index row, const auto& s) {
      product.noalias() = s * factor.values;
      y.middleRows(row, s.rows()) = product.template cast<double>();
    });
    factor.finish(y, 1);
    Base::correct_times(dx, y);
  }

  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    if (!in_place()) return Base::do_adjoint_times(y, x, tick);
    const Factor<T> factor{y};
    PanelSum<T> sum(x);
    for_rows(tick, [&](Index row, const auto& s) {
      sum.add(s.rows(), [&](auto& to) {
        to.noalias() += s.transpose() * factor.values.middleRows(row, s.rows());
      });
    });
    sum.finish();
    factor.finish(x, 1);
    Base::correct_adjoint(y, x);
  }

  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    if (!in_place() || Base::has_gram()) return Base::do_gram_times(x, y, tick);
    const Matrix dx = Base::scaled(x);
    const Factor<T> factor{dx};
    const auto& row_means = Base::row_means();
    GramProduct<T> product(factor.values, threads());
    const Eigen::VectorX<T> shift =
        (product.x().template cast<double>() * Base::means()).template cast<T>();
    const Eigen::VectorX<T> sums = product.x().rowwise().sum();
    Vector totals = Vector::Zero(shift.size()), weighted = totals;
    for_rows(tick, [&](Index row, const auto& s) {
      const auto m =
          row_means.segment(row_means.size() > 0 ? row : 0, row_means.size() > 0 ? s.rows() : 0);
      const auto& products = product.add(
          {s.data(), s.outerStride(), s.innerSize(), s.outerSize()}, s.IsRowMajor,
          [&](Index first, auto&& t) {
            t.colwise() -= shift;
            if (m.size() > 0)
              t.noalias() -= sums * m.segment(first, t.cols()).template cast<T>().transpose();
          });
      totals += products.template cast<double>().rowwise().sum();
      if (m.size() > 0) weighted += products.template cast<double>() * m;
    });
    product.finish(y);
    y.noalias() -= Base::means() * totals.head(y.cols()).transpose();
    y.rowwise() -= weighted.head(y.cols()).transpose();
    y.array().colwise() *= Base::inverse_scales().array();
    factor.finish(y, 1);
  }

  /// Calls visit(row, rows of S that begin there) for all of S.
  template <class Visit>
  void for_rows(const Tick& tick, Visit visit) const {
    constexpr typename Base::PanelSize kPanelSize{Index{1} << 23, 256};
    using Outer = Eigen::OuterStride<>;
    using ByRow = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using ByColumn = Eigen::MatrixX<T>;
    const DenseView& view = Base::view();
    const Index step = Base::panel_step(Base::Along::rows, sizeof(T), kPanelSize);
    for (Index row = 0; row < view.rows; row += step) {
      if (tick) tick(static_cast<double>(row) / static_cast<double>(view.rows));
      const Index count = std::min(step, view.rows - row);
      const T* first = static_cast<const T*>(view.data) + row * view.row_stride;
      if (view.col_stride == 1)
        visit(row,
              Eigen::Map<const ByRow, 0, Outer>(first, count, view.cols, Outer(view.row_stride)));
      else
        visit(row, Eigen::Map<const ByColumn, 0, Outer>(first, count, view.cols,
                                                        Outer(view.col_stride)));
    }
  }
};

}  // namespace

std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation,
                                       const Tick& tick) {
  return make_dense(view, preparation, tick, FormGram::no);
}

std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation,
                                       const Tick& tick, FormGram gram) {
  return with_scalar(view.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    if constexpr (std::is_floating_point_v<T>)
      return std::make_unique<FloatingMatrix<T>>(view, preparation, tick, gram);
    else
      return std::make_unique<DenseMatrix<T>>(view, preparation, tick, gram);
  });
}

std::unique_ptr<DataMatrix> make_dense(Matrix matrix, const Preparation& preparation,
                                       const Tick& tick) {
  const auto owner = std::make_shared<const Matrix>(std::move(matrix));
  DenseView view = view_of(*owner);
  view.owner = owner;
  return make_dense(view, preparation, tick);
}

}  // namespace spcart
