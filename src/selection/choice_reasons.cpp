#include "selection/choice_reasons.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace spcart {
namespace {

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
  const ValidationPoint& least = choice.held_out[static_cast<std::size_t>(choice.least)];
  const ValidationPoint& chosen = choice.held_out[static_cast<std::size_t>(choice.chosen)];
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

std::string standing_out_in_words(const Choice& choice) {
  const Scree& scree = choice.scree;
  const Index r = choice.to_read.components;
  if (scree.by_broken_stick == 0)
    return "the first principal component is above permuted data, but none is above the broken "
           "stick";
  return fmt::format("{} above both permuted data and the broken stick{}",
                     r == 1 ? "the first principal component is"
                            : fmt::format("the first {} principal components are", r),
                     std::min(scree.by_parallel, scree.by_broken_stick) > r ? ", and more" : "");
}

std::string explained_in_words(const Choice& choice, Index p) {
  const Recommendation& read = choice.to_read;
  if (read.nonzeros >= p) return "with fewer variables too little of what PCA explains is left";
  const bool same = read.components == choice.components && read.nonzeros == choice.nonzeros;
  return fmt::format("{}regression on the scores explains {} of the variance, {} of what PCA does",
                     same ? "the components that predict are few and short enough to read; " : "",
                     percent(read.explained), percent(read.explained / read.explained_by_pca));
}

std::string difference_in_words(const Recommendation& read, const Recommendation& predict) {
  if (read.components == predict.components && read.nonzeros == predict.nonzeros) return "";
  const std::string errors = std::isnan(read.error)
                                 ? ""
                                 : fmt::format(": {} of that of means, in place of {}",
                                               percent(predict.error), percent(read.error));
  return fmt::format(
      "The two differ because what hardly stands out can still lower the error at held-out "
      "entries{}",
      errors);
}

}  // namespace

void give_reasons(Index p, Choice& choice) {
  choice.reasons = {variances_in_words(choice.scree), errors_in_words(choice)};
  Recommendation &read = choice.to_read, &predict = choice.to_predict;
  read.when = "take it to say what the components mean, each by a few variables";
  predict.when = "take it to go on with the scores, or to fill in or denoise entries";
  predict.reasons = choice.reasons;
  if (read.components == 0) {
    read.reasons = choice.reasons;
    return;
  }
  read.reasons = {standing_out_in_words(choice), explained_in_words(choice, p)};
  choice.difference = difference_in_words(read, predict);
}

}  // namespace spcart
