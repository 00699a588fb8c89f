#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "linalg/polar.hpp"
#include "roofline.hpp"
#include "spcart/names.hpp"
#include "spcart/rotate.hpp"

namespace spcart::benchmarks {
namespace {

constexpr TruncationType kTypes[] = {TruncationType::hard, TruncationType::soft,
                                     TruncationType::count, TruncationType::energy};

/// The structure of V determines how many entries a truncation leaves.
enum class Structure {
  planted,  ///< r sparse components in noise, mixed by a rotation: as in real data
  random    ///< no structure at all: a third of the entries is above 1/sqrt(p)
};

Matrix basis(Structure structure, Index p, Index r) {
  constexpr double kNoise = 0.2;
  Random random(1);
  if (structure == Structure::random) return orthonormalized(random.normal(p, r));
  Matrix x = kNoise / std::sqrt(static_cast<double>(p)) * random.normal(p, r);
  const Index each = p / r;
  for (Index i = 0; i < r; ++i)
    x.col(i).segment(i * each, each) +=
        random.normal(each, 1) / std::sqrt(static_cast<double>(each));
  return orthonormalized(x * random_rotation(r, 1));
}

RotateOptions rotation_options(TruncationType type, Index p, Index count) {
  return {.truncation = {type, default_lambda(type, p)},
          .start = Start::identity,
          .tolerance = 0,
          .max_iterations = count};
}

/// The time of further iterations, after the first have brought X near its final sparsity: the
/// check of V and the construction of the result cancel.
constexpr Index kFew = 3, kMany = 8;

double seconds_per_iteration(double few, double many) { return (many - few) / (kMany - kFew); }

std::vector<Work> few_and_many(const Matrix& v, TruncationType type) {
  const auto work = [&v, type](Index count) {
    return [&v, options = rotation_options(type, v.rows(), count)] {
      rotate_and_truncate(v, options);
    };
  };
  return {work(kFew), work(kMany)};
}

void one_iteration(benchmark::State& state, TruncationType type, Structure structure, Index p,
                   Index r) {
  const Matrix v = basis(structure, p, r);
  std::vector<Work> works = few_and_many(v, type);
  works.emplace_back(Dgemm(p, r, r));
  const std::vector<double> best = best_times(works);
  show(state, seconds_per_iteration(best[0], best[1]), best[2]);
}

/// Its number of iterations is not known: they are counted by its ticks.
void one_varimax_iteration(benchmark::State& state, Index p, Index r) {
  const Matrix v = basis(Structure::planted, p, r);
  int iterations = 0;
  varimax_rotation(v, [&](double) { ++iterations; });
  const std::vector<double> best = best_times({[&] { varimax_rotation(v); }, Dgemm(p, r, r)});
  show(state, best[0] / iterations, best[1]);
  state.counters["iterations"] = iterations;
}

/// As in a rotation that is near convergence: the matrix changes a little between iterations.
void one_polar_step(benchmark::State& state, Index r) {
  constexpr double kFar = 0.3, kChange = 0.01;
  const double scale = 1 / std::sqrt(static_cast<double>(r));
  Random random(1);
  const Matrix one = Matrix::Identity(r, r) + kFar * scale * random.normal(r, r);
  const Matrix other = one + kChange * scale * random.normal(r, r);
  Matrix factor(r, r);
  PolarSteps polar(r);
  Dgemm product(r, r, r);
  race(
      state,
      [&] {
        polar(one, factor);
        polar(other, factor);
      },
      [&] {
        product();
        product();
      });
  state.counters["steps"] = polar.steps();
  state.counters["decomposed"] = static_cast<double>(polar.decomposed());
}

/// Settings that share V, beside as many products.
void settings_in_parallel(benchmark::State& state, Index p, Index r, Index count) {
  const Matrix v = basis(Structure::planted, p, r);
  const auto work = [&](Index iterations) {
    return [&v, settings = std::vector<RotateOptions>(
                    static_cast<std::size_t>(count),
                    rotation_options(TruncationType::hard, p, iterations))] {
      rotate_and_truncate_all(v, settings);
    };
  };
  Dgemm product(p, r, r);
  const std::vector<double> best = best_times({work(kFew), work(kMany), [&] {
                                                 for (Index i = 0; i < count; ++i) product();
                                               }});
  show(state, seconds_per_iteration(best[0], best[1]), best[2]);
}

/// Time of an iteration over p at fixed r, with interleaved runs of all sizes.
void growth_in_p(benchmark::State& state, TruncationType type) {
  constexpr Index kComponents = 20;
  const std::vector<double> sizes = {1e4, 3e4, 1e5, 3e5, 1e6};
  std::vector<Matrix> bases;
  for (const double p : sizes)
    bases.push_back(basis(Structure::random, static_cast<Index>(p), kComponents));
  std::vector<Work> works;
  for (const Matrix& v : bases)
    for (Work& work : few_and_many(v, type)) works.push_back(std::move(work));
  const std::vector<double> best = best_times(works);
  std::vector<double> iteration;
  for (std::size_t i = 0; i < best.size(); i += 2)
    iteration.push_back(seconds_per_iteration(best[i], best[i + 1]));
  for (auto _ : state) state.SetIterationTime(iteration.back());
  state.counters["slope"] = growth(sizes, iteration);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    state.counters[fmt::format("s_p{:.0e}", sizes[i])] = iteration[i];
}

const bool kAdded = [] {
  for (const auto& [p, r] : {std::pair<Index, Index>{100000, 50}, {10000, 300}}) {
    const auto size = fmt::format("p:{}/r:{}", p, r);
    for (const TruncationType type : kTypes)
      for (const Structure structure : {Structure::planted, Structure::random})
        add(fmt::format("rotate/{}/{}/{}", name(type),
                        structure == Structure::planted ? "planted" : "random", size),
            [=, p = p, r = r](benchmark::State& state) {
              one_iteration(state, type, structure, p, r);
            });
    add("varimax/" + size,
        [p = p, r = r](benchmark::State& state) { one_varimax_iteration(state, p, r); });
  }
  add("rotate_all/hard/planted/p:10000/r:20/settings:8",
      [](benchmark::State& state) { settings_in_parallel(state, 10000, 20, 8); });
  for (const Index r : {6, 20, 70, 300})
    add(fmt::format("polar/r:{}", r), [=](benchmark::State& state) { one_polar_step(state, r); });
  for (const TruncationType type : kTypes)
    add(fmt::format("growth_in_p/{}/r:20", name(type)),
        [=](benchmark::State& state) { growth_in_p(state, type); });
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
