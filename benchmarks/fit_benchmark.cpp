#include <fmt/format.h>

#include <vector>

#include "roofline.hpp"
#include "spcart/fit.hpp"
#include "tables.hpp"

namespace spcart::benchmarks {
namespace {

/// Time of the whole fit over n at fixed p, with interleaved runs of all sizes.
void growth_in_n(benchmark::State& state) {
  constexpr Index kCols = 100, kComponents = 20;
  const std::vector<double> sizes = {1e4, 3e4, 1e5, 3e5, 1e6};
  const DenseTable<float> table(static_cast<Index>(sizes.back()), kCols);
  std::vector<Work> works;
  for (const double n : sizes)
    works.emplace_back([&table, n] {
      const auto a = make_dense(table.view(static_cast<Index>(n)));
      benchmark::DoNotOptimize(fit(*a, {.components = kComponents}));
    });
  const std::vector<double> best = best_times(works);
  for (auto _ : state) state.SetIterationTime(best.back());
  state.counters["slope"] = growth(sizes, best);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    state.counters[fmt::format("s_n{:.0e}", sizes[i])] = best[i];
}

const bool kAdded = [] {
  add("growth_in_n/p:100/r:20", growth_in_n);
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
