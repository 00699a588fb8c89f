#include <algorithm>

#include "bindings.hpp"
#include "request.hpp"
#include "spcart/error.hpp"

namespace spcart::python {
namespace {

/// A x for the columns x of the loadings.
Matrix score(nb::handle_t<TableHandle> table, const Loadings& loadings,
             const Preparation& preparation, nb::object memory, Index threads,
             nb::object progress) {
  const auto y = std::make_shared<Matrix>();
  const auto samples = nb::cast<const TableHandle&>(table).samples;
  const PrepareOptions planned{.preparation = preparation,
                               .components = loadings.cols(),
                               .without_pca = true,
                               .memory = memory_of(memory)};
  run(table, progress, threads, [y, samples, loadings, planned](Watch& watch) {
    *y = scores(*prepare_samples(*samples, planned, watch.tick("prepare")), loadings);
  });
  return std::move(*y);
}

/// Evaluates loadings; beside as many principal components if that is asked for.
Criteria evaluate(nb::handle_t<TableHandle> table, const Loadings& loadings,
                  const Preparation& preparation, bool beside_pca, nb::object memory, Index threads,
                  nb::object progress) {
  const auto criteria = std::make_shared<Criteria>();
  const auto& handle = nb::cast<const TableHandle&>(table);
  const Index r = std::min({loadings.cols(), handle.rows(), handle.cols()});
  run(table, progress, threads,
      [criteria, samples = handle.samples, r, beside_pca, loadings, preparation,
       limit = memory_of(memory)](Watch& watch) {
        const auto a = prepare_samples(*samples,
                                       {.preparation = preparation,
                                        .components = r,
                                        .without_pca = !beside_pca,
                                        .memory = limit},
                                       watch.tick("prepare"));
        const double pca = beside_pca ? principal_basis(*a, r, {}, watch.tick("pca")).cpev() : 0;
        *criteria = spcart::evaluate(*a, loadings, pca, watch.tick("score"));
      });
  return std::move(*criteria);
}

/// Of a basis alone: there is no data by which a lambda could be found.
Truncation truncation_for(const Options& options, Index p) {
  check_target(options, p);
  const Truncation truncation = *truncation_of(options, p);
  if (options.nonzeros && truncation.type != TruncationType::count)
    throw Error("nonzeros", std::to_string(*options.nonzeros), "it goes with truncation count");
  return truncation;
}

RotationResult rotate(const Matrix& v, const Options& options, nb::object progress) {
  RotateOptions rotation{.truncation = truncation_for(options, v.rows()),
                         .tolerance = options.tolerance,
                         .max_iterations = options.max_iterations,
                         .seed = options.seed};
  rotation.start = options.start.value_or(rotation.start);
  const auto result = std::make_shared<RotationResult>();
  run(nb::none(), progress, options.threads, [result, v, rotation](Watch& watch) {
    *result = rotate_and_truncate(v, rotation, watch.tick("rotate"));
  });
  return std::move(*result);
}

}  // namespace

void bind_parts(nb::module_& m) {
  m.def("scores", &score, nb::arg("table"), nb::arg("loadings"), nb::arg("preparation"),
        nb::arg("memory").none(), nb::arg("threads"), nb::arg("progress").none());
  m.def("evaluate", &evaluate, nb::arg("table"), nb::arg("loadings"), nb::arg("preparation"),
        nb::arg("beside_pca"), nb::arg("memory").none(), nb::arg("threads"),
        nb::arg("progress").none());
  m.def("rotate_and_truncate", &rotate, nb::arg("v"), nb::arg("options"),
        nb::arg("progress").none());
}

}  // namespace spcart::python
