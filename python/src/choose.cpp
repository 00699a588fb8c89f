#include "spcart/choose.hpp"

#include <algorithm>

#include "record.hpp"
#include "request.hpp"
#include "results.hpp"
#include "spcart/common_options.hpp"

namespace spcart::python {
namespace {

void bind_parts_of_choice(nb::module_& m) {
  Record<Scree>(m, "Scree",
                "Variances of principal components beside those of components without meaning, "
                "all as fractions of the total variance.")
      .field("variances", &Scree::variances, "Of the principal components.")
      .field("broken_stick", &Scree::broken_stick,
             "Expected lengths of the parts of a stick that is broken at random.")
      .field("parallel", &Scree::parallel, "95 % quantiles over tables whose columns are permuted.")
      .field("by_broken_stick", &Scree::by_broken_stick,
             "Number of components before the first that is not above the broken stick.")
      .field("by_parallel", &Scree::by_parallel, "Likewise, for the permuted tables.")
      .finish();
  Record<ValidationPoint>(m, "ValidationPoint",
                          "One setting, evaluated by how well it predicts held-out entries.")
      .field("n_components", &ValidationPoint::components,
             "Number of components; 0 if every entry is predicted by its variable's mean.")
      .field("nonzeros", &ValidationPoint::nonzeros, "Number of variables in each component.")
      .field("error", &ValidationPoint::error,
             "Squared, as a fraction of what predicting by means leaves.")
      .field("excess_deviation", &ValidationPoint::excess_deviation,
             "Standard error of its excess over the least error.")
      .finish();
  Record<Recommendation>(m, "Recommendation",
                         "One answer: how many components, of how many variables each.")
      .field("n_components", &Recommendation::components,
             "0: no structure, nothing rises above noise.")
      .field("nonzeros", &Recommendation::nonzeros, "Number of variables in each component.")
      .field("when", &Recommendation::when, "When to take it, in one sentence.")
      .field("reasons", &Recommendation::reasons, "Why.")
      .field("explained", &Recommendation::explained,
             "The fraction of all variance that regression of the table on the scores explains.")
      .field("explained_by_pca", &Recommendation::explained_by_pca,
             "The same of as many principal components.")
      .field("error", &Recommendation::error,
             "Of predicting held-out entries, as in ValidationPoint; NaN if cross-validation did "
             "not try it.")
      .finish();
}

void bind_choice(nb::module_& m) {
  Record<Choice>(m, "Choice", "Two answers, to two questions.")
      .field("to_read", &Choice::to_read,
             "As many components as stand out, of as few variables as explain most: take it to say "
             "what the components mean.")
      .field("to_predict", &Choice::to_predict,
             "What cross-validation finds: take it to go on with the scores.")
      .field("difference", &Choice::difference,
             "Why the two differ, in one sentence; empty if they agree.")
      .field("n_components", &Choice::components, "That of `to_predict`.")
      .field("nonzeros", &Choice::nonzeros, "That of `to_predict`.")
      .field("reasons", &Choice::reasons, "Those of `to_predict`.")
      .field("scree", &Choice::scree, "What principal components alone tell.", Show::no)
      .field("held_out", &Choice::held_out,
             "All settings that were tried, by number of components, then of nonzeros. They make a "
             "data frame.",
             Show::no)
      .derived(
          "least", [](const Choice& c) -> const auto& {
            return c.held_out[static_cast<std::size_t>(c.least)];
          },
          "The setting of least error.")
      .keep(&Choice::least)
      .derived(
          "chosen", [](const Choice& c) -> const auto& {
            return c.held_out[static_cast<std::size_t>(c.chosen)];
          },
          "The simplest setting that is near it.")
      .keep(&Choice::chosen)
      .field("repeats", &Choice::repeats,
             "Number of random partitions over which cross-validation was repeated.")
      .property(
          "warnings", [](const Choice& c) { return c.warnings; }, "What was warned of.")
      .keep(&Choice::warnings)
      .finish();
}

Choice choose_settings(nb::handle_t<TableHandle> table, Index most, Index permutations, Index folds,
                       Index repeats, const std::vector<Index>& components,
                       const std::vector<Index>& nonzeros, const Options& options,
                       const Preparation& preparation, nb::object memory, nb::object progress) {
  Request request(table, options, preparation, memory);
  request.options.components = std::max<Index>(most, 1);
  const auto wanted = with_common(ChooseOptions{.most = most,
                                                .permutations = permutations,
                                                .folds = folds,
                                                .repeats = repeats,
                                                .components = components,
                                                .nonzeros = nonzeros},
                                  options);
  const auto choice = std::make_shared<Choice>();
  run(table, progress, options.threads, [choice, request, wanted](Watch& watch) {
    *choice = choose(*request.prepared(watch), wanted, watch.observer());
  });
  return std::move(*choice);
}

}  // namespace

void bind_choices(nb::module_& m) {
  bind_parts_of_choice(m);
  bind_choice(m);
  m.def("choose", &choose_settings, nb::arg("table"), nb::arg("most"), nb::arg("permutations"),
        nb::arg("folds"), nb::arg("repeats"), nb::arg("components"), nb::arg("nonzeros"),
        nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
}

}  // namespace spcart::python
