#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spcart::command {

/// The capabilities of standard output.
struct Terminal {
  bool colour = false;  ///< a terminal, and NO_COLOR is not set
  bool utf8 = false;    ///< by the locale
  int width = 100;      ///< columns; 100 if it is not a terminal
};
const Terminal& terminal();

bool stderr_is_terminal();

/// Columns of the terminal on standard error, as it is now.
int stderr_width();

/// Writes to standard output. Throws std::runtime_error if that fails (disk full).
void print(std::string_view text);

/// Writes to standard error. A failure is ignored: the work itself did not fail.
void print_error(std::string_view text) noexcept;

/// Writes "spcart: warning: ..." to standard error.
/// Those that are among the notes are printed as such.
void print_warnings(const std::vector<std::string>& warnings,
                    const std::vector<std::string>& notes = {});

/// The text, emphasised if the terminal has colour.
std::string bold(std::string_view text);
std::string dim(std::string_view text);

/// Columns of text, each as wide as its widest cell.
class TextTable {
 public:
  /// One letter per column for its alignment: 'l' or 'r'.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}

  void add_header(std::vector<std::string> cells);
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// The lines, each after `indent` spaces; the last column is wrapped to the terminal's width.
  std::string text(int indent = 2) const;

 private:
  std::vector<int> widths() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<int>& widths,
                   int indent) const;

  std::string alignment_;
  bool has_header_ = false;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace spcart::command
