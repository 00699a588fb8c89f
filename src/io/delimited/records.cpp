#include "io/delimited/records.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spcart::io {

namespace {

/// How often the character occurs outside quotes.
std::ptrdiff_t unquoted(std::string_view line, char wanted) {
  bool quoted = false;
  return std::count_if(line.begin(), line.end(), [&](char c) {
    if (c == '"') quoted = !quoted;
    return c == wanted && !quoted;
  });
}

/// The separator that a spreadsheet states in a first line such as "sep=;"; 0 if the line is
/// another one.
char stated_separator(std::string_view line) {
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"')
    line = line.substr(1, line.size() - 2);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  constexpr std::string_view kBegin = "sep=";
  if (line.size() != kBegin.size() + 1 ||
      !std::equal(kBegin.begin(), kBegin.end(), line.begin(),
                  [&](char a, char b) { return a == lower(b); }))
    return 0;
  return line.back();
}

/// Tracks quotes through a record that spans several lines.
class QuoteState {
 public:
  explicit QuoteState(char separator) : separator_(separator) {}

  /// Whether the text up to here ends within quotes.
  bool open_after(const char* at, const char* end) {
    for (; at != end; ++at) {
      if (open_) {
        open_ = *at != '"';
        may_open_ = true;
      } else if (*at == '"' && may_open_) {
        open_ = true;
      } else {
        may_open_ = *at == separator_ || (may_open_ && *at == ' ');
      }
    }
    return open_;
  }

 private:
  char separator_;
  bool open_ = false;
  bool may_open_ = true;  ///< at the beginning of a field, or right after a quote
};

}  // namespace

RecordReader::RecordReader(ByteSource& source, char separator)
    : file_(source.name()), lines_(source), separator_(separator) {}

bool RecordReader::next() {
  if (!next_line()) return false;
  if (!std::exchange(begun_, true)) begin_text();
  complete_quotes();
  return true;
}

/// Advances to the next line that is not blank.
bool RecordReader::next_line() {
  while (lines_.next())
    if (std::any_of(lines_.begin(), lines_.end(), [](char c) { return c != ' '; })) return true;
  return false;
}

void RecordReader::begin_text() {
  if (const char stated = stated_separator({begin(), end()}); stated != 0) {
    separator_ = stated;
    if (!next_line()) fail({file_}, "holds no data");
  }
  if (unquoted({begin(), end()}, '\r') > 0)
    fail({file_}, "its lines end with CR alone; they must end with LF or CRLF");
  if (separator_ == 0) sniff_separator();
}

/// The first candidate that splits both of the first two lines into the same number of fields, more
/// than one; otherwise the first that occurs in the first line. A comma comes last: it may be a
/// decimal one.
void RecordReader::sniff_separator() {
  const std::string_view line(begin(), end()), following = lines_.following();
  constexpr std::array kCandidates = {'\t', ';', ','};
  separator_ = ',';
  const auto present = [&](char candidate) { return unquoted(line, candidate) > 0; };
  if (const auto* first = std::ranges::find_if(kCandidates, present); first != kCandidates.end())
    separator_ = *first;
  if (following.empty()) return;
  for (const char candidate : kCandidates) {
    const auto count = unquoted(line, candidate);
    if (count == 0 || count != unquoted(following, candidate)) continue;
    separator_ = candidate;
    return;
  }
}

void RecordReader::complete_quotes() {
  if (std::memchr(begin(), '"', static_cast<std::size_t>(end() - begin())) == nullptr) return;
  QuoteState quotes(separator_);
  std::ptrdiff_t seen = 0;
  while (quotes.open_after(begin() + seen, end())) {
    seen = end() - begin();
    if (!lines_.extend()) fail({file_, line()}, "a quoted field is never closed");
  }
}

bool RecordReader::is_empty(std::string_view record) const {
  return std::ranges::all_of(record, [this](char c) { return c == separator_ || c == ' '; });
}

Field RecordReader::take_field(char*& at, char* end, Index line, Index field) const {
  char* start = std::find_if(at, end, [](char c) { return c != ' '; });
  if (start == end || *start != '"') {
    start = std::exchange(at, std::find(at, end, separator_));
    return {trim({start, static_cast<std::size_t>(at - start)}), false};
  }
  char* out = ++start;
  for (at = start; at != end; ++at) {
    if (*at == '"' && (++at == end || *at != '"')) break;
    *out++ = *at;
  }
  at = std::find_if(at, end, [](char c) { return c != ' '; });
  if (at != end && *at != separator_) {
    fail({file_, line, field}, "'{}' follows a closing quote",
         printable({at, static_cast<std::size_t>(end - at)}));
  }
  return {{start, static_cast<std::size_t>(out - start)}, true};
}

std::vector<Field> RecordReader::split(char* at, char* end, Index line) const {
  std::vector<Field> fields;
  for (;; ++at) {
    fields.push_back(take_field(at, end, line, static_cast<Index>(fields.size()) + 1));
    if (at == end) return fields;
  }
}

}  // namespace spcart::io
