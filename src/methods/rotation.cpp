#include <utility>

#include "methods/method.hpp"
#include "rotation/rotation_on_ranks.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// One truncation of the rotated basis, without the polar step after it.
Found truncate_once(const Task& task, Start start) {
  Rotated once = rotate_and_truncate(task.basis.vectors.leftCols(task.components),
                                     {.truncation = task.truncation,
                                      .start = start,
                                      .tolerance = task.tolerance,
                                      .max_iterations = 1},
                                     task.tick);
  return {.loadings = once.loadings,
          .rotation = once.truncated_from,
          .truncated_from = std::move(once.truncated_from),
          .origin = Origin::rotated_basis};
}

}  // namespace

Found fit_pca(const Task& task) {
  const Index r = task.components;
  return {.loadings = normalized(task.basis.vectors.leftCols(r).sparseView(0, 0)),
          .rotation = Matrix::Identity(r, r)};
}

Found fit_st(const Task& task) { return truncate_once(task, Start::identity); }

Found fit_varimax(const Task& task) { return truncate_once(task, Start::varimax); }

Found fit_spcart(const Task& task) {
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

std::vector<Found> fit_spcart_all(const Task& task, std::span<const RotateOptions> settings) {
  std::vector<Found> all;
  all.reserve(settings.size());
  const auto v = task.basis.vectors.leftCols(task.components);
  const auto* ranks = dynamic_cast<const RotationOnRanks*>(&task.a);
  const bool spread = ranks != nullptr && ranks->spreads(v.rows(), v.cols());
  for (Rotated& rotated : spread ? ranks->rotate_all(v, settings, task.tick)
                                 : rotate_and_truncate_all(v, settings, task.tick)) {
    Found& found = all.emplace_back();
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
