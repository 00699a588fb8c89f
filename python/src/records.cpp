#include "bindings.hpp"
#include "spcart/datasets.hpp"
#include "spcart/methods.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"
#include "spcart/version.hpp"

namespace spcart::python {
namespace {

nb::list methods() {
  nb::list list;
  for (const MethodRecord& record : method_records()) {
    nb::dict d;
    d["name"] = name(record.method);
    d["title"] = record.title;
    nb::list truncations, starts;
    for (const TruncationType type : record.truncations) truncations.append(name(type));
    for (const Start start : record.starts) starts.append(name(start));
    d["truncations"] = truncations;
    d["starts"] = starts;
    list.append(d);
  }
  return list;
}

nb::list datasets() {
  nb::list list;
  for (const DatasetRecord& record : dataset_records())
    list.append(nb::make_tuple(record.name, record.parameters, record.description));
  return list;
}

}  // namespace

void bind_records(nb::module_& m) {
  m.attr("version") = kVersion;
  m.def("methods", &methods);
  m.def("datasets", &datasets);
  m.def("threads", &threads);
}

}  // namespace spcart::python
