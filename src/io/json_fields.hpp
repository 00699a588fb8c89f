#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "io/text.hpp"
#include "spcart/types.hpp"

namespace spcart::io {

using nlohmann::json;

/// The fields of a JSON object, each checked when it is read. Errors name the file and the field.
class Fields {
 public:
  Fields(std::string_view file, std::string path, const json& object)
      : file_(file), path_(std::move(path)), object_(object) {
    if (!object.is_object()) reject("", "must be an object");
  }

  bool is_null(const char* name) const { return at(name).is_null(); }

  Index index(const char* name, Index least, Index most) const {
    return index(at(name), name, least, most);
  }

  bool boolean(const char* name) const {
    const json& value = at(name);
    if (!value.is_boolean()) reject(name, "must be true or false");
    return value.get<bool>();
  }

  std::string string(const char* name) const {
    const json& value = at(name);
    if (!value.is_string()) reject(name, "must be text");
    return value.get<std::string>();
  }

  const json& array(const char* name, Index size) const {
    const json& value = at(name);
    if (!value.is_array()) reject(name, "must be an array");
    if (static_cast<Index>(value.size()) != size)
      reject(name, fmt::format("has length {}, and must have {}", value.size(), size));
    return value;
  }

  std::vector<std::string> strings(const char* name, Index size) const {
    std::vector<std::string> out;
    for (const json& item : array(name, size)) {
      if (!item.is_string()) reject(name, "must hold text only");
      out.push_back(item.get<std::string>());
    }
    return out;
  }

  Vector numbers(const char* name, Index size) const {
    Vector out(size);
    Index i = 0;
    for (const json& item : array(name, size)) {
      if (!item.is_number() || !std::isfinite(item.get<double>()))
        reject(name, "must hold finite numbers only");
      out[i++] = item.get<double>();
    }
    return out;
  }

  /// Positions below `size`, each larger than the one before.
  std::vector<Index> positions(const char* name, Index size) const {
    if (!at(name).is_array()) reject(name, "must be an array");
    std::vector<Index> out;
    for (const json& item : at(name)) {
      const Index position = index(item, name, 0, size - 1);
      if (!out.empty() && position <= out.back()) reject(name, "must ascend");
      out.push_back(position);
    }
    return out;
  }

  Fields object(const char* name) const { return {file_, path_ + name + ".", at(name)}; }

  [[noreturn]] void reject(std::string_view name, std::string_view rule) const {
    std::string field = path_ + std::string(name);
    if (field.ends_with('.')) field.pop_back();
    if (field.empty()) fail({file_}, "is not the JSON of a result");
    fail({file_}, "field '{}' {}", field, rule);
  }

 private:
  const json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) reject(name, "is not there");
    return *found;
  }

  Index index(const json& value, const char* name, Index least, Index most) const {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max());
    if (!fits || value.get<Index>() < least || value.get<Index>() > most)
      reject(name, fmt::format("must hold whole numbers from {} to {}", least, most));
    return value.get<Index>();
  }

  std::string_view file_;
  std::string path_;
  const json& object_;
};

/// Everything that is left of the source, which must be JSON.
json parse_json(ByteSource& source);

/// Throws Error for a file of another major version, whose fields may mean something else.
void check_version(const Fields& fields);

}  // namespace spcart::io
