#include "io/compressed.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "io/spool/entry_spool.hpp"
#include "io/spool/row_spool.hpp"

namespace spcart::io {

namespace {

/// A stream whose numbers are taken one by one, or as many as its buffer has.
template <class T>
class Buffered {
 public:
  explicit Buffered(NumberStream<T> stream) : stream_(std::move(stream)) {}

  std::uint64_t count() const { return stream_.count; }

  T next() {
    if (at_ == buffer_.size()) fill();
    return buffer_[at_++];
  }

 private:
  void fill() {
    buffer_.resize(std::min<std::uint64_t>(kEntriesAtATime, stream_.count - done_));
    stream_.read(buffer_.data(), buffer_.size());
    done_ += buffer_.size();
    at_ = 0;
  }

  NumberStream<T> stream_;
  std::uint64_t done_ = 0;
  std::vector<T> buffer_;
  std::size_t at_ = 0;
};

std::int32_t checked_index(std::string_view file, std::int64_t index, Index size,
                           std::string_view what, std::uint64_t entry) {
  if (index < 0 || index >= size)
    fail({file}, "entry {} has the {} {}; it must be 0 to {}", entry + 1, what, index, size - 1);
  return static_cast<std::int32_t>(index);
}

class CompressedReader {
 public:
  CompressedReader(CompressedMatrix matrix, const SparseReading& reading)
      : file_(std::move(matrix.file)),
        reading_(reading),
        rows_(static_cast<Index>(matrix.rows)),
        cols_(static_cast<Index>(matrix.cols)),
        by_column_(matrix.by_column),
        offsets_(std::move(matrix.offsets)),
        indices_(std::move(matrix.indices)),
        values_(std::move(matrix.values)) {
    check_sparse_size({file_}, matrix.rows, matrix.cols, values_.count());
    if (indices_.count() != values_.count())
      fail({file_}, "has {} indices for {} values", indices_.count(), values_.count());
    if (offsets_.count() != static_cast<std::uint64_t>(lines()) + 1)
      fail({file_}, "has {} offsets for {} {}; it must have one more", offsets_.count(), lines(),
           what(by_column_));
  }

  decltype(Table::values) read() {
    const Index rows = reading_.transpose ? cols_ : rows_,
                cols = reading_.transpose ? rows_ : cols_;
    if (by_column_ == reading_.transpose) {
      RowSpool spool(rows, cols, values_.count(), reading_.reserved, reading_.cache);
      read_rows(spool);
      return spool.finish();
    }
    EntrySpool spool(rows, cols, reading_.cache, reading_.reserved);
    for_each_line([&](std::int32_t line, std::uint64_t count) {
      for (; count > 0; --count) {
        const std::int32_t row = next_index();
        spool.add(row, line, values_.next());
      }
    });
    return spool.finish();
  }

 private:
  Index lines() const { return by_column_ ? cols_ : rows_; }
  Index length() const { return by_column_ ? rows_ : cols_; }
  static std::string_view what(bool by_column) { return by_column ? "columns" : "rows"; }

  std::int32_t next_index() {
    return checked_index(file_, indices_.next(), length(), by_column_ ? "row" : "column", done_++);
  }

  /// Calls f(line, number of its entries) for all lines.
  template <class F>
  void for_each_line(F f) {
    constexpr Index kTick = 1024;
    std::int64_t begin = offsets_.next();
    if (begin != 0) fail({file_}, "its offsets begin with {}, not with 0", begin);
    const auto entries = static_cast<std::int64_t>(values_.count());
    for (Index line = 0; line < lines(); ++line) {
      if (reading_.tick && line % kTick == 0)
        reading_.tick(static_cast<double>(begin) / std::max(1.0, static_cast<double>(entries)));
      const std::int64_t end = offsets_.next();
      if (end < begin || end > entries)
        fail({file_}, "offset {} is {} after {}; offsets must rise to {}, the number of entries",
             line + 2, end, begin, entries);
      f(static_cast<std::int32_t>(line), static_cast<std::uint64_t>(end - begin));
      begin = end;
    }
    if (begin != entries)
      fail({file_}, "its last offset is {}, but there are {} entries", begin, entries);
  }

  void read_rows(RowSpool& spool) {
    std::vector<std::pair<std::int32_t, double>> row;
    for_each_line([&](std::int32_t line, std::uint64_t count) {
      if (count > static_cast<std::uint64_t>(length()))
        fail({file_}, "{} {} has {} entries for {} {}", by_column_ ? "column" : "row", line + 1,
             count, length(), what(!by_column_));
      row.clear();
      for (; count > 0; --count) {
        const std::int32_t index = next_index();
        row.emplace_back(index, values_.next());
      }
      const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
      if (!std::is_sorted(row.begin(), row.end(), before))
        std::stable_sort(row.begin(), row.end(), before);
      for (std::size_t k = 0; k < row.size();) {
        const std::int32_t col = row[k].first;
        double sum = 0;
        for (; k < row.size() && row[k].first == col; ++k) sum += row[k].second;
        spool.add(line, col, sum);
      }
    });
  }

  std::string file_;
  const SparseReading& reading_;
  Index rows_, cols_;
  bool by_column_;
  Buffered<std::int64_t> offsets_, indices_;
  Buffered<double> values_;
  std::uint64_t done_ = 0;  ///< entries
};

}  // namespace

void check_sparse_size(const Place& place, std::uint64_t rows, std::uint64_t cols,
                       std::uint64_t entries) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (rows == 0 || cols == 0) fail(place, "{} x {} has no numbers", rows, cols);
  if (rows > kMost || cols > kMost)
    fail(place, "{} x {} is too large: a sparse table has at most {} rows and columns", rows, cols,
         kMost);
  constexpr std::uint64_t kAlways = 1000000, kPerEntry = 64;
  const std::uint64_t lines = rows + cols;
  if (lines > kAlways && (lines - kAlways) / kPerEntry > entries)
    fail(place, "{} x {} is too large for {} entries", rows, cols, entries);
}

decltype(Table::values) read_compressed(CompressedMatrix matrix, const SparseReading& reading) {
  return CompressedReader(std::move(matrix), reading).read();
}

decltype(Table::values) read_coordinates(CoordinateMatrix matrix, const SparseReading& reading) {
  const std::uint64_t entries = matrix.values.count;
  if (matrix.row.count != entries || matrix.col.count != entries)
    fail({matrix.file}, "has {} rows and {} columns for {} values", matrix.row.count,
         matrix.col.count, entries);
  check_sparse_size({matrix.file}, matrix.rows, matrix.cols, entries);
  const auto rows = static_cast<Index>(matrix.rows), cols = static_cast<Index>(matrix.cols);
  Buffered<std::int64_t> row(std::move(matrix.row)), col(std::move(matrix.col));
  Buffered<double> values(std::move(matrix.values));
  EntrySpool spool(reading.transpose ? cols : rows, reading.transpose ? rows : cols, reading.cache,
                   reading.reserved);
  for (std::uint64_t k = 0; k < entries; ++k) {
    if (reading.tick && k % kEntriesAtATime == 0)
      reading.tick(static_cast<double>(k) / static_cast<double>(entries));
    const std::int32_t i = checked_index(matrix.file, row.next(), rows, "row", k);
    const std::int32_t j = checked_index(matrix.file, col.next(), cols, "column", k);
    reading.transpose ? spool.add(j, i, values.next()) : spool.add(i, j, values.next());
  }
  return spool.finish();
}

}  // namespace spcart::io
