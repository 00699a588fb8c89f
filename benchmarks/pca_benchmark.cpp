#include <fmt/format.h>

#include "data/preparation.hpp"
#include "roofline.hpp"
#include "spcart/pca.hpp"
#include "tables.hpp"

namespace spcart::benchmarks {
namespace {

/// Preparing the table and its principal basis, beside DSYRK and the partial eigensolver.
void by_gram(benchmark::State& state, Index n, Index p, Index r) {
  const DenseTable<double> table(n, p);
  Dsyrk syrk(n, p);
  syrk();
  Dsyevr eigensolver(syrk.gram(), r);
  race(
      state,
      [&] {
        const auto a = make_dense(table.view(), {}, {}, FormGram::yes);
        benchmark::DoNotOptimize(principal_basis(*a, r, {.solver = Solver::gram}));
      },
      [&] {
        syrk();
        eigensolver();
      });
}

/// The same for few samples: the other Gram matrix, and the product with A' after it.
void by_outer(benchmark::State& state, Index n, Index p, Index r) {
  const DenseTable<double> table(n, p);
  Dsyrk syrk(p, n);
  syrk();
  Dsyevr eigensolver(syrk.gram(), r);
  Dgemm back(p, n, r);
  race(
      state,
      [&] {
        const auto a = make_dense(table.view());
        benchmark::DoNotOptimize(principal_basis(*a, r, {.solver = Solver::outer}));
      },
      [&] {
        syrk();
        eigensolver();
        back();
      });
}

/// Beside one A'(A x) with as many columns: the ratio is the equivalent number of passes.
template <class Table>
void by_krylov(benchmark::State& state, const Table& table, Index r, const auto& make) {
  const auto a = make(table.view(), Preparation{});
  const Matrix x = Random(1).normal(a->cols(), r);
  race(
      state, [&] { benchmark::DoNotOptimize(principal_basis(*a, r, {.solver = Solver::krylov})); },
      [&] { benchmark::DoNotOptimize(a->gram_times(x)); });
}

void dense_krylov(benchmark::State& state) {
  by_krylov(
      state, DenseTable<float>(1500, 1500), 20,
      [](const auto& view, const auto& preparation) { return make_dense(view, preparation); });
}

void sparse_krylov(benchmark::State& state) {
  by_krylov(state, SparseTable(20000, 5000, 50), 20, [](const auto& view, const auto& preparation) {
    return make_sparse(view, preparation);
  });
}

const bool kAdded = [] {
  add("pca/gram/20000x500/r:20", [](benchmark::State& state) { by_gram(state, 20000, 500, 20); });
  add("pca/gram/5000x169/r:70", [](benchmark::State& state) { by_gram(state, 5000, 169, 70); });
  add("pca/outer/72x7129/r:6", [](benchmark::State& state) { by_outer(state, 72, 7129, 6); });
  add("pca/krylov/dense/1500x1500/float32/r:20", dense_krylov);
  add("pca/krylov/sparse/20000x5000/1%/r:20", sparse_krylov);
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
