#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spcart::reproduce {

/// A measured quantity, as figures, tables and claims name it.
struct Field {
  enum class Kind { fraction, number, count, time };

  std::string_view name;
  std::string_view label;  ///< of an axis or a column
  Kind kind = Kind::fraction;
};
std::span<const Field> fields();

/// Throws Error, beginning with `place`, if no field has that name.
const Field& field_of(std::string_view name, std::string_view place);

/// The value in words: "0.8013", "18", "12 ms".
std::string in_words(const Field& field, double value);

/// The measurements of one run, or of one iteration of it. Everything that is shown or claimed is
/// taken from records.
struct Record {
  std::string series;
  std::string pattern;  ///< of the nonzeros, as the paper's tables write it; may be empty
  std::map<std::string, double, std::less<>> values;  ///< by field

  std::optional<double> get(std::string_view field) const {
    const auto found = values.find(field);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace spcart::reproduce
