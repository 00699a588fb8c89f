#include "spcart/fit.hpp"

#include "request.hpp"
#include "results.hpp"

namespace spcart::python {
namespace {

/// Fits also to resamples if their number is given.
FitReport fit_table(nb::handle_t<TableHandle> table, const Options& options,
                    const Preparation& preparation, std::optional<Index> resamples,
                    nb::object memory, nb::object progress) {
  const Request request(table, options, preparation, memory);
  const auto report = std::make_shared<FitReport>();
  run(table, progress, options.threads, [report, request, resamples](Watch& watch) {
    const auto matrix = request.prepared(watch);
    report->result = fit(*matrix, request.options, watch.observer());
    report->total_variance = matrix->squared_norm();
    if (resamples)
      report->stability =
          bootstrap(*matrix, report->result,
                    {.resamples = *resamples, .seed = request.options.seed}, watch.observer());
  });
  return std::move(*report);
}

Basis find_basis(nb::handle_t<TableHandle> table, double tolerance, Index max_passes,
                 const Options& options, const Preparation& preparation, nb::object memory,
                 nb::object progress) {
  const Request request(table, options, preparation, memory);
  const auto basis = std::make_shared<Basis>();
  run(table, progress, options.threads, [basis, request, tolerance, max_passes](Watch& watch) {
    const auto matrix = request.prepared(watch);
    *basis = principal_basis(*matrix, request.options.components,
                             {.solver = request.options.solver,
                              .tolerance = tolerance,
                              .max_passes = max_passes,
                              .seed = request.options.seed},
                             watch.tick("pca"));
  });
  return std::move(*basis);
}

}  // namespace

void bind_fits(nb::module_& m) {
  m.def("fit", &fit_table, nb::arg("table"), nb::arg("options"), nb::arg("preparation"),
        nb::arg("resamples").none(), nb::arg("memory").none(), nb::arg("progress").none());
  m.def("principal_basis", &find_basis, nb::arg("table"), nb::arg("tolerance"),
        nb::arg("max_passes"), nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
}

}  // namespace spcart::python
