#include "io/csv.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/growing_array.hpp"
#include "io/text.hpp"
#include "spcart/error.hpp"

namespace spcart::io {

namespace {

struct Field {
  std::string_view text;  ///< without quotes and surrounding blanks
  bool quoted = false;
};

bool is_text(const Field& field) {
  double ignored = 0;
  return classify(field.text, ignored) == Cell::text;
}

/// Follows quotes through a record that comes line by line.
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
  bool may_open_ = true;  ///< at the beginning of a field, or right behind a quote
};

class CsvReader {
 public:
  CsvReader(ByteSource& source, const ReadOptions& options, char separator)
      : file_(source.name()), lines_(source), options_(options), separator_(separator) {}

  Table read();

 private:
  bool next_record();
  void complete_quotes();
  void sniff_separator();
  std::vector<Field> split(char* at, char* end, Index line) const;
  Field take_quoted(char*& at, char* end, Place place) const;

  void decide_header(const std::vector<Field>& first, const std::vector<Field>& second);
  void decide_labels(const std::vector<Field>& first, const std::vector<Field>& second);
  void name_columns(const std::vector<Field>& first, const std::vector<Field>& second);
  void leave_out_columns();

  void add_record(char* begin, char* end, Index line);
  void add_plain(const char* at, const char* end, Index line, double* row);
  void add_split(char* begin, char* end, Index line, double* row);
  double number(std::string_view text, Place place) const;
  [[noreturn]] void refuse_text(std::string_view text, Place place) const;
  [[noreturn]] void refuse_ragged(Index line, std::size_t fields) const;
  std::string column_name(Index field) const;
  Table make_table();

  std::string file_;
  LineReader lines_;
  const ReadOptions& options_;
  char separator_;

  bool header_ = false;
  bool labels_ = false;
  std::size_t fields_ = 0;           ///< in a data line
  std::size_t first_fields_ = 0;     ///< in the first line
  std::vector<std::string> names_;   ///< of all columns but the labels
  std::vector<bool> keep_;           ///< which of them are variables
  std::size_t variables_ = 0;
  bool all_kept_ = true;

  std::size_t records_ = 0;
  GrowingArray<double> values_;
  std::vector<std::string> samples_;
};

Table CsvReader::read() {
  if (!next_record()) fail({file_}, "holds no data");
  if (separator_ == 0) sniff_separator();
  complete_quotes();
  // The first record decides only together with the second, which may move the buffer.
  std::string first_text(lines_.begin(), lines_.end());
  const Index first_line = lines_.number();
  std::string first_copy = first_text;
  const auto first = split(first_copy.data(), first_copy.data() + first_copy.size(), first_line);

  const bool more = next_record();
  if (more) complete_quotes();
  std::string second_copy(more ? lines_.begin() : nullptr, more ? lines_.end() : nullptr);
  const auto second =
      more ? split(second_copy.data(), second_copy.data() + second_copy.size(), lines_.number())
           : std::vector<Field>{};

  decide_header(first, second);
  if (header_ && !more) fail({file_}, "has a header but no data");
  decide_labels(first, second);
  name_columns(first, second);
  leave_out_columns();

  if (!header_) add_record(first_text.data(), first_text.data() + first_text.size(), first_line);
  if (more) {
    do {
      complete_quotes();
      add_record(lines_.begin(), lines_.end(), lines_.number());
    } while (next_record());
  }
  return make_table();
}

/// Goes to the next line that is not blank.
bool CsvReader::next_record() {
  while (lines_.next()) {
    if (std::any_of(lines_.begin(), lines_.end(), [](char c) { return c != ' '; })) return true;
  }
  return false;
}

void CsvReader::complete_quotes() {
  if (std::memchr(lines_.begin(), '"', static_cast<std::size_t>(lines_.end() - lines_.begin())) ==
      nullptr) {
    return;
  }
  QuoteState quotes(separator_);
  std::ptrdiff_t seen = 0;
  while (quotes.open_after(lines_.begin() + seen, lines_.end())) {
    seen = lines_.end() - lines_.begin();
    if (!lines_.extend()) fail({file_, lines_.number()}, "a quoted field is never closed");
  }
}

void CsvReader::sniff_separator() {
  const std::string_view line(lines_.begin(), lines_.end());
  separator_ = ',';
  for (const char candidate : {',', '\t', ';'}) {
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == candidate && !quoted) {
        separator_ = candidate;
        return;
      }
    }
  }
}

