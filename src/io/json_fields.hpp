#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "spcart/types.hpp"

namespace spcart::io {

// JSON is parsed and written here alone: every file that did so would compile a parser of its own.
using nlohmann::json;
using nlohmann::ordered_json;

/// The fields of a JSON object, each checked when it is read. Errors name the file and the field.
class Fields {
 public:
  Fields(std::string_view file, std::string path, const json& object);

  bool is_null(const char* name) const;
  Index index(const char* name, Index least, Index most) const;
  bool boolean(const char* name) const;
  std::string string(const char* name) const;
  const json& array(const char* name, Index size) const;
  std::vector<std::string> strings(const char* name, Index size) const;
  Vector numbers(const char* name, Index size) const;

  /// Positions below `size`, each larger than the one before.
  std::vector<Index> positions(const char* name, Index size) const;

  Fields object(const char* name) const;

  [[noreturn]] void reject(std::string_view name, std::string_view rule) const;

 private:
  const json& at(const char* name) const;
  Index index(const json& value, const char* name, Index least, Index most) const;

  std::string_view file_;
  std::string path_;
  const json& object_;
};

/// Everything that is left of the source, which must be JSON.
json parse_json(ByteSource& source);

/// A text that need not be JSON: then the value is discarded.
json parse_json(const std::string& text);

/// The value that a text is in JSON, or the text itself.
ordered_json value_or_text(const std::string& text);

/// On one line. Names may hold any bytes, and JSON is UTF-8: others are replaced, or rejected.
enum class Bytes { replace, reject };
std::string dump(const ordered_json& value, Bytes bytes);

/// Throws Error for a file of another major version, whose fields may mean something else.
void check_version(const Fields& fields);

}  // namespace spcart::io
