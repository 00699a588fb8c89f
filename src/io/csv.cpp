#include "io/csv.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "io/spool/spool.hpp"
#include "io/text.hpp"
#include "spcart/error.hpp"

namespace spcart::io {

namespace {

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

bool is_text(const Field& field) {
  double ignored = 0;
  return classify(field.text, ignored) == Cell::text;
}

/// How often the character occurs outside quotes.
std::ptrdiff_t unquoted(std::string_view line, char wanted) {
  bool quoted = false;
  return std::count_if(line.begin(), line.end(), [&](char c) {
    if (c == '"') quoted = !quoted;
    return c == wanted && !quoted;
  });
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

class CsvReader {
 public:
  CsvReader(ByteSource& source, const ReadOptions& options, Cache& cache, char separator)
      : file_(source.name()),
        lines_(source),
        options_(options),
        cache_(cache),
        separator_(separator) {}

  Table read();

 private:
  std::vector<Record> first_records();
  bool next_record();
  void complete_quotes();
  void sniff_separator();
  std::vector<Field> split(char* at, char* end, Index line) const;
  Field take_field(char*& at, char* end, Place place) const;

  void decide_header(const std::vector<Field>& first, const std::vector<Field>& second);
  void decide_labels(const std::vector<Field>& first, const std::vector<Field>& second,
                     const std::vector<Record>& head);
  bool begin_with_text(const std::vector<Record>& head) const;
  void name_columns(const std::vector<Field>& first, const std::vector<Field>& second,
                    Index second_line);
  void leave_out_columns();

  void add_record(char* at, char* end, Index line);
  void add_label(std::string_view text);
  double number(std::string_view text, Place place) const;
  [[noreturn]] void reject_text(std::string_view text, Place place) const;
  [[noreturn]] void reject_ragged(Index line, std::size_t fields) const;
  std::string column_name(Index field) const;
  Table make_table();

  std::string file_;
  LineReader lines_;
  const ReadOptions& options_;
  Cache& cache_;
  char separator_;

  bool header_ = false;
  bool labels_ = false;
  std::size_t fields_ = 0;          ///< in a data line
  std::size_t first_fields_ = 0;    ///< in the first line
  std::vector<std::string> names_;  ///< of all columns except the labels
  std::vector<bool> keep_;          ///< which of them are variables
  std::size_t variables_ = 0;

  std::size_t records_ = 0;
  std::optional<NumberSpool> values_;
  std::vector<std::string> samples_;
};

Table CsvReader::read() {
  std::vector<Record> head = first_records();
  // Splitting unescapes quotes in place.
  std::vector<Record> copies = head;
  const auto first = split(copies[0].begin(), copies[0].end(), copies[0].line);
  const auto second = copies.size() > 1 ? split(copies[1].begin(), copies[1].end(), copies[1].line)
                                        : std::vector<Field>{};
  decide_header(first, second);
  if (header_ && second.empty()) fail({file_}, "has a header but no data");
  decide_labels(first, second, head);
  name_columns(first, second, head[header_ ? 1 : 0].line);
  leave_out_columns();
  values_.emplace(cache_, Scalar::float64, static_cast<Index>(variables_));

  for (std::size_t i = header_ ? 1 : 0; i < head.size(); ++i)
    add_record(head[i].begin(), head[i].end(), head[i].line);
  while (next_record()) {
    complete_quotes();
    add_record(lines_.begin(), lines_.end(), lines_.number());
  }
  return make_table();
}

/// The records from which separator, header and labels are determined.
std::vector<Record> CsvReader::first_records() {
  constexpr std::size_t kMost = 21;
  std::vector<Record> records;
  if (!next_record()) fail({file_}, "holds no data");
  if (unquoted({lines_.begin(), lines_.end()}, '\r') > 0)
    fail({file_}, "its lines end with CR alone; they must end with LF or CRLF");
  if (separator_ == 0) sniff_separator();
  do {
    complete_quotes();
    records.push_back({{lines_.begin(), lines_.end()}, lines_.number()});
  } while (records.size() < kMost && next_record());
  return records;
}

/// Advances to the next line that is not blank.
bool CsvReader::next_record() {
  while (lines_.next())
    if (std::any_of(lines_.begin(), lines_.end(), [](char c) { return c != ' '; })) return true;
  return false;
}

void CsvReader::complete_quotes() {
  if (std::memchr(lines_.begin(), '"', static_cast<std::size_t>(lines_.end() - lines_.begin())) ==
      nullptr)
    return;
  QuoteState quotes(separator_);
  std::ptrdiff_t seen = 0;
  while (quotes.open_after(lines_.begin() + seen, lines_.end())) {
    seen = lines_.end() - lines_.begin();
    if (!lines_.extend()) fail({file_, lines_.number()}, "a quoted field is never closed");
  }
}

/// The first candidate that splits both of the first two lines into the same number of fields, more
/// than one; otherwise the first that occurs in the first line.
void CsvReader::sniff_separator() {
  const std::string_view line(lines_.begin(), lines_.end()), next = lines_.following();
  constexpr std::array kCandidates = {',', '\t', ';'};
  separator_ = ',';
  const auto present = [&](char candidate) { return unquoted(line, candidate) > 0; };
  if (const auto* first = std::ranges::find_if(kCandidates, present); first != kCandidates.end())
    separator_ = *first;
  if (next.empty()) return;
  for (const char candidate : kCandidates) {
    const auto count = unquoted(line, candidate);
    if (count == 0 || count != unquoted(next, candidate)) continue;
    separator_ = candidate;
    return;
  }
}

/// The fields of a whole record.
std::vector<Field> CsvReader::split(char* at, char* end, Index line) const {
  std::vector<Field> fields;
  for (;; ++at) {
    fields.push_back(take_field(at, end, {file_, line, static_cast<Index>(fields.size()) + 1}));
    if (at == end) return fields;
  }
}

/// Takes the field at `at` and advances to its end. A quoted one is unescaped in place.
Field CsvReader::take_field(char*& at, char* end, Place place) const {
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
    fail(place, "'{}' follows a closing quote",
         printable({at, static_cast<std::size_t>(end - at)}));
  }
  return {{start, static_cast<std::size_t>(out - start)}, true};
}

/// Whether the first line holds names, by the content of the first two lines.
void CsvReader::decide_header(const std::vector<Field>& first, const std::vector<Field>& second) {
  first_fields_ = first.size();
  if (options_.header != Tristate::automatic) {
    header_ = options_.header == Tristate::yes;
    return;
  }
  const auto is_quoted = [](const Field& field) { return field.quoted; };
  const bool second_is_labelled =
      second.size() > 1 && is_text(second[0]) && options_.row_labels != Tristate::no;
  // Programs that number their columns write ",0,1,2".
  const auto counts_from = [&](std::size_t start) {
    for (std::size_t j = 1; j < first.size(); ++j)
      if (first[j].text != std::to_string(start + j - 1)) return false;
    return first.size() > 1 && first[0].text.empty();
  };
  header_ = std::any_of(first.begin() + 1, first.end(), is_text) ||
            (is_text(first[0]) && !second_is_labelled) ||
            (second_is_labelled && second.size() == first.size() + 1) ||
            (!second.empty() && std::all_of(first.begin(), first.end(), is_quoted) &&
             !std::all_of(second.begin(), second.end(), is_quoted)) ||
            counts_from(0) || counts_from(1);
}

/// Whether the first field of each line is its sample's name.
void CsvReader::decide_labels(const std::vector<Field>& first, const std::vector<Field>& second,
                              const std::vector<Record>& head) {
  const auto& data = header_ ? second : first;
  fields_ = data.size();
  if (options_.row_labels != Tristate::automatic) {
    labels_ = options_.row_labels == Tristate::yes;
    return;
  }
  const auto& out = options_.exclude;
  const bool left_out =
      header_ && std::any_of(out.begin(), out.end(), [&](const std::string& name) {
        return to_utf8(name) == to_utf8(first[0].text);
      });
  const bool one_short = header_ && second.size() == first.size() + 1;
  labels_ =
      one_short ||
      (!left_out && ((header_ && first[0].text.empty()) ||
                     (data.size() > 1 && is_text(data[0]) && (!header_ || begin_with_text(head)))));
}

/// Whether all the first lines below the header begin with text: a single one may be a mistake.
bool CsvReader::begin_with_text(const std::vector<Record>& head) const {
  return std::all_of(head.begin() + 1, head.end(), [this](Record record) {
    char* at = record.begin();
    return is_text(take_field(at, record.end(), {file_, record.line, 1}));
  });
}

void CsvReader::name_columns(const std::vector<Field>& first, const std::vector<Field>& second,
                             Index second_line) {
  const std::size_t columns = fields_ - (labels_ ? 1 : 0);
  names_ = default_names(static_cast<Index>(columns));
  if (!header_) return;
  const bool one_short = labels_ && second.size() == first.size() + 1;
  if (!one_short && first.size() != second.size()) reject_ragged(second_line, second.size());
  for (std::size_t j = 0; j < columns; ++j) {
    const Field& field = first[j + (labels_ && !one_short ? 1 : 0)];
    if (!field.text.empty()) names_[j] = to_utf8(field.text);
  }
}

void CsvReader::leave_out_columns() {
  keep_.assign(names_.size(), true);
  for (const std::string& name : options_.exclude) {
    bool found = false;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (names_[j] != to_utf8(name)) continue;
      keep_[j] = false;
      found = true;
    }
    if (!found) fail({file_}, "has no variable '{}' to leave out", printable(name));
  }
  variables_ = static_cast<std::size_t>(std::count(keep_.begin(), keep_.end(), true));
  if (variables_ == 0) fail({file_}, "no variables are left");
}

void CsvReader::add_record(char* at, char* end, Index line) {
  const std::size_t record = records_++;
  if (options_.covariance && record < keep_.size() && !keep_[record]) return;
  auto* out = reinterpret_cast<double*>(values_->extend(variables_));
  for (std::size_t j = 0; j < fields_; ++j) {
    const Place place{file_, line, static_cast<Index>(j) + 1};
    const bool last = j + 1 == fields_;
    const bool is_label = labels_ && j == 0;
    if (is_label || !keep_[j - (labels_ ? 1 : 0)]) {
      const Field field = take_field(at, end, place);
      if (is_label) add_label(field.text);
    } else {
      const char* stop = read_plain_number(at, end, *out);
      if (stop != at && (stop == end || *stop == separator_)) {
        at += stop - at;
      } else {
        const Field field = take_field(at, end, place);
        // A line that is too short may end in a cell that is invalid only for that reason.
        if (at == end && !last) reject_ragged(line, j + 1);
        *out = number(trim(field.text), place);
      }
      ++out;
    }
    if (at == end && !last) reject_ragged(line, j + 1);
    if (at != end && last) reject_ragged(line, j + 1 + split(at + 1, end, line).size());
    ++at;
  }
}

void CsvReader::add_label(std::string_view text) {
  const std::string& label = samples_.emplace_back(to_utf8(text));
  const bool inside = label.capacity() <= std::string().capacity();  // no memory of its own
  const std::size_t written = sizeof(std::uint64_t) + label.size();  // into the copy of the table
  values_->make_room(sizeof(std::string) + (inside ? 0 : label.capacity() + 1) + written);
}

double CsvReader::number(std::string_view text, Place place) const {
  double value = 0;
  switch (classify(text, value)) {
    case Cell::number:
      return value;
    case Cell::missing:
      if (options_.missing == Missing::error || options_.covariance) {
        fail(place, "missing value '{}' of '{}'; {}", printable(text), column_name(place.field),
             missing_hint(options_.covariance));
      }
      return std::numeric_limits<double>::quiet_NaN();
    case Cell::infinite:
      fail(place, "'{}' of '{}' is infinite", printable(text), column_name(place.field));
    case Cell::text:
      break;
  }
  reject_text(text, place);
}

void CsvReader::reject_text(std::string_view text, Place place) const {
  const std::string name = column_name(place.field);
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  double ignored = 0;
  if (classify(with_point, ignored) == Cell::number) {
    fail(place, "'{}' of '{}' is not a number: decimals are written with a point", printable(text),
         name);
  }
  if (header_ && !labels_ && place.field == 1) {
    fail(place, "'{}' of '{}' is not a number; --row-labels yes takes the first column for names",
         printable(text), name);
  }
  // Text in the first sample indicates a column of text, later on it indicates a mistake.
  if (records_ == 1) {
    fail(place, "'{}' of '{}' is not a number; --exclude {} leaves a column out", printable(text),
         name, name.find(' ') == std::string::npos ? name : fmt::format("\"{}\"", name));
  }
  fail(place, "'{}' of '{}' is not a number", printable(text), name);
}

void CsvReader::reject_ragged(Index line, std::size_t fields) const {
  const bool of_first = first_fields_ == fields_ || records_ == 0;
  fail({file_, line}, "line {} has {} field{}, {} has {}", line, fields, fields == 1 ? "" : "s",
       of_first ? "the first" : "the one below the header", of_first ? first_fields_ : fields_);
}

std::string CsvReader::column_name(Index field) const {
  return printable(names_[static_cast<std::size_t>(field) - (labels_ ? 2 : 1)]);
}

Table CsvReader::make_table() {
  Table table;
  const auto cols = static_cast<Index>(variables_);
  const auto rows = static_cast<Index>(values_->count() / variables_);
  table.values = values_->finish(rows, cols, FileView::Order::row);
  for (std::size_t j = 0; j < names_.size(); ++j)
    if (keep_[j]) table.variables.push_back(std::move(names_[j]));
  table.samples = std::move(samples_);
  return table;
}

}  // namespace

Table read_csv(ByteSource& source, const ReadOptions& options, Cache& cache, char separator) {
  return CsvReader(source, options, cache, separator).read();
}

}  // namespace spcart::io
