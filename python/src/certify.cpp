#include <algorithm>

#include "record.hpp"
#include "request.hpp"
#include "spcart/certificate.hpp"
#include "spcart/error.hpp"

namespace spcart::python {
namespace {

void bind_upper_bound(nb::module_& m) {
  Record<UpperBound>(m, "UpperBound", "What no components of a class can exceed.")
      .field("components", &UpperBound::components,
             "Which components: \"disjoint\" (no variable is in two of them), \"orthogonal\", "
             "\"oblique\" (no more oblique than those of the certificate) or \"any\".")
      .field("bound", &UpperBound::bound,
             "No such components with as few variables explain more, as a fraction of all "
             "variance.")
      .field("by", &UpperBound::by,
             "What proves it: \"branch-and-bound\", \"lagrangian\", \"dual\", \"soft\" or "
             "\"variances\". \"pca\": nothing sharper than what PCA explains could be proved.")
      .finish();
}

void bind_certificate(nb::module_& m) {
  Record<Certificate>(m, "Certificate",
                      "How much more than given components others with as few variables could "
                      "explain. Every bound is proved. Variances are fractions of the total.")
      .derived(
          "nonzeros", [](const Certificate& c) { return to_array(c.nonzeros); },
          "Number of variables of each component that is not empty.", Show::yes,
          nb::for_getter(nb::sig(kNonzerosSignature)))
      .keep(&Certificate::nonzeros)
      .field("empty", &Certificate::empty,
             "Number of components without variables, of which nothing is said.")
      .field("cpev", &Certificate::cpev,
             "What the components explain: cumulative percentage of explained variance (CPEV).")
      .derived(
          "bound", [](const Certificate& c) { return c.own().bound; },
          "No components like these explain more: that of `own`.")
      .derived("gap", &Certificate::gap,
               "How much more than `cpev` may be possible, as a fraction of it.")
      .field("cpev_pca", &Certificate::cpev_pca, "What as many principal components explain.")
      .field("bounds", &Certificate::bounds,
             "One for each class of components, the most special first.")
      .field("orthogonal", &Certificate::orthogonal,
             "Whether the components are orthogonal, up to cosines of 1e-5.")
      .field("disjoint", &Certificate::disjoint, "Whether no variable is in two of them.")
      .field("obliqueness", &Certificate::obliqueness,
             "How oblique they are; 1 for orthogonal components.")
      .field("complete", &Certificate::complete,
             "Whether the search for sharper bounds ended before its time did.")
      .field("seconds", &Certificate::seconds, "How long it took.")
      .property(
          "own", [](const Certificate& c) { return c.own(); },
          "The bound for components like these: of the first class to which they belong.")
      .property(
          "text", [](const Certificate& c) { return in_words(c); },
          "What is proved, in sentences. ``print`` shows them.")
      .finish()
      .def("__str__", [](const Certificate& c) {
        std::string text;
        for (const std::string& line : in_words(c)) text += (text.empty() ? "" : "\n") + line;
        return text;
      });
}

void bind_proof(nb::module_& m) {
  Record<Proof>(m, "Proof",
                "What was proved of one component. Variances are fractions of the total, after "
                "deflation by the components that were found before.")
      .field("component", &Proof::component,
             "Its index in the result; -1 if a later step has changed it.")
      .field("explained", &Proof::explained, "What the component explains.")
      .field("bound", &Proof::bound, "No component with as few variables explains more.")
      .derived("gap", &Proof::gap,
               "How much more than `explained` may be possible, as a fraction of it.")
      .field("optimal", &Proof::optimal,
             "Whether nothing is left between the two but a tolerance of 1e-9.")
      .field("nonzeros", &Proof::nonzeros, "Number of variables in the component.")
      .field("candidates", &Proof::candidates,
             "Number of variables that could not be ruled out before the search.")
      .field("nodes", &Proof::nodes, "Number of nodes of branch and bound.")
      .field("seconds", &Proof::seconds, "How long it took.")
      .finish();
}

/// What is the option `certify` of a fit is the argument `seconds` here.
CertifyOptions limit_of(nb::handle seconds) {
  const CertifyOptions options{.seconds = number_of("seconds", seconds)};
  try {
    check(options);
  } catch (const Error& error) {
    throw Error("seconds", error.value(), error.rule());
  }
  return options;
}

Certificate certify_loadings(nb::handle_t<TableHandle> table, const Loadings& loadings,
                             nb::object seconds, const Options& options,
                             const Preparation& preparation, nb::object memory,
                             nb::object progress) {
  Request request(table, options, preparation, memory);
  const auto& handle = nb::cast<const TableHandle&>(table);
  const Index r = std::min({loadings.cols(), handle.rows(), handle.cols()});
  request.options.components = r;
  const CertifyOptions limit = limit_of(seconds);
  const auto certificate = std::make_shared<Certificate>();
  run(table, progress, options.threads, [certificate, request, loadings, limit, r](Watch& watch) {
    const auto a = request.prepared(watch);
    const double pca = principal_basis(*a, r, {}, watch.tick("pca")).cpev();
    *certificate = certify(*a, loadings, pca, limit, watch.tick("certify"));
  });
  return std::move(*certificate);
}

}  // namespace

void bind_certificates(nb::module_& m) {
  bind_upper_bound(m);
  bind_certificate(m);
  bind_proof(m);
  m.def("certify", &certify_loadings, nb::arg("table"), nb::arg("loadings"), nb::arg("seconds"),
        nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
}

}  // namespace spcart::python
