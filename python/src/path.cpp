#include "spcart/path.hpp"

#include <algorithm>
#include <utility>

#include "bindings.hpp"
#include "convert.hpp"
#include "request.hpp"
#include "spcart/names.hpp"

namespace spcart::python {
namespace {

nb::dict to_dict(const PathPoint& point) {
  nb::dict d;
  d["truncation"] = name(point.truncation.type);
  d["lam"] = point.truncation.lambda;
  d["n_components"] = point.components;
  d["criteria"] = python::to_dict(point.criteria);
  d["n_iter"] = point.iterations;
  d["status"] = name(point.status);
  d["searched"] = point.searched;
  d["loadings"] = python::to_dict(point.loadings);
  return d;
}

PathOptions path_options(const Options& common, const std::vector<std::string>& truncations,
                         std::vector<Index> components, std::optional<Index> points, double keep) {
  PathOptions options{.truncations = {},
                      .components = std::move(components),
                      .points = points,
                      .keep = keep,
                      .effort = common.effort.value_or(Effort{}),
                      .overlap = common.overlap,
                      .tolerance = common.tolerance,
                      .max_iterations = common.max_iterations,
                      .solver = common.solver,
                      .seed = common.seed,
                      .threads = common.threads};
  for (const std::string& word : truncations)
    options.truncations.push_back(parse<TruncationType>(word));
  return options;
}

nb::dict follow_path(nb::handle_t<TableHandle> table, const std::vector<std::string>& truncations,
                     std::vector<Index> components, std::optional<Index> points, double keep,
                     const nb::dict& options, const nb::dict& preparation, nb::object memory,
                     nb::object progress) {
  Request request = request_of(table, options, preparation, memory);
  // The one PCA is of the most components.
  if (!components.empty()) request.options.components = std::ranges::max(components);
  PathOptions wanted =
      path_options(request.options, truncations, std::move(components), points, keep);
  const auto followed = std::make_shared<Path>();
  run(table, progress, request.options.threads, [followed, request, wanted](Watch& watch) {
    const auto matrix = prepared(request, watch);
    *followed = path(*matrix, wanted, watch.observer());
  });
  nb::list all;
  for (const PathPoint& point : followed->points) all.append(to_dict(point));
  nb::dict d;
  d["points"] = all;
  d["knee"] = followed->knee;
  d["keep"] = followed->keep;
  d["n_features"] = followed->variables;
  d["solver"] = name(followed->solver);
  d["warnings"] = to_list(followed->warnings);
  return d;
}

}  // namespace

void bind_paths(nb::module_& m) {
  m.def("path", &follow_path, nb::arg("table"), nb::arg("truncations"), nb::arg("components"),
        nb::arg("points").none(), nb::arg("keep"), nb::arg("options"), nb::arg("preparation"),
        nb::arg("memory").none(), nb::arg("progress").none());
}

}  // namespace spcart::python
