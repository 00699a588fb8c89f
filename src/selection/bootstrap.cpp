#include "spcart/bootstrap.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/reject.hpp"
#include "data/resample.hpp"
#include "selection/assignment.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

std::vector<Index> draw_rows(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> rows(static_cast<std::size_t>(n));
  for (Index& row : rows) row = random.below(n);
  return rows;
}

/// Fits resample b with the options of the fit of the whole table.
Loadings refitted(const DataMatrix& a, const Result& result, const BootstrapOptions& options,
                  Index b, const Observer& observer) {
  const Tick whole = tick_of(observer, "bootstrap");
  const Tick tick = part_of(whole, b, options.resamples);
  const auto resample =
      select_rows(a, draw_rows(a.rows(), seed_of(options.seed, b)), measured_anew(a.preparation()),
                  tick, result.solver == Solver::gram ? FormGram::yes : FormGram::no);
  if (!(resample->squared_norm() > 0))
    reject("bootstrap", options.resamples,
           "a resample of the {} samples has no variance, they are too few", a.rows());
  Options fitted = result.options;
  fitted.components = result.loadings.cols();  // the same number, also if it was chosen by variance
  fitted.variance.reset();
  fitted.solver = result.solver;
  fitted.certify.reset();  // only the loadings are of interest
  return fit(*resample, fitted, observer_of(tick)).loadings;
}

}  // namespace

Stability bootstrap(const DataMatrix& a, const Result& result, const BootstrapOptions& options,
                    const Observer& observer) {
  if (options.resamples < 2) reject("bootstrap", options.resamples, "it must be at least 2");
  const Loadings& x = result.loadings;
  if (x.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
  const ThreadScope scope(result.options.threads);
  const auto count = static_cast<double>(options.resamples);
  Matrix selected = Matrix::Zero(x.rows(), x.cols());
  Vector cosine_sums = Vector::Zero(x.cols());
  for (Index b = 0; b < options.resamples; ++b) {
    const Loadings y = refitted(a, result, options, b, observer);
    const Matrix cosines = Matrix(x.transpose() * y).cwiseAbs();
    const std::vector<Index> match = best_assignment(cosines);
    for (Index i = 0; i < x.cols(); ++i) {
      const Index j = match[static_cast<std::size_t>(i)];
      cosine_sums[i] += cosines(i, j);
      for (Loadings::InnerIterator entry(y, j); entry; ++entry) selected(entry.row(), i) += 1;
    }
  }
  report_progress(observer, "bootstrap", 1);
  return {.resamples = options.resamples,
          .frequencies = (selected / count).sparseView(),
          .cosines = cosine_sums / count};
}

}  // namespace spcart
