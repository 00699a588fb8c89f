#include "io/delimited/cells.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace spcart::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view take_digits(std::string_view& text) {
  const auto* end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// The sign between groups of digits that `text` begins with; empty if there is none.
std::string_view group_sign_of(std::string_view text, char decimal) {
  // Blank, no-break blanks (the last one in Latin-1), thin blank, apostrophes.
  constexpr std::array<std::string_view, 7> kSigns = {
      " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "'", "\xe2\x80\x99", "\xa0"};
  const std::string_view other = decimal == ',' ? "." : ",";
  if (text.starts_with(other)) return other;
  const auto* found =
      std::ranges::find_if(kSigns, [&](std::string_view sign) { return text.starts_with(sign); });
  return found == kSigns.end() ? "" : *found;
}

/// The whole part of a number, without the signs between groups of three digits; false if the
/// groups are not right.
bool take_whole_part(std::string_view& text, char decimal, std::string& plain) {
  constexpr std::size_t kGroup = 3;
  const std::string_view first = take_digits(text);
  plain += first;
  const std::string_view sign = group_sign_of(text, decimal);
  if (sign.empty()) return true;
  if (first.empty() || first.size() > kGroup || first.front() == '0') return false;
  while (take_prefix(text, sign)) {
    const std::string_view group = take_digits(text);
    if (group.size() != kGroup) return false;
    plain += group;
  }
  return true;
}

bool take_exponent(std::string_view& text, std::string& plain) {
  if (!take_prefix(text, "e") && !take_prefix(text, "E")) return true;
  plain += 'e';
  if (take_prefix(text, "-"))
    plain += '-';
  else
    take_prefix(text, "+");
  const std::string_view digits = take_digits(text);
  plain += digits;
  return !digits.empty();
}

/// A number as C++ writes it, from one with this decimal sign and perhaps with thousands signs;
/// empty if the text is no such number.
std::string plain_number(std::string_view text, char decimal) {
  std::string plain;
  if (take_prefix(text, "-") || take_prefix(text, "\xe2\x88\x92"))
    plain += '-';
  else
    take_prefix(text, "+");
  const std::size_t begin = plain.size();
  if (!take_whole_part(text, decimal, plain)) return "";
  std::size_t digits = plain.size() - begin;
  if (!text.empty() && text.front() == decimal) {
    text.remove_prefix(1);
    const std::string_view fraction = take_digits(text);
    digits += fraction.size();
    plain += '.';
    plain += fraction;
  }
  return digits > 0 && take_exponent(text, plain) && text.empty() ? plain : "";
}

}  // namespace

DecimalSigns decimal_signs_of(std::string_view text) {
  const std::string point = plain_number(text, '.'), comma = plain_number(text, ',');
  return {!point.empty(), !comma.empty(), point == comma};
}

Cell CellReader::classify(std::string_view text, double& value) const {
  if (is_missing_token(text) || std::ranges::find(missing_, text) != missing_.end())
    return Cell::missing;
  return read_number(text, value);
}

Cell CellReader::read_number(std::string_view text, double& value) const {
  if (!comma_ || text.find_first_of(",.") == std::string_view::npos)
    if (const Cell cell = io::classify(text, value); cell != Cell::text) return cell;
  const std::string plain = plain_number(text, comma_ ? ',' : '.');
  return plain.empty() ? Cell::text : io::classify(plain, value);
}

const char* CellReader::read_with_comma(const char* first, const char* last, char separator,
                                        double& value) {
  std::array<char, 32> copy;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  auto* out = copy.begin();
  const char* at = first;
  for (; at != last && *at != separator; ++at) {
    if (out == copy.end() || *at == '.') return first;
    *out++ = *at == ',' ? '.' : *at;
  }
  const char* end = read_plain_number(copy.begin(), out, value);
  return end == out && out != copy.begin() ? at : first;
}

}  // namespace spcart::io
