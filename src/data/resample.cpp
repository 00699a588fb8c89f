#include "data/resample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "data/load_dense.hpp"
#include "data/permutation.hpp"
#include "data/stored/stored.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "table/stored_values.hpp"

namespace spcart {
namespace {

template <class T>
class GatheredMatrix final : public StoredMatrix {
 public:
  GatheredMatrix(const DenseView& view, std::vector<Index> rows, const Preparation& preparation,
                 const Tick& tick, FormGram gram)
      : StoredMatrix(static_cast<Index>(rows.size()), view.cols,
                     static_cast<double>(rows.size()) * static_cast<double>(view.cols)),
        view_(view),
        rows_(std::move(rows)) {
    measure(preparation, tick, gram);
  }

 private:
  class GatheredPass final : public Pass {
   public:
    explicit GatheredPass(const GatheredMatrix& a) : a_(a) {}
    void load(Index row, Index col, Block tile) const override { a_.load(row, col, tile); }

   private:
    const GatheredMatrix& a_;
  };

  void load(Index row, Index col, Block tile) const {
    const auto* first = static_cast<const T*>(view_.data) + col * view_.col_stride;
    const auto at = [&](Index i) {
      return first + rows_[static_cast<std::size_t>(row + i)] * view_.row_stride;
    };
    if (view_.col_stride == 1)
      for (Index i = 0; i < tile.cols(); ++i) std::copy_n(at(i), tile.rows(), tile.col(i).data());
    else  // rows are ascending: the few samples of a tile are near one another within a variable
      for (Index j = 0; j < tile.rows(); ++j)
        for (Index i = 0; i < tile.cols(); ++i)
          tile(j, i) = static_cast<double>(at(i)[j * view_.col_stride]);
  }

  std::unique_ptr<Pass> open(Along, Index) const override {
    return std::make_unique<GatheredPass>(*this);
  }

  DenseView view_;
  std::vector<Index> rows_;
};

/// The memory that a view of a sparse table owns.
template <class T, class I>
struct Owned {
  std::vector<T> values;
  std::vector<I> inner, outer;
};

template <class T, class I>
SparseView view_of(std::shared_ptr<Owned<T, I>> owned, SparseView::Major major, Index rows,
                   Index cols) {
  return {.major = major,
          .rows = rows,
          .cols = cols,
          .values = owned->values.data(),
          .scalar = scalar_of<T>(),
          .inner = owned->inner.data(),
          .outer = owned->outer.data(),
          .wide = sizeof(I) == sizeof(std::int64_t),
          .owner = owned};
}

/// Calls f(T{}, I{}) for the types of a view.
template <class F>
SparseView with_types(const SparseView& view, F f) {
  return with_scalar(view.scalar, [&]<class T>(T value) {
    return view.wide ? f(value, std::int64_t{}) : f(value, std::int32_t{});
  });
}

template <class I>
void check_entries(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<I>::max()))
    throw Error(
        fmt::format("resampling gives {} entries, more than the table's indices can count", count));
}

/// Copies of row i become rows begin[i] to begin[i + 1] - 1.
std::vector<Index> first_copies(const std::vector<Index>& rows, Index count) {
  std::vector<Index> begin(static_cast<std::size_t>(count) + 1, 0);
  for (const Index row : rows) ++begin[static_cast<std::size_t>(row) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

template <class T, class I>
SparseView select_columns(const SparseView& view, std::span<const Index> columns) {
  const auto* values = static_cast<const T*>(view.values);
  const auto* inner = static_cast<const I*>(view.inner);
  const auto* outer = static_cast<const I*>(view.outer);
  const bool by_row = view.major == SparseView::Major::row;
  const auto count = static_cast<Index>(columns.size());
  std::vector<Index> index(static_cast<std::size_t>(by_row ? view.cols : 0), -1);
  if (by_row)
    for (Index k = 0; k < count; ++k)
      index[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])] = k;
  auto owned = std::make_shared<Owned<T, I>>();
  owned->outer.push_back(0);
  for (Index line = 0; line < (by_row ? view.rows : count); ++line) {
    const Index from = by_row ? line : columns[static_cast<std::size_t>(line)];
    for (I k = outer[from]; k < outer[from + 1]; ++k) {
      const Index at = by_row ? index[static_cast<std::size_t>(inner[k])] : Index{inner[k]};
      if (at < 0) continue;
      owned->inner.push_back(static_cast<I>(at));
      owned->values.push_back(values[k]);
    }
    owned->outer.push_back(static_cast<I>(owned->values.size()));
  }
  return view_of<T, I>(std::move(owned), view.major, view.rows, count);
}

template <class T, class I>
SparseView select_compressed(const SparseView& view, const std::vector<Index>& rows) {
  const auto* values = static_cast<const T*>(view.values);
  const auto* inner = static_cast<const I*>(view.inner);
  const auto* outer = static_cast<const I*>(view.outer);
  const bool by_row = view.major == SparseView::Major::row;
  auto owned = std::make_shared<Owned<T, I>>();
  const auto end_line = [&] {
    check_entries<I>(owned->values.size());
    owned->outer.push_back(static_cast<I>(owned->values.size()));
  };
  end_line();
  if (by_row) {
    for (const Index row : rows) {
      owned->values.insert(owned->values.end(), values + outer[row], values + outer[row + 1]);
      owned->inner.insert(owned->inner.end(), inner + outer[row], inner + outer[row + 1]);
      end_line();
    }
  } else {
    const std::vector<Index> begin = first_copies(rows, view.rows);
    for (Index j = 0; j < view.cols; ++j) {
      for (I k = outer[j]; k < outer[j + 1]; ++k) {
        const auto row = static_cast<std::size_t>(inner[k]);
        for (Index index = begin[row]; index < begin[row + 1]; ++index) {
          owned->values.push_back(values[k]);
          owned->inner.push_back(static_cast<I>(index));
        }
      }
      end_line();
    }
  }
  return view_of(std::move(owned), view.major, static_cast<Index>(rows.size()), view.cols);
}

