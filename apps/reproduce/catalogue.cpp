#include "catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "embedded.hpp"
#include "spcart/error.hpp"

namespace spcart::reproduce {

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : command::experiments()) names.emplace_back(name);
  return names;
}

Experiment declared_experiment(std::string_view name, bool quick) {
  const auto all = command::experiments();
  const auto found = std::ranges::find(all, name, &command::EmbeddedText::name);
  if (found == all.end()) throw Error(fmt::format("no experiment is called '{}'", name));
  return parse_experiment(name, found->text, quick);
}

}  // namespace spcart::reproduce
