// The kernels whose instructions guard.py counts. Run alone it only shows that they run.
#include <cblas.h>
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "data/preparation.hpp"
#include "linalg/lapack.hpp"
#include "linalg/polar.hpp"
#include "spcart/names.hpp"
#include "spcart/spcart.hpp"
#include "tables.hpp"

namespace spcart::benchmarks {
namespace {

/// Counts one call of the work, after a warm-up call.
void count(const std::string& kernel, const std::function<void()>& work) {
  work();
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  work();
  CALLGRIND_DUMP_STATS_AT(kernel.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
  fmt::print("{}\n", kernel);
}

constexpr TruncationType kTypes[] = {TruncationType::hard, TruncationType::soft,
                                     TruncationType::count, TruncationType::energy};

void count_rotations() {
  constexpr Index kVariables = 2000, kComponents = 20, kTurns = 5;
  const Matrix v = orthonormalized(Random(1).normal(kVariables, kComponents));
  for (const TruncationType type : kTypes)
    count(fmt::format("rotate/{}", name(type)), [&] {
      rotate_and_truncate(v, {.truncation = {type, default_lambda(type, kVariables)},
                              .start = Start::identity,
                              .tolerance = 0,
                              .max_iterations = kTurns});
    });
  count("varimax", [&] { varimax_rotation(v.leftCols(4)); });
}

void count_polar_steps() {
  for (const Index r : {8, 120}) {
    const double scale = 1 / std::sqrt(static_cast<double>(r));
    Random random(1);
    const Matrix one = Matrix::Identity(r, r) + 0.3 * scale * random.normal(r, r);
    const Matrix other = one + 0.01 * scale * random.normal(r, r);
    Matrix factor(r, r);
    PolarSteps polar(r);
    polar(one, factor);
    count(fmt::format("polar/{}", r), [&] {
      polar(other, factor);
      polar(one, factor);
    });
  }
}

void count_truncations() {
  constexpr Index kVariables = 50000;
  const Vector z = Random(1).normal(kVariables, 1).normalized();
  Vector x(kVariables);
  for (const TruncationType type : kTypes) {
    Truncator truncate({type, default_lambda(type, kVariables)}, kVariables);
    count(fmt::format("truncate/{}", name(type)), [&] {
      truncate({z.data(), static_cast<std::size_t>(kVariables)},
               {x.data(), static_cast<std::size_t>(kVariables)});
    });
  }
}

template <class T>
void count_dense() {
  constexpr Index kSamples = 2000, kVariables = 100, kColumns = 12;
  const auto type = name(scalar_of<T>());
  const DenseTable<T> table(kSamples, kVariables);
  std::unique_ptr<DataMatrix> a;
  const Matrix x = Random(2).normal(kVariables, kColumns);
  count(fmt::format("moments/dense/{}", type), [&] { a = make_dense(table.view()); });
  count(fmt::format("moments_and_gram/dense/{}", type),
        [&] { make_dense(table.view(), {}, {}, FormGram::yes); });
  count(fmt::format("gram/dense/{}", type), [&] { a->gram(); });
  count(fmt::format("gram_times/dense/{}", type), [&] { a->gram_times(x); });
}

void count_sparse() {
  constexpr Index kSamples = 2000, kVariables = 1000, kEach = 20, kColumns = 12;
  const SparseTable table(kSamples, kVariables, kEach);
  std::unique_ptr<DataMatrix> a;
  const Matrix x = Random(2).normal(kVariables, kColumns);
  count("moments/sparse", [&] { a = make_sparse(table.view()); });
  count("gram_times/sparse", [&] { a->gram_times(x); });
  count("krylov/sparse", [&] { principal_basis(*a, 4, {.solver = Solver::krylov}); });
}

void count_routes() {
  const DenseTable<double> wide(40, 2000), square(300, 200);
  const auto few = make_dense(wide.view()), many = make_dense(square.view());
  count("outer_gram/dense", [&] { few->outer_gram(); });
  count("pca/outer", [&] { principal_basis(*few, 5, {.solver = Solver::outer}); });
  count("pca/gram", [&] { principal_basis(*many, 5, {.solver = Solver::gram}); });
  count("fit/count", [&] { fit(*many, {.components = 5, .nonzeros = 20}); });
}

}  // namespace
}  // namespace spcart::benchmarks

int main(int argc, char** argv) {
  using namespace spcart::benchmarks;
  if (argc > 1 && std::string_view(argv[1]) == "--about") {
    fmt::print("compiler {}\nopenblas {}\n", __VERSION__, openblas_get_config());
    return 0;
  }
  count_rotations();
  count_polar_steps();
  count_truncations();
  count_dense<double>();
  count_dense<float>();
  count_dense<std::uint8_t>();
  count_sparse();
  count_routes();
}
