#include "spcart/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "data/warnings.hpp"
#include "fit/arrange_components.hpp"
#include "fit/find_loadings.hpp"
#include "fit/search_stage.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"
#include "spcart/refine.hpp"
#include "spcart/refit.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

/// Tolerance of comparisons.
constexpr double kMetTolerance = 1e-9;

/// Tolerance of principal components that are the result themselves, and not only its start: what a
/// decomposition would reach.
constexpr double kPcaTolerance = 1e-13;

/// Runs the stages of a fit: times each, reports its progress and lets the observer stop it.
class Stages {
 public:
  explicit Stages(const Observer& observer) : observer_(observer) {}

  template <class Work>
  auto run(std::string_view stage, double& seconds, Work work) {
    const Tick tick = [this, stage](double fraction) {
      if (observer_ && !observer_({stage, fraction, note_})) throw Cancelled();
    };
    tick(0);
    const auto begin = Clock::now();
    auto result = work(tick);
    seconds += seconds_since(begin);
    tick(1);
    return result;
  }

  /// Words that go with the progress from then on.
  Note note() {
    return [this](std::string words) { note_ = std::move(words); };
  }

  double elapsed() const { return seconds_since(begin_); }

 private:
  const Observer& observer_;
  std::string note_;
  Clock::time_point begin_ = Clock::now();
};

/// Drops entries that are not zero only because sums were rounded.
void drop_rounding(Loadings& x) {
  constexpr double kNothing = 1e-14;  // of the largest, which is between 1/sqrt(p) and 1
  x.prune([](Index, Index, double value) { return std::abs(value) > kNothing; });
}

/// `expected` of them are empty because there is no more variance, of which there is a warning
/// already.
void warn_of_empty(const Loadings& x, Index expected, std::vector<std::string>& warnings) {
  std::vector<Index> empty;
  for (Index i = 0; i < x.cols(); ++i)
    if (x.col(i).nonZeros() == 0) empty.push_back(i);
  if (static_cast<Index>(empty.size()) > expected)
    warnings.push_back(
        fmt::format("nothing is left of {} component{} ({}): less truncation would leave more",
                    empty.size(), empty.size() == 1 ? "" : "s", list_of(empty)));
}

