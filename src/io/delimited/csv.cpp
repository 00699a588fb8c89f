#include "io/delimited/csv.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/column_moments.hpp"
#include "io/delimited/layout.hpp"
#include "io/edit/missing.hpp"
#include "io/edit/select_variables.hpp"
#include "io/spool/spool.hpp"

namespace spcart::io {

namespace {

/// The first few names, and how many others there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", printable(names[i]));
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

constexpr Index kFewSamples = 5;  ///< in which ascending numbers mean nothing

/// A word of a command.
std::string quoted_if_needed(const std::string& word) {
  return word.find(' ') == std::string::npos ? word : fmt::format("\"{}\"", word);
}

/// A field of each record.
struct Column {
  using Use = ColumnSummary::Use;
  ColumnSummary seen;
  ColumnMoments moments;  ///< for a look
  /// Of its cells in the table, until the end; -1: they have none. As long as it is `empty`, it may
  /// become a variable.
  std::ptrdiff_t place = -1;
  Index first_missing = 0;  ///< line; 0: none
  double last = 0;          ///< for a variable that may be an identifier

  bool is_stored() const { return place >= 0; }
  std::string name() const { return printable(seen.name); }
};
using Use = Column::Use;

enum class Purpose { use, look };

class CsvReader {
 public:
  CsvReader(ByteSource& source, const ReadOptions& options, Cache& cache, char separator,
            Purpose purpose)
      : records_(source, separator),
        options_(options),
        looks_(purpose == Purpose::look),
        strict_((options.strict && !looks_) || options.covariance),
        rejects_missing_(!looks_ && (options.missing == Missing::error || options.covariance)),
        cache_(cache),
        head_(first_records(records_)),
        layout_(find_layout()),
        cells_(layout_.decimal, options.na) {}

  Inspection read(const Tick& tick);

 private:
  Layout find_layout();
  void use_columns();
  Use use_of(std::size_t column, bool selected) const;
  void add(char* begin, char* end, Index line);
  void add_record(char* at, char* end, Index line);
  void add_cell(std::size_t j, std::string_view text, Index line, double*& out);
  void add_text(Column& column, std::string_view text);
  void keep(std::vector<std::string>& names, std::string_view text);
  double number(Column& column, std::string_view text, const Place& place);
  double of_missing(Column& column, std::string_view text, const Place& place) const;
  double of_rejected(Column& column, std::string_view text) const;
  [[noreturn]] void reject_missing(const Column& column, std::string_view text,
                                   const Place& place) const;
  [[noreturn]] void reject_text(const Column& column, std::string_view text,
                                const Place& place) const;
  void look_for_identifiers(const double* values);
  void add_notes(Table& table) const;
  Table make_table(const Tick& tick);

  RecordReader records_;
  const ReadOptions& options_;
  bool looks_, strict_, rejects_missing_;
  Cache& cache_;
  std::vector<std::string> notes_;
  std::vector<Record> head_;
  Layout layout_;
  CellReader cells_;

