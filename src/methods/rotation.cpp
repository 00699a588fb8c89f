#include <utility>

#include "methods/method.hpp"
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
  Rotated rotated = rotate_and_truncate(task.basis.vectors.leftCols(task.components),
                                        {.truncation = task.truncation,
                                         .start = task.start,
                                         .tolerance = task.tolerance,
                                         .max_iterations = task.max_iterations,
                                         .seed = task.seed},
                                        task.tick);
  return {.loadings = rotated.loadings,
          .rotation = std::move(rotated.rotation),
          .truncated_from = std::move(rotated.truncated_from),
          .origin = Origin::rotated_basis,
          .history = std::move(rotated.history),
          .status = rotated.status};
}

}  // namespace spcart
