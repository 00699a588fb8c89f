#include "spcart/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "path/cross_validation.hpp"
#include "path/scree.hpp"
#include "path/stage.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

void check_least(const char* what, Index value, Index least) {
  if (value < least)
    throw Error(fmt::format("{} = {}: it must be at least {}", what, value, least));
}

void check_list(const char* what, const std::vector<Index>& values, Index most, const char* why) {
  for (const Index value : values)
    if (value < 1 || value > most)
      throw Error(fmt::format("{} = {}: it must be from 1 to {}, {}", what, value, most, why));
}

/// Components that the samples of every fold but one can have.
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
  if (options.folds < 2 || options.folds > a.rows())
    throw Error(fmt::format("folds = {}: it must be from 2 to {}, the number of samples",
                            options.folds, a.rows()));
  check_list("components", options.components, most_components(a, options),
             "below what the samples of all folds but one allow");
  check_list("nonzeros", options.nonzeros, a.cols(), "the number of variables");
  if (!(options.tolerance >= 0))
    throw Error(fmt::format("tolerance = {}: it must be at least 0", options.tolerance));
  check_least("max-iterations", options.max_iterations, 1);
  checked_threads(options.threads);
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

std::vector<Index> in_order(std::vector<Index> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Numbers of components to begin with: somewhat more than anything speaks for.
std::vector<Index> first_components(const Scree& scree, Index most) {
  constexpr Index kMore = 2, kFew = 8;
  constexpr double kFactor = 1.5;
  const Index last = std::min(std::max(scree.by_parallel, scree.by_broken_stick) + kMore, most);
  std::vector<Index> values = growing(last, kFactor);
  for (Index r = last <= kFew ? 1 : last - 2 * kMore; r < last; ++r) values.push_back(r);
  return in_order(std::move(values));
}

/// Numbers between a known one and its neighbours, three on each side where there are as many.
std::vector<Index> between_neighbours(const std::vector<Index>& known, Index value) {
  constexpr Index kEach = 4;
  const auto place = std::ranges::find(known, value);
  std::vector<Index> values;
  const auto fill = [&](Index low, Index high) {
    for (Index i = 1; i < kEach; ++i)
      values.push_back(std::lround(static_cast<double>(low) *
                                   std::pow(static_cast<double>(high) / static_cast<double>(low),
                                            static_cast<double>(i) / kEach)));
  };
  if (place != known.begin()) fill(*(place - 1), value);
  if (place + 1 != known.end()) fill(value, *(place + 1));
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
      any_nonzeros ? growing(a.cols(), 1.5) : in_order(options.nonzeros);
  CrossValidation validation(a, any_components ? most : components.back(), options,
                             tick_of(observer, "validate", 0, kFolds));
  const auto try_out = [&](const std::vector<Index>& r, const std::vector<Index>& k, double from) {
    validation.add(r, k, tick_of(observer, "validate", from, from < kGrid ? kGrid : 1));
    judge_errors(validation.errors(), choice);
    return choice.held_out[static_cast<std::size_t>(choice.least)];
  };
  HeldOut least = try_out(components, nonzeros, kFolds);
  while (any_components && least.components == components.back() && least.components < most) {
    components.clear();
    for (Index r = least.components + 1; r <= std::min(least.components + kStep, most); ++r)
      components.push_back(r);
    least = try_out(components, nonzeros, kGrid);
  }
  if (any_nonzeros && least.components > 0)
    try_out({least.components},
            between_neighbours(validation.known(least.components), least.nonzeros), kGrid);
  tell(observer, "validate", 1);
}

std::string percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

std::string counted(Index count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string variances_in_words(const Scree& scree) {
  if (scree.by_parallel == 0)
    return fmt::format(
        "the first principal component has {} of the variance, no more than that of permuted data "
        "({})",
        percent(scree.variances[0]), percent(scree.parallel[0]));
  return fmt::format("the variance of {} is above that of permuted data (broken stick: {})",
                     scree.by_parallel == scree.variances.size()
                         ? fmt::format("all {} principal components", scree.by_parallel)
                         : counted(scree.by_parallel, "principal component"),
                     scree.by_broken_stick);
}

std::string errors_in_words(const Choice& choice) {
  const HeldOut& least = choice.held_out[static_cast<std::size_t>(choice.least)];
  const HeldOut& chosen = choice.held_out[static_cast<std::size_t>(choice.chosen)];
  if (chosen.components == 0)
    return "no components predict held-out entries better than their means do";
  const std::string what =
      choice.components == 0 ? fmt::format(" by {} of {}", counted(chosen.components, "component"),
                                           counted(chosen.nonzeros, "variable"))
                             : "";
  const std::string error =
      fmt::format("held-out entries are predicted{} with {} of the error of their means", what,
                  percent(chosen.error));
  if (choice.least == choice.chosen) return error + ", the least of all";
  return fmt::format("{}, near the least ({} by {} of {})", error, percent(least.error),
                     counted(least.components, "component"), least.nonzeros);
}

void recommend(Choice& choice) {
  const HeldOut& chosen = choice.held_out[static_cast<std::size_t>(choice.chosen)];
  if (chosen.components > 0 && choice.scree.by_parallel > 0) {
    choice.components = chosen.components;
    choice.nonzeros = chosen.nonzeros;
  }
  choice.reasons = {variances_in_words(choice.scree), errors_in_words(choice)};
}

}  // namespace

Choice choose(const DataMatrix& a, const ChooseOptions& options, const Observer& observer) {
  check(options, a);
  const ThreadScope scope(options.threads);
  const Index most = std::min(options.most, std::min(a.rows() - 1, a.cols()));
  Choice choice;
  choice.scree = scree(a, most, options, observer);
  validate(a, options, std::min(most, most_components(a, options)), observer, choice);
  recommend(choice);
  if (options.components.empty() && choice.components == options.most)
    choice.warnings.push_back(fmt::format(
        "{} components are the most that were looked at: there may be more", choice.components));
  return choice;
}

}  // namespace spcart
