#include <fmt/format.h>

#include <cstdint>

#include "roofline.hpp"
#include "spcart/data.hpp"
#include "spcart/names.hpp"
#include "tables.hpp"

namespace spcart::benchmarks {
namespace {

constexpr Index kRows = 20000, kCols = 500;

/// Means, norms and the check for values that are not finite, beside reading the table once.
template <class T>
void dense_moments(benchmark::State& state) {
  const DenseTable<T> table(kRows, kCols);
  race(
      state, [&] { benchmark::DoNotOptimize(make_dense(table.view())); }, Triad(table.bytes()));
}

template <class T>
void dense_gram(benchmark::State& state, Precision precision) {
  const DenseTable<T> table(kRows, kCols);
  const auto a = make_dense(table.view(), {.precision = precision});
  race(
      state, [&] { benchmark::DoNotOptimize(a->gram()); }, Dsyrk(kRows, kCols));
}

void dense_outer_gram(benchmark::State& state) {
  constexpr Index kFew = 100, kMany = 20000;
  const DenseTable<double> table(kFew, kMany);
  const auto a = make_dense(table.view());
  race(
      state, [&] { benchmark::DoNotOptimize(a->outer_gram()); }, Dsyrk(kMany, kFew));
}

/// A'(A x): one column needs one pass over the table in memory; many columns, two products.
template <class T>
void dense_gram_times(benchmark::State& state, Index columns) {
  const DenseTable<T> table(kRows, kCols);
  const auto a = make_dense(table.view());
  const Matrix x = Random(1).normal(kCols, columns);
  const Work kernel = [&] { benchmark::DoNotOptimize(a->gram_times(x)); };
  if (columns == 1) return race(state, kernel, Triad(table.bytes()));
  Dgemm there(kRows, kCols, columns), back(kCols, kRows, columns);
  race(state, kernel, [&] {
    there();
    back();
  });
}

/// The same for entries with their indices; the product has as many operations.
void sparse_gram_times(benchmark::State& state, Index columns) {
  constexpr Index kSparseRows = 20000, kSparseCols = 5000, kEach = 50, kDepth = 64;
  const SparseTable table(kSparseRows, kSparseCols, kEach);
  const auto a = make_sparse(table.view());
  const Matrix x = Random(1).normal(kSparseCols, columns);
  const Work kernel = [&] { benchmark::DoNotOptimize(a->gram_times(x)); };
  if (columns == 1) return race(state, kernel, Triad(table.bytes()));
  race(state, kernel, Dgemm(2 * kSparseRows * kEach / kDepth, kDepth, columns));
}

template <class T>
void add_dense() {
  const auto type = name(scalar_of<T>());
  const auto size = fmt::format("{}x{}/{}", kRows, kCols, type);
  add("moments/dense/" + size, dense_moments<T>);
  for (const Precision precision : {Precision::full, Precision::single})
    add(fmt::format("gram/dense/{}/{}", size, name(precision)),
        [=](benchmark::State& state) { dense_gram<T>(state, precision); });
  for (const Index columns : {1, 24})
    add(fmt::format("gram_times/dense/{}/columns:{}", size, columns),
        [=](benchmark::State& state) { dense_gram_times<T>(state, columns); });
}

const bool kAdded = [] {
  add_dense<double>();
  add_dense<float>();
  add_dense<std::uint8_t>();
  add("outer_gram/dense/100x20000/float64", dense_outer_gram);
  for (const Index columns : {1, 24})
    add(fmt::format("gram_times/sparse/20000x5000/1%/columns:{}", columns),
        [=](benchmark::State& state) { sparse_gram_times(state, columns); });
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