/// The fields of a whole record. Quoted ones are unescaped where they lie.
std::vector<Field> CsvReader::split(char* at, char* end, Index line) const {
  std::vector<Field> fields;
  for (;;) {
    char* start = at;
    while (start != end && *start == ' ') ++start;
    if (start != end && *start == '"') {
      at = start;
      fields.push_back(take_quoted(at, end, {file_, line, static_cast<Index>(fields.size()) + 1}));
    } else {
      start = at;
      at = std::find(at, end, separator_);
      fields.push_back({trim({start, static_cast<std::size_t>(at - start)}), false});
    }
    if (at == end) return fields;
    ++at;
  }
}

Field CsvReader::take_quoted(char*& at, char* end, Place place) const {
  char* const start = ++at;
  char* out = start;
  for (; at != end; ++at) {
    if (*at == '"') {
      ++at;
      if (at == end || *at != '"') break;
    }
    *out++ = *at;
  }
  while (at != end && *at == ' ') ++at;
  if (at != end && *at != separator_) {
    fail(place, "'{}' follows a closing quote", printable({at, static_cast<std::size_t>(end - at)}));
  }
  return {{start, static_cast<std::size_t>(out - start)}, true};
}

/// Whether the first line holds names, by what it and the second line hold.
void CsvReader::decide_header(const std::vector<Field>& first, const std::vector<Field>& second) {
  first_fields_ = first.size();
  if (options_.header != Presence::automatic) {
    header_ = options_.header == Presence::yes;
    return;
  }
  const auto is_quoted = [](const Field& field) { return field.quoted; };
  const bool second_is_labelled =
      second.size() > 1 && is_text(second[0]) && options_.row_labels != Presence::no;
  // Programs that number their columns write ",0,1,2".
  const auto counts_from = [&](std::size_t start) {
    for (std::size_t j = 1; j < first.size(); ++j) {
      if (first[j].text != std::to_string(start + j - 1)) return false;
    }
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
void CsvReader::decide_labels(const std::vector<Field>& first, const std::vector<Field>& second) {
  const auto& data = header_ ? second : first;
  fields_ = data.size();
  if (options_.row_labels != Presence::automatic) {
    labels_ = options_.row_labels == Presence::yes;
    return;
  }
  const auto& out = options_.exclude;
  const bool left_out =
      header_ && std::find(out.begin(), out.end(), std::string(first[0].text)) != out.end();
  const bool one_short = header_ && second.size() == first.size() + 1;
  labels_ = one_short || (!left_out && ((header_ && first[0].text.empty()) ||
                                        (data.size() > 1 && is_text(data[0]))));
}

void CsvReader::name_columns(const std::vector<Field>& first, const std::vector<Field>& second) {
  const std::size_t columns = fields_ - (labels_ ? 1 : 0);
  names_ = default_names(static_cast<Index>(columns));
  if (!header_) return;
  const bool one_short = labels_ && second.size() == first.size() + 1;
  if (!one_short && first.size() != second.size()) refuse_ragged(lines_.number(), second.size());
  for (std::size_t j = 0; j < columns; ++j) {
    const Field& field = first[j + (labels_ && !one_short ? 1 : 0)];
    if (!field.text.empty()) names_[j] = field.text;
  }
}

void CsvReader::leave_out_columns() {
  keep_.assign(names_.size(), true);
  for (const std::string& name : options_.exclude) {
    bool found = false;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (names_[j] != name) continue;
      keep_[j] = false;
      found = true;
    }
    if (!found) fail({file_}, "has no variable '{}' to leave out", printable(name));
  }
  variables_ = static_cast<std::size_t>(std::count(keep_.begin(), keep_.end(), true));
  all_kept_ = variables_ == names_.size();
  if (variables_ == 0) fail({file_}, "no variables are left");
}

void CsvReader::add_record(char* begin, char* end, Index line) {
  const std::size_t record = records_++;
  if (options_.covariance && record < keep_.size() && !keep_[record]) return;
  double* row = values_.extend(variables_);
  const bool quoted =
      std::memchr(begin, '"', static_cast<std::size_t>(end - begin)) != nullptr;
  if (quoted || !all_kept_) {
    add_split(begin, end, line, row);
  } else {
    add_plain(begin, end, line, row);
  }
}

/// The fast way, for lines that have no quotes and nothing to leave out.
void CsvReader::add_plain(const char* at, const char* end, Index line, double* row) {
  const char* const begin = at;
  const auto ragged = [&] {
    refuse_ragged(line, static_cast<std::size_t>(std::count(begin, end, separator_)) + 1);
  };
  Index field = 1;
  if (labels_) {
    const char* stop = std::find(at, end, separator_);
    if (stop == end) ragged();
    samples_.emplace_back(trim({at, static_cast<std::size_t>(stop - at)}));
    at = stop + 1;
    ++field;
  }
  for (std::size_t j = 0; j < variables_; ++j, ++field) {
    const char* stop = read_plain_number(at, end, row[j]);
    if (stop == at || (stop != end && *stop != separator_)) {
      stop = std::find(at, end, separator_);
      // A line that is too short ends in a cell that is wrong for that reason.
      if (stop == end && j + 1 < variables_) ragged();
      row[j] = number(trim({at, static_cast<std::size_t>(stop - at)}), {file_, line, field});
    }
    if ((stop == end) != (j + 1 == variables_)) ragged();
    at = stop + 1;
  }
}

void CsvReader::add_split(char* begin, char* end, Index line, double* row) {
  const auto fields = split(begin, end, line);
  if (fields.size() != fields_) refuse_ragged(line, fields.size());
  if (labels_) samples_.emplace_back(fields[0].text);
  for (std::size_t j = 0; j < names_.size(); ++j) {
    if (!keep_[j]) continue;
    const std::size_t field = j + (labels_ ? 1 : 0);
    *row++ = number(trim(fields[field].text), {file_, line, static_cast<Index>(field) + 1});
  }
}

double CsvReader::number(std::string_view text, Place place) const {
  double value = 0;
  switch (classify(text, value)) {
    case Cell::number:
      return value;
    case Cell::missing:
      if (options_.missing == Missing::error) {
        fail(place, "missing value '{}' of '{}'; {}", printable(text), column_name(place.field),
             kMissingHint);
      }
      return std::numeric_limits<double>::quiet_NaN();
    case Cell::infinite:
      fail(place, "'{}' of '{}' is infinite", printable(text), column_name(place.field));
    case Cell::text:
      break;
  }
  refuse_text(text, place);
}

void CsvReader::refuse_text(std::string_view text, Place place) const {
  const std::string name = column_name(place.field);
  const auto comma = text.find(',');
  double ignored = 0;
  if (comma != std::string_view::npos &&
      classify(std::string(text).replace(comma, 1, "."), ignored) == Cell::number) {
    fail(place, "'{}' of '{}' is not a number: decimals are written with a point", printable(text),
         name);
  }
  // Text in the first sample means a column of text, later on it means a slip.
  if (records_ == 1) {
    fail(place, "'{}' of '{}' is not a number; --exclude {} leaves a column out", printable(text),
         name, name.find(' ') == std::string::npos ? name : '"' + name + '"');
  }
  fail(place, "'{}' of '{}' is not a number", printable(text), name);
}

void CsvReader::refuse_ragged(Index line, std::size_t fields) const {
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
  const auto rows = static_cast<Index>(values_.size() / variables_);
  auto owner = values_.release();
  auto view = DenseView::row_major(owner.get(), rows, cols);
  view.owner = std::move(owner);
  table.values = std::move(view);
  if (options_.covariance && labels_ && !header_) names_ = std::exchange(samples_, {});
  if (options_.covariance && labels_ && header_ && samples_.size() == variables_) {
    std::size_t row = 0;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (!keep_[j]) continue;
      if (samples_[row] != names_[j]) {
        fail({file_}, "row '{}' of the covariance stands where column '{}' does",
             printable(samples_[row]), printable(names_[j]));
      }
      ++row;
    }
  }
  for (std::size_t j = 0; j < names_.size(); ++j) {
    if (j >= keep_.size() || keep_[j]) table.variables.push_back(std::move(names_[j]));
  }
  table.samples = std::move(samples_);
  return table;
}

}  // namespace

Table read_csv(ByteSource& source, const ReadOptions& options, char separator) {
  return CsvReader(source, options, separator).read();
}

}  // namespace spcart::io
