#include <algorithm>
#include <cmath>

#include "run.hpp"
#include "spcart/bounds.hpp"
#include "spcart/criteria.hpp"
#include "spcart/rotate.hpp"

namespace spcart::reproduce {
namespace {

/// The result of one iteration.
struct Step {
  Loadings loadings;
  Matrix truncated_from;
  Iteration iteration;
};

/// The algorithm iteration by iteration: each from the rotation of the one before it.
std::vector<Step> steps_of(ConstBlock v, const Options& options, const Tick& tick) {
  const Start start = options.start.value_or(Start::varimax);
  RotateOptions once{.truncation = *truncation_of(options, v.rows()),
                     .start = start,
                     .max_iterations = 1,
                     .seed = options.seed};
  std::vector<Step> steps;
  const double root = std::sqrt(static_cast<double>(v.cols()));
  Loadings before(v.rows(), v.cols());
  while (static_cast<Index>(steps.size()) < options.max_iterations) {
    RotationResult result = rotate_and_truncate(v, once, tick);
    Iteration iteration = result.history.front();
    iteration.change = (result.loadings - before).norm() / root;
    before = result.loadings;
    steps.push_back({before, std::move(result.truncated_from), iteration});
    if (iteration.change < options.tolerance) break;
    once.from = std::move(result.rotation);
  }
  return steps;
}

double lower(const std::vector<Bound>& bounds, std::string_view name) {
  return std::ranges::find(bounds, name, &Bound::name)->lower;
}

double upper(const std::vector<Bound>& bounds, std::string_view name) {
  return std::ranges::find(bounds, name, &Bound::name)->upper;
}

}  // namespace

std::vector<Record> iterations(const DataMatrix& a, const Basis& basis, const Options& options,
                               const Tick& tick) {
  const Index r = options.components;
  const auto v = basis.vectors.leftCols(r);
  const double cpev_pca = basis.singular_values.head(r).squaredNorm() / basis.total_variance;
  const std::vector<Step> steps = steps_of(v, options, tick);
  std::vector<Loadings> loadings;
  loadings.reserve(steps.size());
  for (const Step& step : steps) loadings.push_back(step.loadings);
  const std::vector<Explained> explained = explained_by(a, loadings, tick);

  std::vector<Record> records;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const Criteria c = evaluate(loadings[t], explained[t], basis.total_variance, cpev_pca);
    const std::vector<Bound> known = bounds({.v = v,
                                             .singular_values = basis.singular_values,
                                             .total_variance = basis.total_variance,
                                             .x = loadings[t],
                                             .ev = c.ev,
                                             .cpev = c.cpev,
                                             .origin = Origin::rotated_basis,
                                             .truncation = *truncation_of(options, v.rows()),
                                             .truncated_from = steps[t].truncated_from});
    const Iteration& iteration = steps[t].iteration;
    records.push_back({.series = {},
                       .pattern = {},
                       .values = {{"iteration", static_cast<double>(t + 1)},
                                  {"components", static_cast<double>(r)},
                                  {"change", iteration.change},
                                  {"truncated_energy", iteration.truncated_energy},
                                  {"objective", iteration.objective},
                                  {"sparsity", c.sparsity.mean},
                                  {"std", c.sparsity.std},
                                  {"worst", c.sparsity.min},
                                  {"cpev", c.cpev},
                                  {"cpev_pca", cpev_pca},
                                  {"share", c.share_of_pca()},
                                  {"nor", c.nonorthogonality},
                                  {"ev", c.ev},
                                  {"ev_share", c.ev / cpev_pca},
                                  {"sparsity_bound", lower(known, "sparsity")},
                                  {"nor_bound", upper(known, "nonorthogonality")},
                                  {"nor_relative", upper(known, "nonorthogonality_relative")},
                                  {"ev_dmin", lower(known, "explained_variance_dmin")},
                                  {"ev_cos", lower(known, "explained_variance_estimate")}}});
  }
  return records;
}

}  // namespace spcart::reproduce
