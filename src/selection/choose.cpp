#include "spcart/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/progress.hpp"
#include "base/reject.hpp"
#include "data/warnings.hpp"
#include "selection/choice_reasons.hpp"
#include "selection/choice_to_read.hpp"
#include "selection/cross_validation.hpp"
#include "selection/scree.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

void check_least(const char* what, Index value, Index least) {
  if (value < least) reject(what, value, "it must be at least {}", least);
}

void check_list(const char* what, const std::vector<Index>& values, Index most, const char* why) {
  for (const Index value : values)
    if (value < 1 || value > most) reject(what, value, "it must be from 1 to {}, {}", most, why);
}

/// Maximum number of components for the samples outside a fold.
Index most_components(const DataMatrix& a, const ChooseOptions& options) {
  const Index largest_fold = (a.rows() + options.folds - 1) / options.folds;
  return std::max<Index>(std::min(a.rows() - largest_fold - 1, a.cols() - 1), 1);
}

void check(const ChooseOptions& options, const DataMatrix& a) {
  if (!a.samples()) throw Error("choosing needs samples, and only their covariance is known");
  if (a.rows() < 4 || a.cols() < 2)
    throw Error(fmt::format("choosing needs at least 4 samples of 2 variables, not {} of {}",
                            a.rows(), a.cols()));
  check_least("most", options.most, 1);
  check_least("permutations", options.permutations, 1);
  check_least("repeats", options.repeats, 0);
  if (options.folds < 2 || options.folds > a.rows())
    reject("folds", options.folds, "it must be from 2 to {}, the number of samples", a.rows());
  check_list("components", options.components, most_components(a, options),
             "below what the samples of all folds but one allow");
  check_list("nonzeros", options.nonzeros, a.cols(), "the number of variables");
  if (!(options.tolerance >= 0)) reject("tolerance", options.tolerance, "it must be at least 0");
  check_least("max-iterations", options.max_iterations, 1);
  check(options.effort, options.overlap);
  checked_threads(options.threads);
}

/// The fewer numbers a table has, the more the answer depends on the partition, and the cheaper
/// another partition is.
Index repeats_for(const DataMatrix& a, const ChooseOptions& options) {
  constexpr double kNumbers = 2e5;
  constexpr Index kMost = 100;
  if (options.repeats > 0) return options.repeats;
  const double numbers = static_cast<double>(a.rows()) * static_cast<double>(a.cols());
  return static_cast<Index>(std::clamp(kNumbers / numbers, 1.0, static_cast<double>(kMost)));
}

/// Whole numbers from 1 to `most`, each larger than the last by about this factor.
std::vector<Index> growing(Index most, double factor) {
  std::vector<Index> values;
  double value = 1;
  while (value < static_cast<double>(most)) {
    const auto whole = static_cast<Index>(std::lround(value));
    if (whole < most && (values.empty() || whole > values.back())) values.push_back(whole);
    value *= factor;
  }
  values.push_back(most);
  return values;
}

/// The factor between numbers of variables: 1.5, or more if there are so many variables that more
/// than about a dozen steps would be needed.
double growth(Index p) {
  constexpr double kLeast = 1.5, kSteps = 12;
  return std::max(kLeast, std::pow(static_cast<double>(p), 1 / kSteps));
}

