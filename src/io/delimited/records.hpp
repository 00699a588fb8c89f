#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "io/text.hpp"

namespace spcart::io {

/// A record as it was read, copied because further reading may move it.
struct Record {
  std::string text;
  Index line = 0;

  char* begin() { return text.data(); }
  char* end() { return text.data() + text.size(); }
};

struct Field {
  std::string_view text;  ///< without quotes and surrounding blanks
  bool quoted = false;
};

/// The records of separated text, and their fields.
class RecordReader {
 public:
  /// The separator is detected in the first lines if none is given (0).
  RecordReader(ByteSource& source, char separator);

  /// Advances to the next record that is not blank; false at the end.
  bool next();
  char* begin() { return lines_.begin(); }
  char* end() { return lines_.end(); }
  Index line() const { return lines_.number(); }
  Record copy() { return {{begin(), end()}, line()}; }

  const std::string& file() const { return file_; }
  char separator() const { return separator_; }

  /// Whether a record has separators and blanks only.
  bool is_empty(std::string_view record) const;

  /// Takes the field at `at` and advances to its end. A quoted one is unescaped in place.
  Field take_field(char*& at, char* end, Index line, Index field) const;
  /// All of them.
  std::vector<Field> split(char* at, char* end, Index line) const;

 private:
  bool next_line();
  void begin_text();
  void sniff_separator();
  void complete_quotes();

  std::string file_;
  LineReader lines_;
  char separator_;
  bool begun_ = false;
};

}  // namespace spcart::io