  std::vector<Column> columns_;           ///< all fields of a record
  std::vector<char> is_variable_;         ///< of the same, close together
  std::size_t stored_ = 0;                ///< of them
  Index count_ = 0;                       ///< records that were read
  std::vector<Record> empty_;             ///< without content: they do not count at the end
  std::vector<std::size_t> identifiers_;  ///< columns that may be such
  std::optional<NumberSpool> values_;
  std::vector<std::string> samples_, labels_;
};

Inspection CsvReader::read(const Tick& tick) {
  use_columns();
  values_.emplace(cache_, Scalar::float64, static_cast<Index>(stored_));
  for (std::size_t i = layout_.skipped(); i < head_.size(); ++i)
    add(head_[i].begin(), head_[i].end(), head_[i].line);
  head_.clear();
  while (records_.next()) add(records_.begin(), records_.end(), records_.line());
  for (const std::size_t j : identifiers_) columns_[j].seen.identifier = count_ >= kFewSamples;
  Inspection found;
  found.table = make_table(tick);
  for (Column& column : columns_) {
    column.seen.mean = column.moments.mean();
    column.seen.deviation = column.moments.deviation();
    found.columns.push_back(std::move(column.seen));
  }
  return found;
}

/// For a look, doubt about the decimal sign is only a note.
Layout CsvReader::find_layout() {
  try {
    return layout_of(head_, records_, options_);
  } catch (const Error& error) {
    if (!looks_ || options_.decimal != Decimal::automatic) throw;
    ReadOptions sure = options_;
    sure.decimal = Decimal::point;
    Layout layout = layout_of(head_, records_, sure);
    notes_.push_back(error.rule());
    return layout;
  }
}

void CsvReader::use_columns() {
  const std::vector<bool> selected = selected_variables(layout_.names, options_, records_.file());
  if (layout_.labels) {
    columns_.push_back({});
    columns_.back().seen.use = Use::sample;
  }
  bool labelled = options_.labels_column.empty();
  for (std::size_t j = 0; j < layout_.names.size(); ++j) {
    Column& column = columns_.emplace_back();
    column.seen.name = layout_.names[j];
    column.seen.use = use_of(j, selected[j]);
    labelled |= column.seen.use == Use::label;
    if (column.seen.use == Use::variable || column.seen.use == Use::empty)
      column.place = static_cast<std::ptrdiff_t>(stored_++);
    if (column.seen.use == Use::variable && !options_.covariance)
      identifiers_.push_back(columns_.size() - 1);
  }
  for (const Column& column : columns_)
    is_variable_.push_back(column.seen.use == Use::variable ? 1 : 0);
  if (!labelled)
    fail({records_.file()}, "has no column '{}' for --labels-column",
         printable(options_.labels_column));
  if (stored_ == 0 && !looks_) fail({records_.file()}, "no column holds numbers");
}

Use CsvReader::use_of(std::size_t column, bool selected) const {
  if (!options_.labels_column.empty() && layout_.names[column] == to_utf8(options_.labels_column))
    return Use::label;
  if (!selected) return Use::excluded;
  if (strict_) return Use::variable;
  switch (layout_.kinds[column]) {
    case ColumnKind::numbers:
      return Use::variable;
    case ColumnKind::text:
      return Use::text;
    case ColumnKind::empty:
      break;
  }
  return Use::empty;
}

/// Spreadsheets may end with records that have separators only; elsewhere their cells are missing.
void CsvReader::add(char* begin, char* end, Index line) {
  constexpr std::size_t kMostAtEnd = 10000;
  if (columns_.size() > 1 && records_.is_empty({begin, end}) && empty_.size() < kMostAtEnd) {
    empty_.push_back({{begin, end}, line});
    return;
  }
  for (Record& record : empty_) add_record(record.begin(), record.end(), record.line);
  empty_.clear();
  add_record(begin, end, line);
}

void CsvReader::add_record(char* at, char* end, Index line) {
  const std::size_t record = static_cast<std::size_t>(count_++) + (layout_.labels ? 1 : 0);
  if (options_.covariance && record < columns_.size() && columns_[record].seen.use == Use::excluded)
    return;
  auto* const values = reinterpret_cast<double*>(values_->extend(stored_));
  double* out = values;
  const std::size_t fields = columns_.size();
  const char separator = records_.separator();
  for (std::size_t j = 0; j < fields; ++j) {
    const bool last = j + 1 == fields;
    const char* stop = at;
    if (is_variable_[j] != 0) stop = cells_.read_plain(at, end, separator, *out);
    if (stop != at && (stop == end || *stop == separator)) {
      at += stop - at;
      if (looks_) columns_[j].moments.add(*out);
      ++out;
    } else {
      const Field field = records_.take_field(at, end, line, static_cast<Index>(j) + 1);
      // A line that is too short may end in a cell that is invalid only for that reason.
      if (at == end && !last) reject_ragged(layout_, records_, line, j + 1);
      add_cell(j, field.text, line, out);
    }
    if (at == end && !last) reject_ragged(layout_, records_, line, j + 1);
    if (at != end && last)
      reject_ragged(layout_, records_, line, j + 1 + records_.split(at + 1, end, line).size());
    ++at;
  }
  if (!identifiers_.empty()) look_for_identifiers(values);
}

void CsvReader::add_cell(std::size_t j, std::string_view text, Index line, double*& out) {
  Column& column = columns_[j];
  if (!column.is_stored()) return add_text(column, text);
  *out = number(column, trim(text), {records_.file(), line, static_cast<Index>(j) + 1});
  is_variable_[j] = column.seen.use == Use::variable ? 1 : 0;
  if (looks_ && !std::isnan(*out)) column.moments.add(*out);
  ++out;
}

void CsvReader::add_text(Column& column, std::string_view text) {
  if (is_missing_token(trim(text)))
    ++column.seen.missing;
  else if (column.seen.example.empty())
    column.seen.example = to_utf8(text);
  if (column.seen.use == Use::sample) keep(samples_, text);
  if (column.seen.use == Use::label) keep(labels_, text);
}

void CsvReader::keep(std::vector<std::string>& names, std::string_view text) {
  const std::string& name = names.emplace_back(to_utf8(text));
  const bool inside = name.capacity() <= std::string().capacity();  // no memory of its own
  const std::size_t written = sizeof(std::uint64_t) + name.size();  // into the copy of the table
  values_->make_room(sizeof(std::string) + (inside ? 0 : name.capacity() + 1) + written);
}

double CsvReader::number(Column& column, std::string_view text, const Place& place) {
  Use& use = column.seen.use;
  double value = 0;
  const Cell cell = use == Use::text ? Cell::missing : cells_.classify(text, value);
  if (cell == Cell::missing) return of_missing(column, text, place);
  if (use == Use::empty) {
    use = cell == Cell::text ? Use::text : Use::variable;
    if (use == Use::text) {
      column.seen.example = to_utf8(text);
      return of_missing(column, text, place);
    }
    if (rejects_missing_ && column.first_missing > 0)
      reject_missing(column, "", {place.file, column.first_missing, place.field});
  }
  if (cell == Cell::number) return value;
  if (looks_) return of_rejected(column, text);
  if (cell == Cell::infinite)
    fail(place, "'{}' of '{}' is infinite", printable(text), column.name());
  reject_text(column, text, place);
}

double CsvReader::of_missing(Column& column, std::string_view text, const Place& place) const {
  if (column.seen.use == Use::variable && rejects_missing_) reject_missing(column, text, place);
  if (column.first_missing == 0) column.first_missing = place.line;
  ++column.seen.missing;
  return std::numeric_limits<double>::quiet_NaN();
}

double CsvReader::of_rejected(Column& column, std::string_view text) const {
  if (column.seen.rejected++ == 0) column.seen.example = to_utf8(text);
  return std::numeric_limits<double>::quiet_NaN();
}

void CsvReader::reject_missing(const Column& column, std::string_view text,
                               const Place& place) const {
  fail(place, "missing value '{}' of '{}'; {}", printable(text), column.name(),
       missing_hint(options_.covariance));
}

void CsvReader::reject_text(const Column& column, std::string_view text, const Place& place) const {
  const std::string shown = printable(text);
  if (const DecimalSigns signs = decimal_signs_of(text); signs.point || signs.comma) {
    const std::string_view other = cells_.has_decimal_comma() ? "point" : "comma";
    fail(place,
         "'{}' of '{}' is not a number: decimals are written with a {}; --decimal {} reads "
         "them with a {}",
         shown, column.name(), cells_.has_decimal_comma() ? "comma" : "point", other, other);
  }
  if (layout_.header && !layout_.labels && place.field == 1) {
    fail(place, "'{}' of '{}' is not a number; --row-labels yes takes the first column for names",
         shown, column.name());
  }
  constexpr std::size_t kShort = 20;
  if (shown != text || text.size() > kShort)
    fail(place, "'{}' of '{}' is not a number; --exclude {} leaves the column out", shown,
         column.name(), quoted_if_needed(column.name()));
  fail(
      place,
      "'{}' of '{}' is not a number; --na {} counts such cells as missing, --exclude {} leaves the "
      "column out",
      shown, column.name(), quoted_if_needed(shown), quoted_if_needed(column.name()));
}

/// Whole numbers, each above the one before.
void CsvReader::look_for_identifiers(const double* values) {
  std::erase_if(identifiers_, [&](std::size_t j) {
    const double value = values[columns_[j].place];
    const bool follows = count_ == 1 || value > columns_[j].last;
    columns_[j].last = value;
    return !follows || std::floor(value) != value;
  });
}

void CsvReader::add_notes(Table& table) const {
  std::vector<std::string> text, empty;
  for (const Column& column : columns_) {
    if (column.seen.use == Use::text) text.push_back(column.seen.name);
    if (column.seen.use == Use::empty) empty.push_back(column.seen.name);
  }
  const auto add = [&](const std::vector<std::string>& names, std::string_view what) {
    if (!names.empty())
      table.notes.push_back(fmt::format("{} column{} set aside, {}: {}", names.size(),
                                        names.size() == 1 ? "" : "s", what, some_of(names)));
  };
  table.notes = notes_;
  if (layout_.decimal == Decimal::comma && options_.decimal == Decimal::automatic)
    table.notes.emplace_back("numbers are read with a decimal comma");
  if (layout_.units_line > 0)
    table.notes.push_back(fmt::format("line {} was taken for units", layout_.units_line));
  add(text, "not numbers");
  add(empty, "without a value");
  for (const Column& column : columns_)
    if (column.seen.identifier)
      table.notes.push_back(
          fmt::format("'{}' may be an identifier (whole numbers in ascending "
                      "order); --exclude {} leaves it out",
                      column.name(), quoted_if_needed(column.name())));
}

Table CsvReader::make_table(const Tick& tick) {
  Table table;
  if (count_ == 0) fail({records_.file()}, "has a header but no data");
  const auto rows = static_cast<Index>(stored_ > 0 ? values_->count() / stored_ : 0);
  table.values = values_->finish(rows, static_cast<Index>(stored_), FileView::Order::row);
  std::vector<bool> variables;
  for (const Column& column : columns_) {
    if (!column.is_stored()) continue;
    table.variables.push_back(column.seen.name);
    variables.push_back(column.seen.use == Use::variable);
  }
  table.samples = std::move(samples_);
  table.labels = std::move(labels_);
  add_notes(table);
  const auto left = std::ranges::count(variables, true);
  if (left == 0 && !looks_) fail({records_.file()}, "no column holds numbers");
  if (left < std::ssize(variables))
    keep_only(table, std::vector<bool>(static_cast<std::size_t>(rows), true), variables, cache_,
              tick);
  return table;
}

}  // namespace

Table read_csv(ByteSource& source, const ReadOptions& options, Cache& cache, char separator,
               const Tick& tick) {
  return CsvReader(source, options, cache, separator, Purpose::use).read(tick).table;
}

Inspection inspect_csv(ByteSource& source, const ReadOptions& options, Cache& cache, char separator,
                       const Tick& tick) {
  return CsvReader(source, options, cache, separator, Purpose::look).read(tick);
}

}  // namespace spcart::io
