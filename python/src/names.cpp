#include "names.hpp"

#include <algorithm>
#include <array>

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

}  // namespace spcart::python
