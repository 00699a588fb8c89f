#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spcart::reproduce {

using Json = nlohmann::ordered_json;  ///< series come in the order of their declaration

/// An object of a declaration, read field by field. A field that is missing, of another type or
/// unknown is an Error that names its place: "experiment pitprops: claims[3].check: ...".
class Fields {
 public:
  Fields(const Json& object, std::string place);

  bool has(std::string_view key) const { return object_.contains(key); }
  const std::string& place() const { return place_; }

  const Json& raw(std::string_view key);
  Fields object(std::string_view key) { return {raw(key), inside(key)}; }
  std::string inside(std::string_view key) const;

  template <class T>
  T get(std::string_view key) {
    const Json& value = raw(key);
    try {
      return value.get<T>();
    } catch (const Json::exception&) {
      fail_kind(key, value);
    }
  }
  template <class T>
  T get_or(std::string_view key, T fallback) {
    return has(key) ? get<T>(key) : fallback;
  }

  /// One text, or a list of them.
  std::vector<std::string> texts(std::string_view key);

  [[noreturn]] void fail(std::string_view message) const;

  /// To be called when everything is read: a field that was not read is a mistake.
  void finish() const;

 private:
  [[noreturn]] void fail_kind(std::string_view key, const Json& value) const;

  const Json& object_;
  std::string place_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace spcart::reproduce
