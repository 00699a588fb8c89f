#include <exception>

#include "bindings.hpp"
#include "names.hpp"
#include "spcart/error.hpp"
#include "work.hpp"

namespace {

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const spcart::Error& error) {
    PyErr_SetString(PyExc_ValueError, spcart::python::in_python(error).c_str());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of spcart: private, and without promises.";
  nb::register_exception_translator(translate);
  spcart::python::bind_tables(m);
  spcart::python::bind_sources(m);
  spcart::python::bind_options(m);
  spcart::python::bind_certificates(m);
  spcart::python::bind_results(m);
  spcart::python::bind_fits(m);
  spcart::python::bind_comparisons(m);
  spcart::python::bind_parts(m);
  spcart::python::bind_paths(m);
  spcart::python::bind_choices(m);
  spcart::python::bind_records(m);
  m.def("wait_for_abandoned", &spcart::python::wait_for_abandoned);
}
