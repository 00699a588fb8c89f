#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "spcart/types.hpp"

/// A kernel beside its roofline: the least that the machine must do for it (the matrix product, the
/// memory stream, the read of a file). Runs of both are interleaved, the best of each counts, and
/// their ratio is meaningful on a busy machine, on which times are not.
namespace spcart::benchmarks {

using Work = std::function<void()>;

/// Seconds of interleaved runs per benchmark. Set by the program's flag --seconds.
double& seconds_each();

/// The best time of each, with interleaved runs: at least three, and until the time is up.
std::vector<double> best_times(const std::vector<Work>& works);

/// Shows `kernel` as the benchmark's time, and beside it that of the roofline and their ratio.
void show(benchmark::State& state, double kernel, double roofline);

/// The common case.
void race(benchmark::State& state, const Work& kernel, const Work& roofline);

/// Registers a benchmark that measures itself: body(state) calls `show` once.
void add(const std::string& name, const std::function<void(benchmark::State&)>& body);

/// The slope of log(times) over log(sizes), by least squares: 1 is linear growth.
double growth(const std::vector<double>& sizes, const std::vector<double>& times);

// Rooflines. All use as many threads as spcart does.

/// Z = V R' for V p x r: one DGEMM.
class Dgemm {
 public:
  Dgemm(Index m, Index k, Index n);
  void operator()();

 private:
  Matrix a_, b_, c_;
};

/// The lower half of A'A for A n x p: one DSYRK.
class Dsyrk {
 public:
  Dsyrk(Index n, Index p);
  void operator()();
  const Matrix& gram() const { return c_; }

 private:
  Matrix a_, c_;
};

/// The r largest eigenpairs of a symmetric matrix: one DSYEVR.
class Dsyevr {
 public:
  Dsyevr(Matrix c, Index r);
  void operator()();

 private:
  Matrix c_, work_, vectors_;
  Vector values_;
  Index r_;
};

/// a = b + s c over three arrays of this many bytes together: the memory bandwidth.
class Triad {
 public:
  explicit Triad(double bytes);
  void operator()();

 private:
  Vector a_, b_, c_;
};

}  // namespace spcart::benchmarks
