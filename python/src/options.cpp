#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "names.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"

namespace spcart::python {
namespace {

std::string text_of(double number) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.begin(), text.end(), number).ptr};
}

/// As the command's flags would have it: the core reads and checks every value in one place.
std::string text_of(nb::handle value) {
  if (value.is(Py_True)) return "yes";
  if (value.is(Py_False)) return "no";
  if (!PyIndex_Check(value.ptr()) && nb::hasattr(value, "__float__"))
    return text_of(nb::cast<double>(nb::float_(value)));
  return nb::str(value).c_str();
}

}  // namespace

Options options_of(const nb::dict& given) {
  Options options;
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const std::string name = nb::cast<std::string>(key);
    const auto record = std::ranges::find(option_records(), core_name(name), &OptionRecord::name);
    if (record == option_records().end())
      throw nb::type_error(("there is no option '" + name + "'").c_str());
    record->set(options, text_of(value));
  }
  checked_threads(options.threads);
  return options;
}

Preparation preparation_of(const nb::dict& given) {
  Preparation preparation;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (value.is_none()) continue;
    if (name == "center")
      preparation.center = nb::cast<bool>(nb::bool_(value));
    else if (name == "scale")
      preparation.scale = nb::cast<bool>(nb::bool_(value));
    else if (name == "remove_row_mean")
      preparation.remove_row_mean = nb::cast<bool>(nb::bool_(value));
    else if (name == "precision")
      preparation.precision = parse<Precision>(text_of(value));
    else if (name == "means")
      preparation.means = nb::cast<Vector>(value);
    else if (name == "scales")
      preparation.scales = nb::cast<Vector>(value);
    else
      throw nb::type_error(("there is no preparation '" + name + "'").c_str());
  }
  return preparation;
}

std::optional<std::uint64_t> memory_of(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  return parse_bytes("memory", nb::str(given).c_str());
}

}  // namespace spcart::python