template <class T, class I>
SparseView permute_compressed(const SparseView& view, std::uint64_t seed) {
  auto owned = std::make_shared<Owned<T, I>>();
  owned->outer.assign(static_cast<std::size_t>(view.cols) + 1, 0);
  auto count = [&](Index, Index col, T) { ++owned->outer[static_cast<std::size_t>(col) + 1]; };
  for_each_entry<T, I>(view, count);
  std::partial_sum(owned->outer.begin(), owned->outer.end(), owned->outer.begin());
  const auto entries = static_cast<std::size_t>(owned->outer.back());
  owned->values.resize(entries);
  owned->inner.resize(entries);

  const auto first = [&](Index j) { return owned->outer[static_cast<std::size_t>(j)]; };
  const auto count_of = [&](Index j) { return Index{first(j + 1) - first(j)}; };
  Random random(seed);
  RowDraw<I> rows(view.rows);
  for (Index j = 0; j < view.cols; ++j)
    rows.draw(count_of(j), random, owned->inner.data() + first(j));

  // The assignment of the values of a column to its rows must be random too.
  std::vector<I> next(owned->outer.begin(), owned->outer.end() - 1);
  auto put = [&](Index, Index col, T value) {
    owned->values[static_cast<std::size_t>(next[static_cast<std::size_t>(col)]++)] = value;
  };
  for_each_entry<T, I>(view, put);
  for (Index j = 0; j < view.cols; ++j)
    shuffle(owned->values.data() + first(j), count_of(j), random);
  return view_of(std::move(owned), SparseView::Major::column, view.rows, view.cols);
}

const Samples& samples_of(const DataMatrix& a) {
  if (const Samples* samples = a.stored_samples()) return *samples;
  throw Error(a.samples() ? "this needs the samples in memory, as a dense or a sparse table"
                          : "this needs samples, and only their covariance is known");
}

}  // namespace

Preparation measured_anew(Preparation preparation) {
  preparation.means.reset();
  preparation.scales.reset();
  return preparation;
}

Preparation permuted_preparation(const DataMatrix& a) {
  Preparation preparation = measured_anew(a.preparation());
  preparation.remove_row_mean = false;
  // Without its row means, a table of genotypes does not tell the frequencies any more.
  if (preparation.scale && preparation.genotypes) preparation.scales = a.scales();
  return preparation;
}

std::unique_ptr<DataMatrix> select_rows(const DataMatrix& a, std::vector<Index> rows,
                                        const Preparation& preparation, const Tick& tick,
                                        FormGram gram) {
  const Samples& samples = samples_of(a);
  std::ranges::sort(rows);
  if (rows.empty()) throw Error("rows: none is given");
  const Index wrong = rows.front() < 0 ? rows.front() : rows.back();
  if (wrong < 0 || wrong >= a.rows())
    throw Error(fmt::format("rows: {} is not within 0 to {}", wrong, a.rows() - 1));
  return samples.do_select_rows(std::move(rows), preparation, tick, gram);
}

std::unique_ptr<DataMatrix> permute_columns(const DataMatrix& a, std::uint64_t seed,
                                            const Tick& tick) {
  return samples_of(a).do_permute_columns(seed, tick);
}

void check_room_for_copy(Index rows, Index cols, std::uint64_t memory) {
  const auto bytes =
      static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * sizeof(double);
  if (bytes > memory)
    throw Error(
        fmt::format("permuting the table takes {} for a copy, and {} are left: take fewer "
                    "samples or variables",
                    bytes_in_words(bytes), bytes_in_words(memory)));
}

std::unique_ptr<DataMatrix> make_gathered(const DenseView& view, std::vector<Index> rows,
                                          const Preparation& preparation, const Tick& tick,
                                          FormGram gram) {
  return with_scalar(view.scalar, [&]<class T>(T) -> std::unique_ptr<DataMatrix> {
    return std::make_unique<GatheredMatrix<T>>(view, std::move(rows), preparation, tick, gram);
  });
}

SparseView selected_columns(const SparseView& view, std::span<const Index> columns) {
  return with_types(view,
                    [&]<class T, class I>(T, I) { return select_columns<T, I>(view, columns); });
}

SparseView selected_rows(const SparseView& view, const std::vector<Index>& rows) {
  return with_types(view,
                    [&]<class T, class I>(T, I) { return select_compressed<T, I>(view, rows); });
}

Matrix permuted_columns(const DenseView& view, const Vector& row_means, std::uint64_t seed,
                        const Tick& tick) {
  check_room_for_copy(view.rows, view.cols);
  Matrix copy(view.rows, view.cols);
  Random random(seed);
  with_scalar(view.scalar, [&]<class T>(T) {
    for (Index j = 0; j < view.cols; ++j) {
      if (tick) tick(static_cast<double>(j) / static_cast<double>(view.cols));
      const auto* column = static_cast<const T*>(view.data) + j * view.col_stride;
      for (Index i = 0; i < view.rows; ++i)
        copy(i, j) = static_cast<double>(column[i * view.row_stride]);
      if (row_means.size() > 0) copy.col(j) -= row_means;
      shuffle(copy.col(j).data(), view.rows, random);
    }
  });
  return copy;
}

SparseView permuted_columns(const SparseView& view, std::uint64_t seed) {
  return with_types(view,
                    [&]<class T, class I>(T, I) { return permute_compressed<T, I>(view, seed); });
}

}  // namespace spcart
