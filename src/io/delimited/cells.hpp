#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/text.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

/// Which decimal signs make a number of a text.
struct DecimalSigns {
  bool point = false, comma = false;
  bool same = false;  ///< the same number
};
DecimalSigns decimal_signs_of(std::string_view text);

/// Reads the cells of a table: numbers with one decimal sign, and with thousands signs in groups of
/// three digits.
class CellReader {
 public:
  CellReader(Decimal decimal, const std::vector<std::string>& missing)
      : comma_(decimal == Decimal::comma),
        missing_(missing),
        careful_(std::ranges::any_of(missing, [this](const std::string& text) {
          double ignored = 0;
          return read_number(text, ignored) != Cell::text;
        })) {}

  bool has_decimal_comma() const { return comma_; }

  /// The kind of a cell without surrounding blanks; `value` is set if it is a number.
  Cell classify(std::string_view text, double& value) const;
  bool is_text(std::string_view text) const {
    double ignored = 0;
    return classify(text, ignored) == Cell::text;
  }

  /// Reads a number as most are written, up to a separator. Returns its end, or `first` if it needs
  /// `classify`.
  const char* read_plain(const char* first, const char* last, char separator, double& value) const {
    if (careful_) return first;
    return comma_ ? read_with_comma(first, last, separator, value)
                  : read_plain_number(first, last, value);
  }

 private:
  Cell read_number(std::string_view text, double& value) const;
  static const char* read_with_comma(const char* first, const char* last, char separator,
                                     double& value);

  bool comma_;
  const std::vector<std::string>& missing_;
  bool careful_;  ///< some numbers are missing cells
};

}  // namespace spcart::io
