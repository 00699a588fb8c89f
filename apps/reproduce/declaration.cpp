#include "declaration.hpp"

#include <fmt/format.h>

#include "spcart/error.hpp"

namespace spcart::reproduce {

Fields::Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
  if (!object.is_object()) fail(fmt::format("it must be an object, not {}", object.type_name()));
}

std::string Fields::inside(std::string_view key) const {
  return fmt::format("{}{}{}", place_, place_.ends_with(": ") ? "" : ".", key);
}

const Json& Fields::raw(std::string_view key) {
  const auto found = object_.find(key);
  if (found == object_.end()) fail(fmt::format("the field '{}' is missing", key));
  asked_.emplace(key);
  return *found;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  if (has(key) && raw(key).is_string()) return {get<std::string>(key)};
  return get<std::vector<std::string>>(key);
}

void Fields::fail(std::string_view message) const {
  throw Error(fmt::format("{}{}{}", place_, place_.ends_with(": ") ? "" : ": ", message));
}

void Fields::fail_kind(std::string_view key, const Json& value) const {
  throw Error(fmt::format("{}: {} is not what belongs here", inside(key), value.dump()));
}

void Fields::finish() const {
  for (const auto& [key, value] : object_.items())
    if (!asked_.contains(key)) fail(fmt::format("unknown field '{}'", key));
}

}  // namespace spcart::reproduce
