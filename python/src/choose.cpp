#include "spcart/choose.hpp"

#include <algorithm>

#include "bindings.hpp"
#include "convert.hpp"
#include "request.hpp"

namespace spcart::python {
namespace {

nb::dict to_dict(const Scree& scree) {
  nb::dict d;
  d["variances"] = scree.variances;
  d["broken_stick"] = scree.broken_stick;
  d["parallel"] = scree.parallel;
  d["by_broken_stick"] = scree.by_broken_stick;
  d["by_parallel"] = scree.by_parallel;
  return d;
}

nb::dict to_dict(const ValidationPoint& setting) {
  nb::dict d;
  d["n_components"] = setting.components;
  d["nonzeros"] = setting.nonzeros;
  d["error"] = setting.error;
  d["excess_deviation"] = setting.excess_deviation;
  return d;
}

nb::dict to_dict(const Recommendation& answer) {
  nb::dict d;
  d["n_components"] = answer.components;
  d["nonzeros"] = answer.nonzeros;
  d["when"] = answer.when;
  d["reasons"] = to_list(answer.reasons);
  d["explained"] = answer.explained;
  d["explained_by_pca"] = answer.explained_by_pca;
  d["error"] = answer.error;
  return d;
}

nb::dict to_dict(const Choice& choice) {
  nb::dict d;
  d["to_read"] = to_dict(choice.to_read);
  d["to_predict"] = to_dict(choice.to_predict);
  d["difference"] = choice.difference;
  d["n_components"] = choice.components;
  d["nonzeros"] = choice.nonzeros;
  d["reasons"] = to_list(choice.reasons);
  d["scree"] = to_dict(choice.scree);
  nb::list held_out;
  for (const ValidationPoint& setting : choice.held_out) held_out.append(to_dict(setting));
  d["held_out"] = held_out;
  d["least"] = choice.least;
  d["chosen"] = choice.chosen;
  d["repeats"] = choice.repeats;
  d["warnings"] = to_list(choice.warnings);
  return d;
}

nb::dict choose_settings(nb::handle_t<TableHandle> table, Index most, Index permutations,
                         Index folds, Index repeats, const std::vector<Index>& components,
                         const std::vector<Index>& nonzeros, const nb::dict& options,
                         const nb::dict& preparation, nb::object memory, nb::object progress) {
  Request request = request_of(table, options, preparation, memory);
  const Options& common = request.options;
  request.options.components = std::max<Index>(most, 1);
  ChooseOptions wanted{.most = most,
                       .permutations = permutations,
                       .folds = folds,
                       .repeats = repeats,
                       .components = components,
                       .nonzeros = nonzeros,
                       .effort = common.effort.value_or(Effort{}),
                       .overlap = common.overlap,
                       .tolerance = common.tolerance,
                       .max_iterations = common.max_iterations,
                       .solver = common.solver,
                       .seed = common.seed,
                       .threads = common.threads};
  const auto choice = std::make_shared<Choice>();
  run(table, progress, common.threads, [choice, request, wanted](Watch& watch) mutable {
    const auto matrix = prepared(request, watch);
    *choice = choose(*matrix, wanted, watch.observer());
  });
  return to_dict(*choice);
}

}  // namespace

void bind_choices(nb::module_& m) {
  m.def("choose", &choose_settings, nb::arg("table"), nb::arg("most"), nb::arg("permutations"),
        nb::arg("folds"), nb::arg("repeats"), nb::arg("components"), nb::arg("nonzeros"),
        nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
}

}  // namespace spcart::python
