#include <utility>

#include "data/execution.hpp"
#include "methods/method.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// One truncation of the rotated basis, without the polar step after it.
MethodResult truncate_once(const Task& task, Start start) {
  const RotateOptions options{.truncation = task.truncation,
                              .start = start,
                              .tolerance = task.tolerance,
                              .max_iterations = 1};
  RotationResult once = std::move(
      task.a.execution()
          .rotate(task.basis.vectors.leftCols(task.components), std::span(&options, 1), task.tick)
          .front());
  return {.loadings = once.loadings,
          .rotation = once.truncated_from,
          .truncated_from = std::move(once.truncated_from),
          .origin = Origin::rotated_basis};
}

}  // namespace

MethodResult fit_pca(const Task& task) {
  const Index r = task.components;
  return {.loadings = normalized(task.basis.vectors.leftCols(r).sparseView(0, 0)),
          .rotation = Matrix::Identity(r, r)};
}

MethodResult fit_st(const Task& task) { return truncate_once(task, Start::identity); }

MethodResult fit_varimax(const Task& task) { return truncate_once(task, Start::varimax); }

MethodResult fit_spcart(const Task& task) {
  const RotateOptions options = rotate_options(task);
  return std::move(fit_spcart_all(task, std::span(&options, 1)).front());
}

RotateOptions rotate_options(const Task& task) {
  return {.truncation = task.truncation,
          .start = task.start,
          .tolerance = task.tolerance,
          .max_iterations = task.max_iterations,
          .seed = task.seed,
          .from = task.from};
}

std::vector<MethodResult> fit_spcart_all(const Task& task,
                                         std::span<const RotateOptions> settings) {
  std::vector<MethodResult> all;
  all.reserve(settings.size());
  const auto v = task.basis.vectors.leftCols(task.components);
  for (RotationResult& rotated : task.a.execution().rotate(v, settings, task.tick)) {
    MethodResult& found = all.emplace_back();
    found.loadings.swap(rotated.loadings);  // Eigen would copy what is moved
    found.rotation = std::move(rotated.rotation);
    found.truncated_from = std::move(rotated.truncated_from);
    found.origin = Origin::rotated_basis;
    found.history = std::move(rotated.history);
    found.status = rotated.status;
  }
  return all;
}

}  // namespace spcart
