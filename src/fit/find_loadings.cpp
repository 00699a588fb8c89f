#include "fit/find_loadings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "fit/target.hpp"
#include "spcart/criteria.hpp"
#include "spcart/refine.hpp"
#include "spcart/refit.hpp"

namespace spcart {
namespace {

/// A variable that cannot be scaled has no loading, not even in a component that only completes the
/// basis.
void leave_out(const std::vector<Index>& variables, Loadings& x) {
  if (variables.empty()) return;
  x.prune([&](Index row, Index, double) { return !std::ranges::binary_search(variables, row); });
}

Task task_of(const DataMatrix& a, const Basis& basis, const Result& result, const Tick& tick,
             const Note& note) {
  const Options& options = result.options;
  Task task{.a = a, .basis = basis, .tick = tick};
  task.components = options.components;
  task.truncation = result.truncation.value_or(Truncation{});
  task.start = result.start.value_or(task.start);
  task.tolerance = options.tolerance;
  task.max_iterations = options.max_iterations;
  task.seed = options.seed;
  task.post_fit = options.post_fit.value_or(task.post_fit);
  task.ridge = options.ridge;
  task.bound = options.bound.value_or(task.bound);
  task.orthogonality = options.orthogonality.value_or(task.orthogonality);
  task.correlation = options.correlation.value_or(task.correlation);
  task.direction = options.direction;
  task.deflation = options.deflation.value_or(task.deflation);
  task.time_limit = options.time_limit.value_or(task.time_limit);
  task.note = note;
  return task;
}

/// The target of a search for lambda: none for a number of zeros in each loading, which needs no
/// search.
std::optional<Target> target_of(const Options& options, TruncationType type, Index p) {
  const auto r = static_cast<double>(options.components);
  if (options.keep) return Target{Target::Kind::keep, *options.keep};
  if (type == TruncationType::count) return std::nullopt;
  if (options.nonzeros)
    return Target{Target::Kind::nonzeros, static_cast<double>(*options.nonzeros) * r};
  if (options.sparsity)
    return Target{Target::Kind::nonzeros, (1 - *options.sparsity) * static_cast<double>(p) * r};
  return std::nullopt;
}

class Finder {
 public:
  Finder(const DataMatrix& a, const Basis& basis, Result& result, const Tick& tick,
         const Note& note)
      : a_(a),
        basis_(basis),
        result_(result),
        options_(result.options),
        tick_(tick),
        task_(task_of(a, basis, result, tick, note)),
        trials_(options_.method, task_) {}

  MethodResult find() {
    if (options_.nonzeros || options_.sparsity || options_.keep) result_.target.emplace();
    std::optional<MethodResult> found;
    if (const auto target = target_of(options_, task_.truncation.type, a_.cols()))
      found = meet(*target);
    if (options_.restarts > 0) found = best_start();
    return found ? std::move(*found) : record_of(options_.method).run(task_);
  }

 private:
  MethodResult meet(const Target& target) {
    const TruncationType type = task_.truncation.type;
    const LambdaRange range = lambda_range(record_of(options_.method), type, a_.cols());
    TargetResult met =
        find_target(trials_, range, type, target,
                    [this](std::span<const MethodResult> found) { return shares(found); });
    result_.truncation->lambda = task_.truncation.lambda = met.lambda;
    result_.target->trials = met.trials;
    return std::move(met.found);
  }

  MethodResult best_start() {
    std::vector<MethodResult> all = trials_.from_random_starts(options_.restarts);
    Restarts& restarts = result_.restarts.emplace();
    restarts.cpev = shares(all);
    for (double& share : restarts.cpev) share *= pca_variance() / basis_.total_variance;
    for (const MethodResult& found : all)
      restarts.objectives.push_back(found.history.back().objective);
    restarts.best =
        options_.best_by == BestBy::cpev
            ? std::ranges::max_element(restarts.cpev) - restarts.cpev.begin()
            : std::ranges::min_element(restarts.objectives) - restarts.objectives.begin();
    return std::move(all[static_cast<std::size_t>(restarts.best)]);
  }

  double pca_variance() const {
    return basis_.singular_values.head(options_.components).squaredNorm();
  }

  std::vector<double> shares(std::span<const MethodResult> found) const {
    std::vector<Loadings> ends;
    for (const MethodResult& one : found) ends.push_back(end_of(one.loadings));
    std::vector<double> shares;
    for (const Explained& explained : explained_by(a_, ends, tick_))
      shares.push_back(explained.span / pca_variance());
    return shares;
  }

  /// Loadings after refit and refine.
  Loadings end_of(Loadings x) const {
    leave_out(a_.constant_columns(), x);
    x = refit(a_, x, options_.refit, tick_);
    if (options_.refine > 0)
      x = refine(a_, x, counts_of(task_.truncation.type), options_.refine, tick_);
    return x;
  }

  const DataMatrix& a_;
  const Basis& basis_;
  Result& result_;
  const Options& options_;
  const Tick& tick_;
  Task task_;
  Trials trials_;
};

}  // namespace

MethodResult find_loadings(const DataMatrix& a, const Basis& basis, Result& result,
                           const Tick& tick, const Note& note) {
  MethodResult found = Finder(a, basis, result, tick, note).find();
  leave_out(a.constant_columns(), found.loadings);
  return found;
}

}  // namespace spcart
