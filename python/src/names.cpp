#include "names.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spcart::python {
namespace {

struct Name {
  std::string_view core, python;
};

constexpr auto kNames = std::to_array<Name>({
    {"components", "n_components"},
    {"lambda", "lam"},
    {"tolerance", "tol"},
    {"max-iterations", "max_iter"},
    {"seed", "random_state"},
    {"threads", "n_threads"},
    {"bootstrap", "resamples"},
});

}  // namespace

std::string core_name(std::string_view python_name) {
  const auto* found = std::ranges::find(kNames, python_name, &Name::python);
  std::string name(found == kNames.end() ? python_name : found->core);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string python_name(std::string_view core_name) {
  const auto* found = std::ranges::find(kNames, core_name, &Name::core);
  std::string name(found == kNames.end() ? core_name : found->python);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string in_python(const Error& error) {
  if (error.arguments().empty()) return error.what();
  std::string text;
  for (const auto& [option, value] : error.arguments()) {
    if (!text.empty()) text += " and ";
    text += python_name(option);
    if (!value.empty()) text += "=" + value;
  }
  return text + ": " + error.rule();
}

std::string in_python(const NotFinite& error, bool covariance, std::string_view name) {
  const bool missing = std::isnan(error.number());
  std::string text = covariance ? "covariance: " : "";
  text += "row " + std::to_string(error.row()) + ", column " + std::to_string(error.col());
  if (!name.empty()) text += " ('" + std::string(name) + "')";
  text += missing ? ": NaN" : error.number() > 0 ? ": inf" : ": -inf";
  text += " is not a finite number";
  if (missing && !covariance)
    text += "; missing='drop' leaves out its sample, missing='mean' inserts the variable's mean";
  return text;
}

}  // namespace spcart::python
