#pragma once

#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace spcart::python {

/// Whether a field is part of the representation and of comparisons; large ones are not.
enum class Show { yes, no };

/// A struct of the core as a class of Python that behaves like a frozen dataclass: it has a
/// representation and equality, makes rows of data frames, and can be copied and pickled. A field
/// is said once, with its documentation.
template <class T>
class Record {
 public:
  /// One that used to be a dictionary can also be read as one: a mapping from the names of its
  /// fields to values of the type `mapping_to`, as Python writes it.
  Record(nb::module_& m, const char* name, const char* doc, const char* mapping_to = nullptr)
      : class_(mapping_to == nullptr
                   ? nb::class_<T>(m, name, doc)
                   : nb::class_<T>(m, name, doc, nb::sig(mapping(name, mapping_to).c_str()))),
        name_(name),
        mapping_to_(mapping_to) {}

  /// `access` is a pointer to a member, or gives a reference to what is stored.
  template <class Access>
  Record& field(const char* name, Access access, const char* doc, Show show = Show::yes) {
    return keep(access).derived(
        name, [access](const T& self) -> const auto& { return std::invoke(access, self); }, doc,
        show);
  }

  /// A field that follows from what is stored. `extra` may be a signature.
  template <class Get, class... Extra>
  Record& derived(const char* name, Get get, const char* doc, Show show = Show::yes,
                  const Extra&... extra) {
    fields_.emplace_back(name, show);
    return property(name, get, doc, extra...);
  }

  /// What is no field: it is not in the representation, nor in data frames.
  template <class Get, class... Extra>
  Record& property(const char* name, Get get, const char* doc, const Extra&... extra) {
    class_.def_prop_ro(name, get, extra..., doc);
    return *this;
  }

  /// Copies and pickles have it.
  template <class Access>
  Record& keep(Access access) {
    using Value = std::remove_cvref_t<decltype(std::invoke(access, std::declval<const T&>()))>;
    return keep(
        [access](const T& self) { return nb::cast(Value(std::invoke(access, self))); },
        [access](T& self, nb::handle value) { std::invoke(access, self) = stored<Value>(value); });
  }
  Record& keep(std::function<nb::object(const T&)> get, std::function<void(T&, nb::handle)> set) {
    kept_.push_back({std::move(get), std::move(set)});
    return *this;
  }

  /// To be called at the end.
  nb::class_<T>& finish() {
    class_.def("__getstate__", [kept = kept_](const T& self) {
      nb::list state;
      for (const Kept& part : kept) state.append(part.get(self));
      return state;
    });
    class_.def("__setstate__", [kept = kept_](T& self, const nb::list& state) {
      new (&self) T();
      for (std::size_t i = 0; i < kept.size(); ++i) kept[i].set(self, state[i]);
    });
    if (mapping_to_ != nullptr) make_mapping();
    make_dataclass();
    return class_;
  }

 private:
  struct Kept {
    std::function<nb::object(const T&)> get;
    std::function<void(T&, nb::handle)> set;
  };

  template <class Value>
  static auto stored(nb::handle value) {
    if constexpr (std::is_same_v<Value, std::string_view>) {
      // The core's own are literals; those of a pickle must live as long.
      static std::set<std::string> words;
      return std::string_view(*words.insert(nb::cast<std::string>(value)).first);
    } else {
      return nb::cast<Value>(value);
    }
  }

  static std::string mapping(std::string_view name, std::string_view to) {
    return "class " + std::string(name) + "(collections.abc.Mapping[str, " + std::string(to) + "])";
  }

  void make_mapping() {
    nb::list names;
    for (const auto& [name, show] : fields_) names.append(name);
    const std::string get = std::string("def __getitem__(self, name: str, /) -> ") + mapping_to_;
    class_.def(
        "__getitem__",
        [names](nb::handle self, const nb::str& name) -> nb::object {
          if (!nb::cast<bool>(names.attr("__contains__")(name))) throw nb::key_error(name.c_str());
          return self.attr(name);
        },
        nb::sig(get.c_str()));
    class_.def(
        "__iter__", [names](nb::handle) { return nb::iter(names); },
        nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"));
    class_.def("__len__", [names](nb::handle) { return names.size(); });
    const nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
    for (const char* taken : {"__contains__", "get", "items", "keys", "values"})
      class_.attr(taken) = mapping.attr(taken);
    mapping.attr("register")(class_);
  }

  /// Takes from a dataclass of the same fields what makes it one.
  void make_dataclass() {
    const nb::object dataclasses = nb::module_::import_("dataclasses");
    nb::list fields;
    for (const auto& [name, show] : fields_)
      fields.append(
          nb::make_tuple(name, nb::module_::import_("builtins").attr("object"),
                         dataclasses.attr("field")(nb::arg("repr") = show == Show::yes,
                                                   nb::arg("compare") = show == Show::yes)));
    const nb::object model =
        dataclasses.attr("make_dataclass")(name_, fields, nb::arg("frozen") = true);
    for (const char* taken : {"__repr__", "__eq__", "__hash__", "__dataclass_fields__"})
      class_.attr(taken) = model.attr(taken);
  }

  nb::class_<T> class_;
  const char* name_;
  const char* mapping_to_;
  std::vector<std::pair<const char*, Show>> fields_;
  std::vector<Kept> kept_;
};

/// Counts as NumPy's own integers, and the signature of a property `nonzeros` of them.
nb::object to_array(const std::vector<Index>& counts);
inline constexpr const char* kNonzerosSignature =
    "def nonzeros(self) -> numpy.typing.NDArray[numpy.int64]";

}  // namespace spcart::python
