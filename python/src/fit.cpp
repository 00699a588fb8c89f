#include "spcart/fit.hpp"

#include "bindings.hpp"
#include "convert.hpp"
#include "request.hpp"
#include "spcart/bootstrap.hpp"
#include "spcart/compare.hpp"
#include "spcart/names.hpp"

namespace spcart::python {
namespace {

nb::dict to_dict(const Stability& stability) {
  nb::dict d;
  d["frequencies"] = python::to_dict(stability.frequencies);
  d["cosines"] = stability.cosines;
  d["resamples"] = stability.resamples;
  return d;
}

/// Fits also to resamples where their number is given.
nb::dict fit_table(nb::handle_t<TableHandle> table, const nb::dict& options,
                   const nb::dict& preparation, std::optional<Index> resamples, nb::object memory,
                   nb::object progress) {
  struct Fitted {
    Result result;
    std::optional<Stability> stability;
    double total_variance = 0;
  };
  Request request = request_of(table, options, preparation, memory);
  const auto fitted = std::make_shared<Fitted>();
  run(table, progress, request.options.threads, [fitted, request, resamples](Watch& watch) mutable {
    const auto matrix = prepared(request, watch);
    fitted->result = fit(*matrix, request.options, watch.observer());
    fitted->total_variance = matrix->squared_norm();
    if (resamples)
      fitted->stability =
          bootstrap(*matrix, fitted->result,
                    {.resamples = *resamples, .seed = request.options.seed}, watch.observer());
  });
  nb::dict d = python::to_dict(fitted->result);
  d["stability"] = fitted->stability ? nb::object(to_dict(*fitted->stability)) : nb::none();
  d["total_variance"] = fitted->total_variance;
  return d;
}

nb::list compare_methods(nb::handle_t<TableHandle> table, const std::vector<std::string>& methods,
                         Index nonzeros, const nb::dict& options, const nb::dict& preparation,
                         nb::object memory, nb::object progress) {
  Request request = request_of(table, options, preparation, memory);
  CompareOptions compared{.nonzeros = nonzeros};
  if (!methods.empty()) compared.contenders.clear();
  for (const std::string& method : methods) compared.contenders.push_back(parse_contender(method));
  const auto rows = std::make_shared<std::vector<ComparisonRow>>();
  run(table, progress, request.options.threads, [rows, request, compared](Watch& watch) mutable {
    const auto matrix = prepared(request, watch);
    compared.common = request.options;
    *rows = compare(*matrix, compared, watch.observer());
  });
  nb::list list;
  for (const ComparisonRow& row : *rows) {
    nb::dict d = python::to_dict(row.result);
    d["seconds"] = row.seconds;
    d["fits"] = row.fits;
    d["searched"] = row.searched ? nb::object(python::to_dict(*row.searched)) : nb::none();
    d["note"] = row.note;
    list.append(d);
  }
  return list;
}

nb::dict find_basis(nb::handle_t<TableHandle> table, double tolerance, Index max_passes,
                    const nb::dict& options, const nb::dict& preparation, nb::object memory,
                    nb::object progress) {
  Request request = request_of(table, options, preparation, memory);
  const auto basis = std::make_shared<Basis>();
  run(table, progress, request.options.threads,
      [basis, request, tolerance, max_passes](Watch& watch) mutable {
        const auto matrix = prepared(request, watch);
        *basis = principal_basis(*matrix, request.options.components,
                                 {.solver = request.options.solver,
                                  .tolerance = tolerance,
                                  .max_passes = max_passes,
                                  .seed = request.options.seed},
                                 watch.tick("pca"));
      });
  nb::dict d;
  d["vectors"] = std::move(basis->vectors);
  d["singular_values"] = basis->singular_values;
  d["residuals"] = basis->residuals;
  d["total_variance"] = basis->total_variance;
  d["rank"] = basis->rank;
  d["solver"] = name(basis->solver);
  d["cpev"] = basis->cpev();
  d["warnings"] = to_list(basis->warnings);
  return d;
}

}  // namespace

void bind_fits(nb::module_& m) {
  m.def("fit", &fit_table, nb::arg("table"), nb::arg("options"), nb::arg("preparation"),
        nb::arg("resamples").none(), nb::arg("memory").none(), nb::arg("progress").none());
  m.def("compare", &compare_methods, nb::arg("table"), nb::arg("methods"), nb::arg("nonzeros"),
        nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
  m.def("principal_basis", &find_basis, nb::arg("table"), nb::arg("tolerance"),
        nb::arg("max_passes"), nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
}

}  // namespace spcart::python
