#include "spcart/options.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

#include "names.hpp"
#include "request.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "spcart/threads.hpp"

namespace spcart::python {
namespace {

/// An argument as the user gave it.
struct Argument {
  const std::string& name;
  nb::handle value;

  std::string text() const { return nb::str(value).c_str(); }

  [[noreturn]] void reject(const char* rule) const { throw Error(core_name(name), text(), rule); }
};

bool is_text(nb::handle value) { return nb::isinstance<nb::str>(value); }

bool is_bool(nb::handle value) {
  return nb::isinstance<nb::bool_>(value) ||
         nb::isinstance(value, nb::module_::import_("numpy").attr("bool_"));
}

bool is_number(nb::handle value) {
  return !is_bool(value) && !is_text(value) &&
         (PyIndex_Check(value.ptr()) != 0 || nb::hasattr(value, "__float__"));
}

bool is_true(nb::handle value) { return nb::cast<bool>(nb::bool_(value)); }

/// What a function of Python's numbers gives. `rule` is for what is no single number, such as an
/// array of several.
template <class Convert>
auto converted(const Argument& argument, nb::handle number, Convert convert, const char* rule) {
  const auto result = convert(number.ptr());
  if (PyErr_Occurred() == nullptr) return result;
  const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  PyErr_Clear();
  argument.reject(too_large ? "the number is out of range" : rule);
}

double number(const Argument& argument) {
  constexpr const char* kRule = "it must be a number";
  if (!is_number(argument.value)) argument.reject(kRule);
  return converted(argument, argument.value, PyFloat_AsDouble, kRule);
}

constexpr const char* kWhole = "it must be a whole number";

/// A number without a fraction, as an integer of Python.
nb::object whole_number(const Argument& argument) {
  if (!is_number(argument.value)) argument.reject(kWhole);
  if (PyIndex_Check(argument.value.ptr()) != 0)
    return nb::steal(converted(argument, argument.value, PyNumber_Index, kWhole));
  const nb::float_ real(number(argument));
  if (!nb::cast<bool>(real.attr("is_integer")())) argument.reject(kWhole);
  return nb::int_(real);
}

template <class T>
T number_of(const Argument& argument) {
  if constexpr (std::is_same_v<T, double>) {
    return number(argument);
  } else if constexpr (std::is_signed_v<T>) {
    return converted(argument, whole_number(argument), PyLong_AsSsize_t, kWhole);
  } else {
    const nb::object whole = whole_number(argument);
    if (whole < nb::int_(0)) argument.reject("it must be a whole number of at least 0");
    return converted(argument, whole, PyLong_AsUnsignedLongLong, kWhole);
  }
}

template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

/// Numbers and truth values are set as they are. Words are read by the record, as those of the
/// command are; it also says which words there are if the value is none of them.
template <class Member>
void set(Options& options, Member Options::*member, const OptionRecord& record,
         const Argument& argument) {
  using T = typename Unwrapped<Member>::Type;
  const nb::handle value = argument.value;
  if constexpr (std::is_same_v<T, bool>) {
    if (is_bool(value)) return void(options.*member = is_true(value));
  } else if constexpr (std::is_same_v<T, Effort>) {
    if (is_number(value))
      return void(options.*member = Effort{Effort::Level::seconds, number(argument)});
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (!is_text(value)) return void(options.*member = number_of<T>(argument));
  }
  record.set(options, argument.text());
}

/// Options by their Python names. What is None keeps its default.
Options options_of(const nb::kwargs& given) {
  Options options;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto record = std::ranges::find(option_records(), core_name(name), &OptionRecord::name);
    if (record == option_records().end())
      throw nb::type_error(("there is no option '" + name + "'").c_str());
    if (value.is_none()) continue;
    const Argument argument{name, value};
    std::visit([&](auto member) { set(options, member, *record, argument); }, record->field);
  }
  checked_threads(options.threads);
  return options;
}

}  // namespace

std::optional<std::uint64_t> memory_of(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  if (Index bytes = 0; !is_bool(given) && nb::try_cast(given, bytes) && bytes > 0)
    return static_cast<std::uint64_t>(bytes);
  return parse_bytes("memory", nb::str(given).c_str());
}

double number_of(const std::string& name, nb::handle given) { return number({name, given}); }

void bind_options(nb::module_& m) {
  nb::class_<Options>(m, "Options", "What to fit and how, by the names of Python's parameters.")
      .def(
          "__init__",
          [](Options* self, const nb::kwargs& given) { new (self) Options(options_of(given)); },
          nb::sig("def __init__(self, **given: object) -> None"));
  nb::class_<Preparation>(m, "Preparation", "What is done to data before anything else.")
      .def(
          "__init__",
          [](Preparation* self, const nb::object& center, const nb::object& scale,
             const nb::object& remove_row_mean, const nb::object& precision,
             std::optional<Vector> means, std::optional<Vector> scales) {
            new (self) Preparation{.remove_row_mean = is_true(remove_row_mean),
                                   .center = is_true(center),
                                   .scale = is_true(scale),
                                   .means = std::move(means),
                                   .scales = std::move(scales),
                                   .precision = parse<Precision>(nb::str(precision).c_str())};
          },
          nb::kw_only(), nb::arg("center"), nb::arg("scale"), nb::arg("remove_row_mean"),
          nb::arg("precision") = "double", nb::arg("means") = nb::none(),
          nb::arg("scales") = nb::none());
}

}  // namespace spcart::python
