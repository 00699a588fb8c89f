#include "rendering/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "rendering/print.hpp"

namespace spcart::command {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

/// The code point at the start of the text, or none if the bytes are not UTF-8.
std::optional<CodePoint> first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return CodePoint{lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return std::nullopt;
  char32_t value = lead & (0x7F >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (next & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || value > 0x10FFFF || surrogate) return std::nullopt;
  return CodePoint{value, bytes};
}

bool in(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_control(char32_t c) {
  return c < 0x20 || in(c, 0x7F, 0x9F) || in(c, 0x200B, 0x200F) || in(c, 0x2028, 0x202E) ||
         in(c, 0x2060, 0x206F) || c == 0xFEFF;
}

int columns(char32_t c) {
  if (in(c, 0x300, 0x36F) || in(c, 0x20D0, 0x20F0) || in(c, 0xFE00, 0xFE0F)) return 0;
  const bool wide = in(c, 0x1100, 0x115F) || in(c, 0x2E80, 0xA4CF) || in(c, 0xAC00, 0xD7A3) ||
                    in(c, 0xF900, 0xFAFF) || in(c, 0xFE30, 0xFE6F) || in(c, 0xFF00, 0xFF60) ||
                    in(c, 0xFFE0, 0xFFE6) || in(c, 0x1F300, 0x1FAFF) || in(c, 0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    const std::size_t bytes = point ? point->bytes : 1;
    if (!point || (is_control(point->value) && bytes == 1))
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (is_control(point->value))
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point->value));
    else
      shown += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return shown;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    if (text.starts_with("\x1b[")) {
      text.remove_prefix(std::min(text.find('m') + 1, text.size()));
      continue;
    }
    const CodePoint point = first_code_point(text).value_or(CodePoint{});
    width += columns(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string clipped(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view ellipsis = terminal().utf8 ? "…" : "~";
  std::size_t end = 0;
  int used = 1;
  while (end < text.size()) {
    const CodePoint point = first_code_point(text.substr(end)).value_or(CodePoint{});
    used += columns(point.value);
    if (used > width) break;
    end += point.bytes;
  }
  return fmt::format("{}{}", text.substr(0, end), ellipsis);
}

std::string left_aligned(std::string_view text, int width) {
  return fmt::format("{}{:{}}", text, "", std::max(0, width - display_width(text)));
}

std::string right_aligned(std::string_view text, int width) {
  return fmt::format("{:{}}{}", "", std::max(0, width - display_width(text)), text);
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string lines;
  int column = 0;
  const auto break_line = [&] {
    lines += fmt::format("\n{:{}}", "", indent);
    column = 0;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const int word_width = display_width(word);
    if (column > 0 && column + 1 + word_width > width) break_line();
    if (column > 0) lines += ' ';
    lines += word;
    column += word_width + (column > 0 ? 1 : 0);
    if (end < text.size() && text[end] == '\n') break_line();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string percent_down(double fraction) {
  constexpr double kRounding = 1e-9;  // of a fraction that is meant to equal the bar
  return fmt::format("{:.1f} %", std::floor(1000 * (fraction + kRounding)) / 10);
}

}  // namespace spcart::command
