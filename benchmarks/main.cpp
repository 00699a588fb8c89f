// The kernels of spcart, each beside its roofline: docs/benchmarks.md explains how to read them.
//
//   kernels [--seconds S] [--benchmark_filter=REGEX] [--benchmark_out=F.json ...]
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "roofline.hpp"
#include "spcart/threads.hpp"
#include "spcart/version.hpp"

namespace {

/// Removes --seconds S from the arguments.
void take_seconds(int& argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--seconds") == 0) {
      spcart::benchmarks::seconds_each() = std::stod(argv[i + 1]);
      for (int j = i; j + 2 <= argc; ++j) argv[j] = argv[j + 2];
      argc -= 2;
      return;
    }
}

}  // namespace

int main(int argc, char** argv) {
  take_seconds(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  benchmark::AddCustomContext("spcart", std::string(spcart::kVersion));
  benchmark::AddCustomContext("threads", std::to_string(spcart::threads()));
  benchmark::AddCustomContext("openblas", openblas_get_config());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
