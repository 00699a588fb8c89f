#include "roofline.hpp"

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "spcart/threads.hpp"

namespace spcart::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of one of `repeats` calls, on average.
double seconds_of(const Work& work, int repeats = 1) {
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i) work();
  return std::max(seconds_since(start), 1e-9) / repeats;
}

Matrix random_matrix(Index rows, Index cols) { return Random(1).normal(rows, cols); }

int narrow(Index size) { return static_cast<int>(size); }

}  // namespace

double& seconds_each() {
  static double seconds = 0.5;
  return seconds;
}

std::vector<double> best_times(const std::vector<Work>& works) {
  constexpr int kLeastRounds = 3;
  constexpr double kReadable = 5e-5;  // shorter work is repeated: the clock has no finer resolution
  std::vector<double> best(works.size(), std::numeric_limits<double>::infinity());
  std::vector<int> repeats;
  for (const Work& work : works) {
    work();  // warms caches and buffers
    repeats.push_back(static_cast<int>(kReadable / seconds_of(work)) + 1);
  }
  const auto start = Clock::now();
  for (int round = 0; round < kLeastRounds || seconds_since(start) < seconds_each(); ++round)
    for (std::size_t i = 0; i < works.size(); ++i)
      best[i] = std::min(best[i], seconds_of(works[i], repeats[i]));
  return best;
}

void show(benchmark::State& state, double kernel, double roofline) {
  for (auto _ : state) state.SetIterationTime(kernel);
  state.counters["roofline_s"] = roofline;
  state.counters["ratio"] = kernel / roofline;
}

void race(benchmark::State& state, const Work& kernel, const Work& roofline) {
  const std::vector<double> best = best_times({kernel, roofline});
  show(state, best[0], best[1]);
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

double growth(const std::vector<double>& sizes, const std::vector<double>& times) {
  const auto logs = [](const std::vector<double>& values) -> Eigen::ArrayXd {
    return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Index>(values.size())).log();
  };
  Eigen::ArrayXd x = logs(sizes), y = logs(times);
  x -= x.mean();
  y -= y.mean();
  return (x * y).sum() / x.square().sum();
}

Dgemm::Dgemm(Index m, Index k, Index n)
    : a_(random_matrix(m, k)), b_(random_matrix(n, k)), c_(m, n) {}

void Dgemm::operator()() {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(c_.rows()), narrow(c_.cols()),
              narrow(a_.cols()), 1, a_.data(), narrow(a_.rows()), b_.data(), narrow(b_.rows()), 0,
              c_.data(), narrow(c_.rows()));
}

Dsyrk::Dsyrk(Index n, Index p) : a_(random_matrix(n, p)), c_(Matrix::Zero(p, p)) {}

void Dsyrk::operator()() {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, narrow(a_.cols()), narrow(a_.rows()), 1,
              a_.data(), narrow(a_.rows()), 0, c_.data(), narrow(c_.rows()));
}

Dsyevr::Dsyevr(Matrix c, Index r)
    : c_(std::move(c)), vectors_(c_.rows(), r), values_(c_.rows()), r_(r) {}

void Dsyevr::operator()() {
  work_ = c_;  // it is overwritten
  const int p = narrow(c_.rows());
  std::vector<int> support(2 * static_cast<std::size_t>(r_));
  int found = 0;
  const int status =
      LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', p, work_.data(), p, 0, 0, p - narrow(r_) + 1,
                     p, 0, &found, values_.data(), vectors_.data(), p, support.data());
  if (status != 0) throw std::runtime_error("dsyevr failed");
}

Triad::Triad(double bytes) {
  const auto size = static_cast<Index>(bytes / (3 * sizeof(double)));
  a_.setZero(size);
  b_.setConstant(size, 1);
  c_.setConstant(size, 2);
}

void Triad::operator()() {
  const Index size = a_.size();
  double* a = a_.data();
  const double *b = b_.data(), *c = c_.data();
#pragma omp parallel for simd schedule(static) num_threads(static_cast <int>(threads()))
  for (Index i = 0; i < size; ++i) a[i] = b[i] + 3 * c[i];
  benchmark::DoNotOptimize(a);
  benchmark::ClobberMemory();
}

}  // namespace spcart::benchmarks
