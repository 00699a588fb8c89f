#include "spcart/path.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "record.hpp"
#include "request.hpp"
#include "results.hpp"
#include "spcart/common_options.hpp"

namespace spcart::python {
namespace {

Index nonzeros(const PathPoint& point) {
  return std::accumulate(point.criteria.nonzeros.begin(), point.criteria.nonzeros.end(), Index{0});
}

void bind_point(nb::module_& m) {
  Record<PathPoint>(m, "PathPoint", "One setting of a path, and what it leads to.")
      .field(
          "truncation", [](auto& p) -> auto& { return p.truncation.type; },
          "Truncation type of the fit from which the point, or the search for it, starts: "
          "``SPCArt(n_components, truncation=truncation, lam=lam)`` comes near it.")
      .field(
          "lam", [](auto& p) -> auto& { return p.truncation.lambda; },
          "Strength of that truncation.")
      .field("n_components", &PathPoint::components, "Number of components.")
      .field("criteria", &PathPoint::criteria, "Figures of the loadings.")
      .field("n_iter", &PathPoint::iterations, "Number of iterations.")
      .field("status", &PathPoint::status, "\"converged\" or \"iteration_limit\".")
      .field("searched", &PathPoint::searched, "Whether a search explains more than the fit.")
      .field("bound", &PathPoint::bound,
             "No orthogonal components with as few variables explain more, as a fraction of all "
             "variance; None if that was not asked for.")
      .field("loadings", &PathPoint::loadings,
             "Components of unit length; of shape (n_features, n_components).", Show::no)
      .property("nonzeros", &nonzeros, "Nonzeros of all loadings together.")
      .finish();
}

/// One row per point, with the columns of the command's `path --csv` under Python's names, and the
/// bound if there is one.
nb::object to_frame(nb::handle path) {
  nb::list rows;
  for (const nb::handle point : path.attr("points")) {
    nb::dict row;
    const auto take = [&row](nb::handle from, std::initializer_list<const char*> names) {
      for (const char* name : names) row[name] = from.attr(name);
    };
    take(point, {"truncation", "lam", "n_components", "nonzeros"});
    take(point.attr("criteria"), {"sparsity", "sparsity_std", "sparsity_min", "cpev", "cpev_pca",
                                  "share_of_pca", "nonorthogonality"});
    take(point, {"n_iter", "status"});
    if (!point.attr("bound").is_none()) take(point, {"bound"});
    rows.append(row);
  }
  return nb::module_::import_("pandas").attr("DataFrame")(rows);
}

void bind_path(nb::module_& m) {
  Record<Path>(m, "Path", "The trade-off between zeros and variance.")
      .field("points", &Path::points,
             "By number of components, then by truncation type, from dense to sparse.", Show::no)
      .derived(
          "knee", [](const Path& p) -> const PathPoint& { return p.points[p.knee]; },
          "Of the most components: from there on, a factor of nonzeros costs more variance "
          "than on average.")
      .keep(&Path::knee)
      .derived(
          "keep",
          [](const Path& p) -> const PathPoint* { return p.keep ? &p.points[*p.keep] : nullptr; },
          "Of the most components: the fewest nonzeros that keep the share of PCA's variance that "
          "was asked for. None if no point does.",
          Show::yes, nb::for_getter(nb::sig("def keep(self) -> PathPoint | None")))
      .keep(&Path::keep)
      .field("n_features", &Path::variables, "Number of variables.")
      .field("solver", &Path::solver, "The one that found the principal components.")
      .property(
          "warnings", [](const Path& p) { return p.warnings; }, "What was warned of.")
      .keep(&Path::warnings)
      .finish()
      .def("to_frame", &to_frame, nb::sig("def to_frame(self) -> pandas.DataFrame"),
           "The points as a pandas data frame, one row per point, with the columns of the "
           "command's ``path --csv`` under Python's names, and ``bound`` if it was asked for.");
}

Path follow_path(nb::handle_t<TableHandle> table, const std::vector<std::string>& truncations,
                 std::vector<Index> components, std::optional<Index> points, double keep,
                 const Options& options, const Preparation& preparation, nb::object memory,
                 nb::object progress) {
  Request request(table, options, preparation, memory);
  // The one PCA is of the most components.
  if (!components.empty()) request.options.components = std::ranges::max(components);
  auto wanted = with_common(
      PathOptions{
          .truncations = {}, .components = std::move(components), .points = points, .keep = keep},
      options);
  wanted.certify = options.certify;
  for (const std::string& word : truncations)
    wanted.truncations.push_back(parse<TruncationType>(word));
  const auto found = std::make_shared<Path>();
  run(table, progress, options.threads, [found, request, wanted](Watch& watch) {
    *found = path(*request.prepared(watch), wanted, watch.observer());
  });
  return std::move(*found);
}

}  // namespace

void bind_paths(nb::module_& m) {
  bind_point(m);
  bind_path(m);
  m.def("path", &follow_path, nb::arg("table"), nb::arg("truncations"), nb::arg("components"),
        nb::arg("points").none(), nb::arg("keep"), nb::arg("options"), nb::arg("preparation"),
        nb::arg("memory").none(), nb::arg("progress").none());
}

}  // namespace spcart::python
