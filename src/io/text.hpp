#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "spcart/error.hpp"
#include "spcart/types.hpp"

namespace spcart::io {

/// Length of the UTF-8 character at the beginning of `text`; 0 if there is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                    ? 1
                             : lead >= 0xc2 && lead <= 0xdf ? 2
                             : (lead & 0xf0) == 0xe0        ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool beyond = lead == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

/// Appends a character as UTF-8.
inline void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

/// What a byte is in the Windows code page 1252, which is Latin-1 with printable characters in
/// place of control characters.
inline unsigned of_windows_1252(unsigned char byte) {
  constexpr std::array<unsigned, 32> kPrintable = {
      0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
      0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
      0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
  return byte >= 0x80 && byte < 0xa0 ? kPrintable.at(byte - 0x80U) : byte;
}

/// The text with bytes that are not UTF-8 read as Windows-1252: names must be the same whatever
/// their source, and JSON holds UTF-8 only.
inline std::string to_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      append_utf8(out, of_windows_1252(static_cast<unsigned char>(text[0])));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

/// Text of unknown origin for use in a message: control characters and invalid UTF-8 are escaped,
/// and the text is cut after `limit` characters.
inline std::string printable(std::string_view text, std::size_t limit = 40) {
  std::string out;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == limit) return out + "...";
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool control =
        lead < 0x20 || lead == 0x7f ||
        (lead == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (length == 0 || control) {
      out += fmt::format("\\x{:02x}", lead);
      text.remove_prefix(1);
      if (control && length == 2) text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

/// The position of an error in a file; line and field count from 1, and are 0 if they do not apply.
struct Place {
  std::string_view file;
  Index line = 0;
  Index field = 0;
};

/// Throws Error about a position in a file: "data.csv:7:3: ...".
template <class... Args>
[[noreturn]] void fail(const Place& place, fmt::format_string<Args...> text, Args&&... args) {
  constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
  std::string source = printable(place.file, kWhole);
  if (place.line > 0) source += fmt::format(":{}", place.line);
  if (place.field > 0) source += fmt::format(":{}", place.field);
  throw Error(fmt::format(text, std::forward<Args>(args)...)).in(source);
}

/// The advice that goes with every rejected missing value.
inline std::string_view missing_hint(bool covariance) {
  return covariance ? "a covariance must be complete, whatever --missing says"
                    : "--missing drop leaves such samples out, --missing mean fills in the "
                      "variable's mean";
}

inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Words for a missing cell, and what spreadsheets show for a formula without a value: #DIV/0!,
/// #NAME?, and #N/A in several languages.
inline bool is_missing_token(std::string_view text) {
  constexpr std::array<std::string_view, 15> kWords = {"",    "NA",  "na",   "N/A",  "n/a",
                                                       "NaN", "nan", "null", "NULL", "?",
                                                       ".",   "-",   "#N/A", "#NV",  "#N/D"};
  if (std::ranges::find(kWords, text) != kWords.end()) return true;
  return text.size() > 2 && text.front() == '#' && (text.back() == '!' || text.back() == '?');
}

/// Reads a finite number at `first` without a leading plus. Returns its end, or `first` if there is
/// none or it needs `classify`.
inline const char* read_plain_number(const char* first, const char* last, double& value) {
  // Counts and pixels, for which from_chars is slow.
  constexpr std::ptrdiff_t kFew = 6;
  const char* at = first;
  std::int32_t digits = 0;
  for (; at != last && *at >= '0' && *at <= '9' && at - first < kFew; ++at)
    digits = 10 * digits + (*at - '0');
  if (at != first && (at == last || *at == ',' || *at == '\t' || *at == ';' || *at == ' ')) {
    value = digits;
    return at;
  }
  const auto [end, error] = std::from_chars(first, last, value);
  return error == std::errc{} && std::isfinite(value) ? end : first;
}

enum class Cell { number, missing, infinite, text };

/// The kind of a cell without surrounding blanks; `value` is set if it is a number.
inline Cell classify(std::string_view text, double& value) {
  if (is_missing_token(text)) return Cell::missing;
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* first = text.data() + (plus ? 1 : 0);
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::invalid_argument || end != last) return Cell::text;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not distinguish too large from too small.
    std::istringstream stream{std::string(first, last)};
    stream.imbue(std::locale::classic());
    if (!(stream >> value)) return Cell::infinite;
  }
  if (std::isnan(value)) return Cell::missing;
  return std::isinf(value) ? Cell::infinite : Cell::number;
}

}  // namespace spcart::io
