#include <fmt/format.h>

#include <cmath>
#include <span>

#include "base/random.hpp"
#include "roofline.hpp"
#include "spcart/names.hpp"
#include "spcart/truncation.hpp"

namespace spcart::benchmarks {
namespace {

/// One vector of unit length, truncated by one thread, beside streaming it in and out. It fits in
/// the cache, as a column does that has just been rotated.
void one_vector(benchmark::State& state, TruncationType type, Index p) {
  const Vector z = Random(1).normal(p, 1).normalized();
  Vector x(p);
  Truncator truncate({type, default_lambda(type, p)}, p);
  const auto size = static_cast<std::size_t>(p);
  race(
      state, [&] { truncate(std::span(z.data(), size), std::span(x.data(), size)); },
      [&] {
        x = 2 * z;
        benchmark::DoNotOptimize(x.data());
        benchmark::ClobberMemory();
      });
}

const bool kAdded = [] {
  for (const TruncationType type :
       {TruncationType::hard, TruncationType::soft, TruncationType::count, TruncationType::energy})
    for (const Index p : {1000, 100000})
      add(fmt::format("truncate/{}/p:{}", name(type), p),
          [=](benchmark::State& state) { one_vector(state, type, p); });
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
