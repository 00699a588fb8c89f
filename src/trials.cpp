#include "trials.hpp"

#include <algorithm>
#include <iterator>

namespace spcart {

Index Trials::together() const {
  constexpr Index kMost = 16, kNumbers = Index{1} << 25, kOfASetting = 4;
  if (method_ != Method::spcart) return 1;
  const Index size = task_.a.cols() * task_.components;
  return std::clamp<Index>(kNumbers / (kOfASetting * size), 1, kMost);
}

std::vector<Found> Trials::at(std::span<const double> lambdas) const {
  std::vector<Found> all;
  if (method_ != Method::spcart) {
    Task task = task_;
    for (const double lambda : lambdas) {
      task.truncation.lambda = lambda;
      all.push_back(record_of(method_).run(task));
    }
    return all;
  }
  std::vector<RotateOptions> settings(lambdas.size(), rotate_options(task_));
  for (std::size_t k = 0; k < lambdas.size(); ++k) settings[k].truncation.lambda = lambdas[k];
  return run(settings);
}

std::vector<Found> Trials::from_random_starts(Index count) const {
  std::vector<RotateOptions> settings(static_cast<std::size_t>(count) + 1, rotate_options(task_));
  for (std::size_t k = 1; k < settings.size(); ++k) {
    settings[k].start = Start::random;
    settings[k].seed = task_.seed + k;
  }
  return run(settings);
}

std::vector<Found> Trials::run(std::span<const RotateOptions> settings) const {
  const auto step = static_cast<std::size_t>(together());
  std::vector<Found> all;
  for (std::size_t first = 0; first < settings.size(); first += step)
    std::ranges::move(
        fit_spcart_all(task_, settings.subspan(first, std::min(step, settings.size() - first))),
        std::back_inserter(all));
  return all;
}

}  // namespace spcart
