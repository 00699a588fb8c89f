#include "io/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/compressed.hpp"
#include "io/edit/transpose.hpp"
#include "io/spool/entry_spool.hpp"
#include "io/spool/growing_array.hpp"
#include "io/spool/spool.hpp"
#include "io/text.hpp"
#include "spcart/memory.hpp"

namespace spcart::io {

namespace {

constexpr Index kLargest = std::numeric_limits<std::int32_t>::max();

enum class Symmetry { general, symmetric, skew };

struct Banner {
  bool coordinate = false;
  bool pattern = false;
  Symmetry symmetry = Symmetry::general;
};

class MatrixMarketReader {
 public:
  MatrixMarketReader(ByteSource& source, const ReadOptions& options, NameFiles& names, Cache& cache)
      : file_(source.name()), lines_(source), options_(options), names_(names), cache_(cache) {}

  Table read();

 private:
  void read_banner();
  bool next_line();
  void read_sizes();
  void check_sizes() const;
  Index read_index(Index size, std::string_view what);
  double read_value();
  void skip_blanks();
  [[noreturn]] void reject_entry(std::string_view rule);
  [[noreturn]] void reject_count(std::uint64_t found) const;

  decltype(Table::values) read_coordinate();
  decltype(Table::values) read_array();
  DenseView read_triangle();
  template <class Put>
  void read_numbers(Put put);
  void unpack_triangle(GrowingArray<double>& values) const;

  Place here() const { return {file_, lines_.number()}; }

  std::string file_;
  LineReader lines_;
  const ReadOptions& options_;
  NameFiles& names_;
  Cache& cache_;
  Banner banner_;
  Index rows_ = 0, cols_ = 0;  ///< of the file
  bool transpose_ = false;
  std::uint64_t entries_ = 0;  ///< as declared
  const char* at_ = nullptr;   ///< in the current line
  const char* end_ = nullptr;
};

Table MatrixMarketReader::read() {
  read_banner();
  read_sizes();
  check_sizes();
  transpose_ = names_.orient(rows_, cols_, options_.transpose);
  Table table;
  table.values = banner_.coordinate                      ? read_coordinate()
                 : banner_.symmetry == Symmetry::general ? read_array()
                                                         : read_triangle();
  if (transpose_ && !banner_.coordinate) transpose(table);
  table.variables = default_names(table.cols());
  return table;
}

void MatrixMarketReader::read_banner() {
  if (!lines_.next()) fail({file_}, "is empty");
  std::string line(lines_.begin(), lines_.end());
  if (!line.starts_with(kMatrixMarketBanner))
    fail(here(), "'{}' is no MatrixMarket banner", printable(line));
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream words(line);
  std::string banner, object, format, field, symmetry;
  words >> banner >> object >> format >> field >> symmetry;
  const auto demand = [&](bool known, std::string_view word, std::string_view choices) {
    if (!known) fail(here(), "'{}' is not read; {} is", printable(word), choices);
  };
  demand(object == "matrix", object, "matrix");
  demand(format == "coordinate" || format == "array", format, "coordinate or array");
  banner_.coordinate = format == "coordinate";
  banner_.pattern = field == "pattern" && banner_.coordinate;
  demand(field == "real" || field == "double" || field == "integer" || banner_.pattern, field,
         banner_.coordinate ? "real, integer or pattern" : "real or integer");
  demand(symmetry == "general" || symmetry == "symmetric" || symmetry == "skew-symmetric", symmetry,
         "general, symmetric or skew-symmetric");
  if (symmetry == "symmetric") banner_.symmetry = Symmetry::symmetric;
  if (symmetry == "skew-symmetric") banner_.symmetry = Symmetry::skew;
}

/// Advances to the next line that is neither blank nor a comment, and to its first word.
bool MatrixMarketReader::next_line() {
  while (lines_.next()) {
    at_ = lines_.begin();
    end_ = lines_.end();
    skip_blanks();
    if (at_ != end_ && *at_ != '%') return true;
  }
  return false;
}

void MatrixMarketReader::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
}

void MatrixMarketReader::read_sizes() {
  if (!next_line()) fail({file_}, "ends before the line of sizes");
  const auto size = [&](std::string_view what, Index most) {
    Index value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error == std::errc::invalid_argument || (stop != end_ && *stop != ' ' && *stop != '\t'))
      fail(here(), "'{}' is no line of sizes", printable({lines_.begin(), lines_.end()}));
    const std::string_view text(at_, static_cast<std::size_t>(stop - at_));
    if (value < 0 || text.starts_with('-')) fail(here(), "{} {} is negative", text, what);
    if (error != std::errc{} || value > most) fail(here(), "{} {} is too many", text, what);
    at_ = stop;
    skip_blanks();
    return value;
  };
  rows_ = size("rows", kLargest);
  cols_ = size("columns", kLargest);
  if (banner_.coordinate)
    entries_ = static_cast<std::uint64_t>(size("entries", std::numeric_limits<Index>::max()));
  if (at_ != end_)
    fail(here(), "'{}' is no line of sizes", printable({lines_.begin(), lines_.end()}));
}

void MatrixMarketReader::check_sizes() const {
  if (rows_ == 0 || cols_ == 0) fail(here(), "{} x {} has no numbers", rows_, cols_);
  if (banner_.symmetry != Symmetry::general && rows_ != cols_)
    fail(here(), "{} x {} cannot be symmetric: it is not square", rows_, cols_);
  if (banner_.coordinate)
    check_sparse_size(here(), static_cast<std::uint64_t>(rows_), static_cast<std::uint64_t>(cols_),
                      entries_);
}

