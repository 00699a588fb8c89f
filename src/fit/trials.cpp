#include "fit/trials.hpp"

namespace spcart {

Index Trials::together() const {
  return method_ == Method::spcart ? settings_together(task_.a.cols(), task_.components) : 1;
}

std::vector<MethodResult> Trials::at(std::span<const double> lambdas) const {
  std::vector<MethodResult> all;
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
  return fit_spcart_all(task_, settings);
}

std::vector<MethodResult> Trials::from_random_starts(Index count) const {
  std::vector<RotateOptions> settings(static_cast<std::size_t>(count) + 1, rotate_options(task_));
  for (std::size_t k = 1; k < settings.size(); ++k) {
    settings[k].start = Start::random;
    settings[k].from.resize(0, 0);
    settings[k].seed = task_.seed + k;
  }
  return fit_spcart_all(task_, settings);
}

}  // namespace spcart
