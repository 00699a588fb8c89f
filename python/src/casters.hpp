#pragma once

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>

#include <string_view>

#include "spcart/error.hpp"
#include "spcart/result.hpp"

// How values of the core that are no classes of their own look in Python: choices are words, and
// loadings are sparse arrays of SciPy.
namespace spcart::python {

/// The choice of that name. Throws Error for any other word.
template <class T>
T choice_of(std::string_view word) {
  return parse<T>(word);
}
template <>
Status choice_of(std::string_view word);
template <>
BoundKind choice_of(std::string_view word);
template <>
ComponentClass choice_of(std::string_view word);

nanobind::object to_python(const Loadings& x);
Loadings to_loadings(nanobind::handle csc_array);

}  // namespace spcart::python

namespace nanobind::detail {

template <class T>
struct choice_caster {
  NB_TYPE_CASTER(T, const_name("str"))

  bool from_python(handle word, std::uint32_t, cleanup_list*) noexcept {
    try {
      value = spcart::python::choice_of<T>(cast<const char*>(word));
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  static handle from_cpp(T choice, rv_policy, cleanup_list*) noexcept {
    const std::string_view word = spcart::name(choice);
    return PyUnicode_FromStringAndSize(word.data(), static_cast<Py_ssize_t>(word.size()));
  }
};

template <>
struct type_caster<spcart::Method> : choice_caster<spcart::Method> {};
template <>
struct type_caster<spcart::TruncationType> : choice_caster<spcart::TruncationType> {};
template <>
struct type_caster<spcart::Start> : choice_caster<spcart::Start> {};
template <>
struct type_caster<spcart::Solver> : choice_caster<spcart::Solver> {};
template <>
struct type_caster<spcart::Status> : choice_caster<spcart::Status> {};
template <>
struct type_caster<spcart::BoundKind> : choice_caster<spcart::BoundKind> {};
template <>
struct type_caster<spcart::ComponentClass> : choice_caster<spcart::ComponentClass> {};

template <>
struct type_caster<spcart::Loadings> {
  NB_TYPE_CASTER(spcart::Loadings, const_name("scipy.sparse.csc_array[numpy.float64]"))

  bool from_python(handle array, std::uint32_t, cleanup_list*) noexcept {
    try {
      value = spcart::python::to_loadings(array);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  static handle from_cpp(const spcart::Loadings& x, rv_policy, cleanup_list*) noexcept {
    try {
      return spcart::python::to_python(x).release();
    } catch (python_error& error) {
      error.restore();
      return {};
    }
  }
};

}  // namespace nanobind::detail
