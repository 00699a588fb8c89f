#include "io/json_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "io/text.hpp"
#include "spcart/version.hpp"

namespace spcart::io {

Fields::Fields(std::string_view file, std::string path, const json& object)
    : file_(file), path_(std::move(path)), object_(object) {
  if (!object.is_object()) reject("", "must be an object");
}

bool Fields::is_null(const char* name) const { return at(name).is_null(); }

Index Fields::index(const char* name, Index least, Index most) const {
  return index(at(name), name, least, most);
}

bool Fields::boolean(const char* name) const {
  const json& value = at(name);
  if (!value.is_boolean()) reject(name, "must be true or false");
  return value.get<bool>();
}

std::string Fields::string(const char* name) const {
  const json& value = at(name);
  if (!value.is_string()) reject(name, "must be text");
  return value.get<std::string>();
}

const json& Fields::array(const char* name, Index size) const {
  const json& value = at(name);
  if (!value.is_array()) reject(name, "must be an array");
  if (static_cast<Index>(value.size()) != size)
    reject(name, fmt::format("has length {}, and must have {}", value.size(), size));
  return value;
}

std::vector<std::string> Fields::strings(const char* name, Index size) const {
  std::vector<std::string> out;
  for (const json& item : array(name, size)) {
    if (!item.is_string()) reject(name, "must hold text only");
    out.push_back(item.get<std::string>());
  }
  return out;
}

Vector Fields::numbers(const char* name, Index size) const {
  Vector out(size);
  Index i = 0;
  for (const json& item : array(name, size)) {
    if (!item.is_number() || !std::isfinite(item.get<double>()))
      reject(name, "must hold finite numbers only");
    out[i++] = item.get<double>();
  }
  return out;
}

std::vector<Index> Fields::positions(const char* name, Index size) const {
  if (!at(name).is_array()) reject(name, "must be an array");
  std::vector<Index> out;
  for (const json& item : at(name)) {
    const Index position = index(item, name, 0, size - 1);
    if (!out.empty() && position <= out.back()) reject(name, "must ascend");
    out.push_back(position);
  }
  return out;
}

Fields Fields::object(const char* name) const { return {file_, path_ + name + ".", at(name)}; }

void Fields::reject(std::string_view name, std::string_view rule) const {
  std::string field = path_ + std::string(name);
  if (field.ends_with('.')) field.pop_back();
  if (field.empty()) fail({file_}, "is not the JSON of a result");
  fail({file_}, "field '{}' {}", field, rule);
}

const json& Fields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) reject(name, "is not there");
  return *found;
}

Index Fields::index(const json& value, const char* name, Index least, Index most) const {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max());
  if (!fits || value.get<Index>() < least || value.get<Index>() > most)
    reject(name, fmt::format("must hold whole numbers from {} to {}", least, most));
  return value.get<Index>();
}

json parse_json(ByteSource& source) {
  std::string text;
  constexpr std::size_t kStep = std::size_t{1} << 18;
  for (std::size_t got = kStep; got == kStep;) {
    const std::size_t size = text.size();
    text.resize(size + kStep);
    got = source.read(text.data() + size, kStep);
    text.resize(size + got);
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    constexpr std::size_t kLimit = 200;
    fail({source.name()}, "is not JSON: {}", printable(error.what(), kLimit));
  }
}

json parse_json(const std::string& text) { return json::parse(text, nullptr, false); }

ordered_json value_or_text(const std::string& text) {
  const json value = parse_json(text);
  return value.is_discarded() ? ordered_json(text) : ordered_json(value);
}

std::string dump(const ordered_json& value, Bytes bytes) {
  return value.dump(-1, ' ', false,
                    bytes == Bytes::replace ? ordered_json::error_handler_t::replace
                                            : ordered_json::error_handler_t::strict);
}

void check_version(const Fields& fields) {
  const std::string version = fields.string("spcart");
  const auto major = [](std::string_view text) { return text.substr(0, text.find('.')); };
  if (major(version) != major(kVersion)) {
    fields.reject("spcart", fmt::format("is version '{}', and this is {}: their results differ",
                                        printable(version), kVersion));
  }
}

}  // namespace spcart::io
