#include "rendering/print.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "rendering/text.hpp"

namespace spcart::command {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

/// 100 if it is not a terminal.
int width_of(int descriptor) {
  constexpr int kDefault = 100;
  winsize size{};
  if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kDefault;
  return size.ws_col;
}

std::string emphasised(std::string_view code, std::string_view text) {
  if (!terminal().colour || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace

const Terminal& terminal() {
  constexpr int kLeastWidth = 40;
  static const Terminal found = {
      .colour = isatty(STDOUT_FILENO) && environment("NO_COLOR").empty() &&
                environment("TERM") != "dumb" && !environment("TERM").empty(),
      .utf8 = locale_is_utf8(),
      .width = std::max(width_of(STDOUT_FILENO), kLeastWidth),
  };
  return found;
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) && environment("TERM") != "dumb" && !environment("TERM").empty();
}

int stderr_width() { return width_of(STDERR_FILENO); }

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw std::runtime_error(fmt::format("standard output could not be written: {}",
                                         std::generic_category().message(errno)));
}

void print_error(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_warnings(const std::vector<std::string>& warnings,
                    const std::vector<std::string>& notes) {
  for (std::string warning : warnings) {
    const bool is_note = std::ranges::find(notes, warning) != notes.end();
    // The library names the option; in the command it is a flag.
    constexpr std::string_view kScale = "option scale";
    if (const std::size_t at = warning.find(kScale); at != std::string::npos)
      warning.replace(at, kScale.size(), "--scale");
    print_error(fmt::format("spcart: {}: {}\n", is_note ? "note" : "warning", printable(warning)));
  }
}

std::string bold(std::string_view text) { return emphasised("1", text); }
std::string dim(std::string_view text) { return emphasised("2", text); }

void TextTable::add_header(std::vector<std::string> cells) {
  has_header_ = true;
  rows_.insert(rows_.begin(), std::move(cells));
}

std::vector<int> TextTable::widths() const {
  std::vector<int> widths(alignment_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t j = 0; j < row.size(); ++j)
      widths[j] = std::max(widths[j], display_width(row[j]));
  return widths;
}

std::string TextTable::line(const std::vector<std::string>& cells, const std::vector<int>& widths,
                            int indent) const {
  std::string line(static_cast<std::size_t>(indent), ' ');
  int column = indent;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    const bool right = alignment_[j] == 'r';
    if (j + 1 < cells.size()) {
      line += right ? right_aligned(cells[j], widths[j]) : left_aligned(cells[j], widths[j]);
      line += "  ";
      column += widths[j] + 2;
    } else {
      line += right ? right_aligned(cells[j], widths[j])
                    : wrapped(cells[j], std::max(terminal().width - column, 20), column);
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string TextTable::text(int indent) const {
  const std::vector<int> column_widths = widths();
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string row = line(rows_[i], column_widths, indent);
    text += (i == 0 && has_header_ ? dim(row) : row) + '\n';
  }
  return text;
}

}  // namespace spcart::command
