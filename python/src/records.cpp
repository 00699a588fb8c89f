#include "bindings.hpp"
#include "names.hpp"
#include "spcart/datasets.hpp"
#include "spcart/methods.hpp"
#include "spcart/threads.hpp"
#include "spcart/version.hpp"

namespace spcart::python {
namespace {

/// By their Python names.
std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const OptionRecord& record : option_records()) names.push_back(python_name(record.name));
  return names;
}

/// Those that only some methods take.
std::vector<std::string> options_of(const MethodRecord& record) {
  std::vector<std::string> names;
  for (const std::string_view option : record.options) names.push_back(python_name(option));
  return names;
}

std::vector<std::tuple<std::string_view, std::string_view>> datasets() {
  std::vector<std::tuple<std::string_view, std::string_view>> list;
  for (const DatasetRecord& record : dataset_records())
    list.emplace_back(record.name, record.description);
  return list;
}

}  // namespace

void bind_records(nb::module_& m) {
  m.attr("version") = kVersion;
  nb::class_<MethodRecord>(m, "MethodRecord", "A method, and what it can be asked for.")
      .def_ro("name", &MethodRecord::method)
      .def_ro("title", &MethodRecord::title)
      .def_prop_ro("options", &options_of);
  m.def("methods", [] {
    const auto records = method_records();
    return std::vector<MethodRecord>(records.begin(), records.end());
  });
  m.def("option_names", &option_names);
  m.def("datasets", &datasets, "Names and descriptions.");
  m.def("threads", &threads);
}

}  // namespace spcart::python
