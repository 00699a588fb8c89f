#include <utility>

#include "data/load_dense.hpp"
#include "data/stored.hpp"
#include "data/stored_values.hpp"

namespace spcart {
namespace {

template <class T>
class DenseMatrix final : public StoredMatrix {
 public:
  DenseMatrix(const DenseView& view, const Preparation& preparation, const Tick& tick)
      : StoredMatrix(view.rows, view.cols,
                     static_cast<double>(view.rows) * static_cast<double>(view.cols)),
        view_(view) {
    measure(preparation, tick);
  }

 private:
  class InPlace final : public Pass {
   public:
    explicit InPlace(const DenseView& view) : view_(view) {}
    void load(Index row, Index col, Block tile) const override {
      load_dense<T>(view_, row, col, tile);
    }

   private:
    const DenseView& view_;
  };

  std::unique_ptr<Pass> open(Along, Index) const override {
    return std::make_unique<InPlace>(view_);
  }

  DenseView view_;
};

}  // namespace

std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation,
                                       const Tick& tick) {
  return with_scalar(view.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<DenseMatrix<T>>(view, preparation, tick);
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