std::vector<Index> in_order(std::vector<Index> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Numbers of components to begin with: somewhat more than any criterion suggests.
std::vector<Index> first_components(const Scree& scree, Index most) {
  constexpr Index kMore = 2, kFew = 8;
  constexpr double kFactor = 1.5;
  const Index last = std::min(std::max(scree.by_parallel, scree.by_broken_stick) + kMore, most);
  std::vector<Index> values = growing(last, kFactor);
  for (Index r = last <= kFew ? 1 : last - 2 * kMore; r < last; ++r) values.push_back(r);
  return in_order(std::move(values));
}

/// Numbers between a known one and its neighbours, three on each side if there are as many.
std::vector<Index> between_neighbours(const std::vector<Index>& known, Index value) {
  constexpr Index kEach = 4;
  const auto position = std::ranges::find(known, value);
  std::vector<Index> values;
  const auto fill = [&](Index low, Index high) {
    for (Index i = 1; i < kEach; ++i)
      values.push_back(std::lround(static_cast<double>(low) *
                                   std::pow(static_cast<double>(high) / static_cast<double>(low),
                                            static_cast<double>(i) / kEach)));
  };
  if (position != known.begin()) fill(*(position - 1), value);
  if (position + 1 != known.end()) fill(value, *(position + 1));
  return in_order(std::move(values));
}

/// Tries a grid of settings, then more components as long as that helps, then numbers of variables
/// around the best one.
void validate(const DataMatrix& a, const ChooseOptions& options, Index most,
              const Observer& observer, Choice& choice) {
  constexpr Index kStep = 3;
  constexpr double kFolds = 0.4, kGrid = 0.9;  // of the work, roughly
  const bool any_components = options.components.empty(), any_nonzeros = options.nonzeros.empty();
  std::vector<Index> components =
      any_components ? first_components(choice.scree, most) : in_order(options.components);
  const std::vector<Index> nonzeros =
      any_nonzeros ? growing(a.cols(), growth(a.cols())) : in_order(options.nonzeros);
  CrossValidation validation(a, any_components ? most : components.back(), options,
                             tick_of(observer, "validate", 0, kFolds));
  const auto try_out = [&](const std::vector<Index>& r, const std::vector<Index>& k, double from) {
    validation.add(r, k, tick_of(observer, "validate", from, from < kGrid ? kGrid : 1));
    evaluate_errors(validation.errors(), choice, options.repeats);
    return choice.held_out[static_cast<std::size_t>(choice.least)];
  };
  ValidationPoint least = try_out(components, nonzeros, kFolds);
  while (any_components && least.components == components.back() && least.components < most) {
    components.clear();
    for (Index r = least.components + 1; r <= std::min(least.components + kStep, most); ++r)
      components.push_back(r);
    least = try_out(components, nonzeros, kGrid);
  }
  if (any_nonzeros && least.components > 0)
    try_out({least.components},
            between_neighbours(validation.known(least.components), least.nonzeros), kGrid);
  // What the other answer would lose is shown beside the answer to predict.
  const Recommendation& read = choice.to_read;
  if (any_components && any_nonzeros && read.components > 0 && read.components <= most)
    try_out({read.components}, {read.nonzeros}, kGrid);
  report_progress(observer, "validate", 1);
}

/// There is an answer if both parallel analysis and cross-validation find structure.
void recommend(Choice& choice) {
  const ValidationPoint& chosen = choice.held_out[static_cast<std::size_t>(choice.chosen)];
  if (chosen.components == 0 || choice.scree.by_parallel == 0) {
    choice.to_read = {};
    return;
  }
  choice.components = choice.to_predict.components = chosen.components;
  choice.nonzeros = choice.to_predict.nonzeros = chosen.nonzeros;
  if (is_readable(choice.to_predict, choice.to_read)) choice.to_read.nonzeros = chosen.nonzeros;
  for (const ValidationPoint& point : choice.held_out)
    for (Recommendation* answer : {&choice.to_read, &choice.to_predict})
      if (point.components == answer->components && point.nonzeros == answer->nonzeros)
        answer->error = point.error;
}

}  // namespace

Choice choose(const DataMatrix& a, const ChooseOptions& given, const Observer& observer) {
  check(given, a);
  const ThreadScope scope(given.threads);
  ChooseOptions options = given;
  options.repeats = repeats_for(a, given);
  options.solver = a.plan().solver_for(given.solver);  // for parts of the table too
  const Index most = std::min(options.most, std::min(a.rows() - 1, a.cols()));
  Choice choice;
  choice.repeats = options.repeats;
  warn_of_data(a, choice.warnings);
  const Basis basis = principal_basis(a, most, {.solver = options.solver, .seed = options.seed},
                                      tick_of(observer, "pca"));
  choice.scree = scree(a, basis, options, observer);
  const Tick reading = tick_of(observer, "read");
  choice.to_read.components = components_to_read(choice.scree);
  if (choice.to_read.components > 0)
    choice.to_read.nonzeros =
        variables_to_read(a, basis, choice.to_read.components, options, reading);
  validate(a, options, std::min(most, most_components(a, options)), observer, choice);
  recommend(choice);
  measure(a, basis, options, choice.to_read, reading);
  measure(a, basis, options, choice.to_predict, reading);
  give_reasons(a.cols(), choice);
  if (options.components.empty() && choice.components == options.most)
    choice.warnings.push_back(fmt::format(
        "{} components are the most that were looked at: there may be more", choice.components));
  return choice;
}

}  // namespace spcart
