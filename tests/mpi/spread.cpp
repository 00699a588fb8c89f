#include "spread.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_file.hpp"
#include "spcart/io.hpp"

namespace spcart::testing {
namespace {

template <int Order>
Table sparse_table(const Matrix& s) {
  using Sparse = Eigen::SparseMatrix<double, Order, std::int32_t>;
  auto owner = std::make_shared<Sparse>(s.sparseView());
  owner->makeCompressed();
  SparseView view;
  view.major = Order == Eigen::RowMajor ? SparseView::Major::row : SparseView::Major::column;
  view.rows = s.rows();
  view.cols = s.cols();
  view.values = owner->valuePtr();
  view.inner = owner->innerIndexPtr();
  view.outer = owner->outerIndexPtr();
  view.owner = owner;
  return {view, false, default_names(s.cols()), {}};
}

Table single_table(const Matrix& s) {
  using Single = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  auto owner = std::make_shared<Single>(s.cast<float>());
  DenseView view = DenseView::row_major(owner->data(), s.rows(), s.cols());
  view.owner = owner;
  return {view, false, default_names(s.cols()), {}};
}

Table dense_table(const Matrix& s) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  auto owner = std::make_shared<RowMajor>(s);
  DenseView view = DenseView::row_major(owner->data(), s.rows(), s.cols());
  view.owner = owner;
  return {view, false, default_names(s.cols()), {}};
}

/// A table in a file that is unlinked, but open.
Table file_table(const Matrix& s) {
  const TemporaryDirectory folder;
  return read_table(folder.file("rows.npy", npy_of<double>(s, "<f8")), {.storage = Storage::file});
}

Index first_row(Split split, Index rows, int rank) {
  const int size = ranks().size();
  if (rank == size) return rows;
  if (split == Split::uneven) return std::min<Index>(rank, rows);
  if (split == Split::root_empty && size > 1) return rank == 0 ? 0 : rows * (rank - 1) / (size - 1);
  return rows * rank / size;
}

std::vector<Table> own_parts(const Matrix& s, Kind kind, Split split) {
  const Index first = first_row(split, s.rows(), ranks().rank());
  const Index last = first_row(split, s.rows(), ranks().rank() + 1);
  const Index middle = split == Split::in_parts ? (first + last) / 2 : first;
  std::vector<Table> parts;
  if (middle > first) parts.push_back(table_of(s.middleRows(first, middle - first), kind));
  if (last > middle) parts.push_back(table_of(s.middleRows(middle, last - middle), kind));
  return parts;
}

struct Task {
  bool last = true;
  Index rows = 0, cols = 0;
  Kind kind = Kind::dense;
  Split split = Split::even;
};

}  // namespace

const mpi::Ranks& ranks() {
  static const mpi::Ranks all;
  return all;
}

Table table_of(const Matrix& s, Kind kind) {
  switch (kind) {
    case Kind::by_column:
      return make_table(s);
    case Kind::single:
      return single_table(s);
    case Kind::sparse:
      return sparse_table<Eigen::RowMajor>(s);
    case Kind::sparse_by_column:
      return sparse_table<Eigen::ColMajor>(s);
    case Kind::file:
      return file_table(s);
    case Kind::dense:
      break;
  }
  return dense_table(s);
}

std::unique_ptr<DataMatrix> spread(const Matrix& s, const Preparation& preparation, Kind kind,
                                   Split split) {
  ranks().broadcast(Task{false, s.rows(), s.cols(), kind, split});
  Matrix numbers = s;
  ranks().broadcast(Block(numbers));
  return mpi::distribute(ranks(), own_parts(s, kind, split), preparation);
}

void serve() {
  while (true) {
    const Task task = ranks().broadcast(Task{});
    if (task.last) return;
    Matrix s(task.rows, task.cols);
    ranks().broadcast(Block(s));
    try {
      mpi::distribute(ranks(), own_parts(s, task.kind, task.split))->serve();
    } catch (const mpi::Abandoned&) {
    }
  }
}

void dismiss() { ranks().broadcast(Task{}); }

}  // namespace spcart::testing