std::vector<Index> own_order(Index r) {
  std::vector<Index> order(static_cast<std::size_t>(r));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

std::string describe(Status status, Index iterations) {
  if (status == Status::converged && iterations == 0) return "done";  // no iterations
  const auto count = fmt::format("{} iteration{}", iterations, iterations == 1 ? "" : "s");
  return status == Status::converged ? "converged after " + count : "not converged within " + count;
}

Result start_result(const DataMatrix& a, const Options& options) {
  Result result;
  result.options = options;
  result.truncation = truncation_of(options, a.cols());
  result.start = options.start;
  if (const auto starts = record_of(options.method).starts; !result.start && !starts.empty())
    result.start = starts.front();
  result.samples = a.samples();
  result.variables = a.cols();
  result.preparation = a.preparation();
  result.threads = threads();
  result.storage = a.plan().storage;
  result.timing.read = a.plan().read;
  result.timing.prepare = a.plan().prepare;
  warn_of_data(a, result.warnings);
  return result;
}

void append(std::vector<std::string>& warnings, const std::vector<std::string>& more) {
  warnings.insert(warnings.end(), more.begin(), more.end());
}

/// The origin of the loadings after the steps that follow the method.
Origin origin_of(Origin found, const DataMatrix& a, const Options& options) {
  const bool searched = effort_of(options).level != Effort::Level::none;
  if (options.refine > 0 || searched || found == Origin::other) return Origin::other;
  return options.refit > 0 || !a.constant_columns().empty() ? Origin::support : found;
}

/// Where each component of `before` is in `now`, or -1 if a later step has changed it. Component i
/// of `now` was component j if change(j, i) is not zero.
std::vector<Index> places_of(const Loadings& before, const Loadings& now, const Loadings& change) {
  std::vector<Index> places(static_cast<std::size_t>(before.cols()), -1);
  for (Index i = 0; i < change.cols(); ++i)
    for (Loadings::InnerIterator entry(change, i); entry; ++entry)
      if (std::abs(std::abs(before.col(entry.row()).dot(now.col(i))) - 1) < kMetTolerance)
        places[static_cast<std::size_t>(entry.row())] = i;
  return places;
}

/// What was proved of components, as they are ordered now.
void keep_proofs(const MethodResult& found, const Loadings& change, Result& result) {
  const std::vector<Index> places = places_of(found.loadings, result.loadings, change);
  for (const Index j : found.optimal)
    if (const Index i = places[static_cast<std::size_t>(j)]; i >= 0) result.optimal.push_back(i);
  std::ranges::sort(result.optimal);
  result.proofs = found.proofs;
  for (Proof& proof : result.proofs)
    proof.component = places[static_cast<std::size_t>(proof.component)];
}

/// Reports how near the final result is to the target, in the target's unit.
void report_target(Result& result) {
  const Options& o = result.options;
  const Criteria& c = result.criteria;
  TargetReport& target = *result.target;
  const auto p = static_cast<double>(result.variables);
  const auto r = static_cast<double>(result.loadings.cols());
  const double most = 1 / (2 * r);  // half of a nonzero, in the mean over the components
  if (o.nonzeros) {
    target.option = "nonzeros";
    target.asked = static_cast<double>(*o.nonzeros);
    target.found = static_cast<double>(result.loadings.nonZeros()) / r;
    target.exact = std::abs(target.found - target.asked) <= most;
  } else if (o.sparsity) {
    target.option = "sparsity";
    target.asked = *o.sparsity;
    target.found = c.sparsity.mean;
    target.exact = std::abs(target.found - target.asked) * p <= most * (1 + kMetTolerance);
  } else {
    target.option = "keep";
    target.asked = *o.keep;
    target.found = c.share_of_pca();
    target.exact = target.found >= target.asked - kMetTolerance;
  }
  if (!target.exact)
    result.warnings.push_back(
        fmt::format("{} = {:g}: no lambda was found that reaches it; the nearest, {:.6g}, gives "
                    "{:.4g}",
                    target.option, target.asked, result.truncation->lambda, target.found));
}

Basis find_basis(const DataMatrix& a, const Options& options, const Tick& tick) {
  PcaOptions pca{.solver = options.solver, .seed = options.seed};
  if (options.method == Method::pca && a.preparation().precision == Precision::full)
    pca.tolerance = kPcaTolerance;
  if (!options.variance) return principal_basis(a, options.components, pca, tick);
  Basis basis = basis_explaining(a, *options.variance, pca, tick);
  if (components_explaining(basis, *options.variance) <= basis.rank)
    basis.warnings.clear();  // they are about components that are not needed
  return basis;
}

/// As many as explain the requested fraction; all if the data has no more.
void set_components(Result& result, const Basis& basis) {
  const std::optional<double> variance = result.options.variance;
  if (!variance) return;
  const Index most = std::min(result.samples.value_or(result.variables), result.variables);
  result.options.components = std::min(components_explaining(basis, *variance), most);
}

Result fit_basis(const DataMatrix& data, const Basis& basis, Result result, Stages& stages) {
  const auto known = basis.gram ? with_gram(data, *basis.gram) : nullptr;
  const DataMatrix& a = known ? *known : data;
  const Options& options = result.options;
  const Index r = options.components;
  result.solver = basis.solver;
  result.timing.pca = basis.seconds;
  result.singular_values = basis.singular_values.head(r);
  append(result.warnings, basis.warnings);

  MethodResult found = stages.run("rotate", result.timing.rotate, [&](const Tick& tick) {
    return find_loadings(a, basis, result, tick, stages.note());
  });
  result.rotation = std::move(found.rotation);
  result.history = std::move(found.history);
  result.status = found.status;
  append(result.warnings, found.warnings);
  result.loadings = stages.run("refit", result.timing.refit, [&](const Tick& tick) {
    return refit(a, found.loadings, options.refit, tick);
  });

  if (options.refine > 0)
    result.loadings = stages.run("refine", result.timing.refine, [&](const Tick& tick) {
      return refine(a, result.loadings, counts_of(result.truncation->type), options.refine, tick);
    });

  if (effort_of(options).level != Effort::Level::none && !can_search(a, result.loadings))
    result.warnings.emplace_back(
        "no search for a better answer: the components use more than 4096 variables");
  else if (effort_of(options).level != Effort::Level::none)
    result.loadings = stages.run("search", result.timing.search, [&](const Tick& tick) {
      const Criteria before = evaluate(a, result.loadings, 0, tick);
      result.search = {before.cpev, before.nonorthogonality};
      return search_from(a, basis, result, tick);
    });

  drop_rounding(result.loadings);
  Explained explained = stages.run("score", result.timing.score, [&](const Tick& tick) {
    return explained_by(a, result.loadings, tick);
  });
  const std::vector<Index> order = options.order == Order::variance
                                       ? order_by_adjusted_variance(explained.covariance)
                                       : own_order(r);
  const Loadings change = arrange(order, result.loadings, explained);
  for (Matrix* rotation : {&result.rotation, &found.truncated_from})
    if (rotation->size() > 0) *rotation = change.transpose() * *rotation;
  keep_proofs(found, change, result);
  const double cpev_pca = result.singular_values.squaredNorm() / basis.total_variance;
  result.criteria = evaluate(result.loadings, explained, basis.total_variance, cpev_pca);

  if (options.certify)
    result.certificate = stages.run("certify", result.timing.certify, [&](const Tick& tick) {
      return certify(a, result.loadings, cpev_pca, {.seconds = *options.certify}, tick);
    });

  result.bounds = bounds({.v = basis.vectors.leftCols(r),
                          .singular_values = result.singular_values,
                          .total_variance = basis.total_variance,
                          .x = result.loadings,
                          .ev = result.criteria.ev,
                          .cpev = result.criteria.cpev,
                          .origin = origin_of(found.origin, a, options),
                          .truncation = result.truncation.value_or(Truncation{}),
                          .truncated_from = std::move(found.truncated_from)});

  if (result.target) report_target(result);
  warn_of_empty(result.loadings, std::max(found.without_variance, r - basis.rank), result.warnings);
  result.message = describe(result.status, result.iterations());
  if (result.status != Status::converged) result.warnings.push_back(result.message);
  const Timing& t = result.timing;
  result.timing.total = t.read + t.prepare + t.pca + stages.elapsed();
  return result;
}

}  // namespace

Result fit(const DataMatrix& a, const Options& options, const Observer& observer) {
  check(options, a);
  const ThreadScope scope(options.threads);
  Result result = start_result(a, options);
  const Basis basis = basis_for(a, options, observer);
  set_components(result, basis);
  Stages stages(observer);
  return fit_basis(a, basis, std::move(result), stages);
}

Basis basis_for(const DataMatrix& a, const Options& options, const Observer& observer) {
  check(options, a);
  const ThreadScope scope(options.threads);
  double seconds = 0;
  return Stages(observer).run("pca", seconds,
                              [&](const Tick& tick) { return find_basis(a, options, tick); });
}

Result fit(const DataMatrix& a, const Basis& basis, const Options& options,
           const Observer& observer) {
  check(options, a);
  Result result = start_result(a, options);
  set_components(result, basis);
  check(basis, a, result.options.components);
  const ThreadScope scope(options.threads);
  Stages stages(observer);
  return fit_basis(a, basis, std::move(result), stages);
}

Matrix scores(const DataMatrix& a, const Loadings& x) {
  if (x.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", x.rows(), a.cols()));
  return a.times(Matrix(x));
}

}  // namespace spcart