void MatrixMarketReader::reject_entry(std::string_view rule) {
  fail(here(), "'{}': {}", printable({lines_.begin(), lines_.end()}), rule);
}

void MatrixMarketReader::reject_count(std::uint64_t found) const {
  if (found < entries_) fail({file_}, "ends after {} of {} entries", found, entries_);
  fail(here(), "goes on after its {} entries", entries_);
}

Index MatrixMarketReader::read_index(Index size, std::string_view what) {
  Index index = 0;
  const auto [stop, error] = std::from_chars(at_, end_, index);
  if (error == std::errc::invalid_argument || (stop != end_ && *stop != ' ' && *stop != '\t'))
    reject_entry(fmt::format("the {} is not a whole number", what));
  if (error != std::errc{} || index < 1 || index > size)
    reject_entry(fmt::format("the {} must be 1 to {}", what, size));
  at_ = stop;
  skip_blanks();
  return index - 1;
}

double MatrixMarketReader::read_value() {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  double value = 0;
  const char* stop = read_plain_number(at_, end_, value);
  if (stop == at_ || (stop != end_ && !is_blank(*stop))) {
    if (at_ == end_) reject_entry("the value is not there");
    stop = std::find_if(at_, end_, is_blank);
    switch (classify({at_, static_cast<std::size_t>(stop - at_)}, value)) {
      case Cell::number:
        break;
      case Cell::missing:
        if (options_.missing == Missing::error || options_.covariance)
          reject_entry(fmt::format("missing value; {}", missing_hint(options_.covariance)));
        value = std::numeric_limits<double>::quiet_NaN();
        break;
      case Cell::infinite:
        reject_entry("the value is infinite");
      case Cell::text:
        reject_entry("the value is not a number");
    }
  }
  at_ = stop;
  skip_blanks();
  return value;
}

decltype(Table::values) MatrixMarketReader::read_coordinate() {
  EntrySpool list(transpose_ ? cols_ : rows_, transpose_ ? rows_ : cols_, cache_, names_.bytes());
  const auto add = [&](std::int32_t row, std::int32_t col, double value) {
    transpose_ ? list.add(col, row, value) : list.add(row, col, value);
  };
  std::uint64_t found = 0;
  for (; next_line(); ++found) {
    if (found == entries_) reject_count(found + 1);
    const auto row = static_cast<std::int32_t>(read_index(rows_, "row"));
    const auto col = static_cast<std::int32_t>(read_index(cols_, "column"));
    const double value = banner_.pattern ? 1 : read_value();
    if (at_ != end_) reject_entry("more than an entry");
    add(row, col, value);
    if (banner_.symmetry == Symmetry::general) continue;
    if (row < col) reject_entry("a symmetric file holds the lower triangle only");
    if (banner_.symmetry == Symmetry::skew && row == col)
      reject_entry("a skew-symmetric file holds no diagonal");
    if (row != col) add(col, row, banner_.symmetry == Symmetry::skew ? -value : value);
  }
  if (found != entries_) reject_count(found);
  return list.finish();
}

template <class Put>
void MatrixMarketReader::read_numbers(Put put) {
  std::uint64_t found = 0;
  while (next_line())
    for (; at_ != end_; ++found) {
      if (found == entries_) reject_count(entries_ + 1);
      put(read_value());
    }
  if (found != entries_) reject_count(found);
}

decltype(Table::values) MatrixMarketReader::read_array() {
  entries_ = static_cast<std::uint64_t>(rows_) * static_cast<std::uint64_t>(cols_);
  NumberSpool values(cache_, Scalar::float64, transpose_ ? rows_ : cols_);
  read_numbers([&](double value) { std::memcpy(values.extend(1), &value, sizeof(value)); });
  return values.finish(rows_, cols_, FileView::Order::column);
}

/// A triangle cannot be expanded while it is read: it must fit in memory.
DenseView MatrixMarketReader::read_triangle() {
  const auto n = static_cast<std::uint64_t>(rows_);
  if (n * n > cache_.room(cols_) / sizeof(double) && cache_.is_limited())
    fail({file_}, "a symmetric array must fit in memory, and {} x {} takes {}: write it as general",
         n, n, bytes_in_words(n * n * sizeof(double)));
  entries_ = banner_.symmetry == Symmetry::symmetric ? n * (n + 1) / 2 : n * (n - 1) / 2;
  GrowingArray<double> values;
  read_numbers([&](double value) { values.push_back(value); });
  unpack_triangle(values);
  auto owner = values.release();
  auto view = DenseView::column_major(owner.get(), rows_, cols_);
  view.owner = std::move(owner);
  return view;
}

/// Expands the columns of a lower triangle to a full matrix, in place.
void MatrixMarketReader::unpack_triangle(GrowingArray<double>& values) const {
  const auto n = static_cast<std::size_t>(rows_);
  const bool skew = banner_.symmetry == Symmetry::skew;
  std::size_t packed = values.size();
  values.extend(n * n - packed);
  for (std::size_t j = n; j-- > 0;)
    for (std::size_t i = n; i-- > j + (skew ? 1 : 0);) values[j * n + i] = values[--packed];
  for (std::size_t j = 0; j < n; ++j) {
    if (skew) values[j * n + j] = 0;
    for (std::size_t i = 0; i < j; ++i)
      values[j * n + i] = skew ? -values[i * n + j] : values[i * n + j];
  }
}

}  // namespace

Table read_matrix_market(ByteSource& source, const ReadOptions& options, NameFiles& names,
                         Cache& cache) {
  return MatrixMarketReader(source, options, names, cache).read();
}

}  // namespace spcart::io
