#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "io/spool/growing_array.hpp"
#include "spcart/views.hpp"

namespace spcart::io {

/// Collects the entries of a sparse matrix in any order and compresses them by rows; duplicates are
/// summed. As long as they come in order, only the beginnings of the rows are kept, so that ordered
/// files need no more memory than their matrix; others need 16 bytes per entry.
class EntryList {
 public:
  EntryList(Index rows, Index cols,
            std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max())
      : rows_(rows), cols_(cols), col_bits_(bits_below(cols)), most_bytes_(most_bytes) {}

  /// False, and nothing is added, if the list would exceed its maximum size.
  bool add(std::int32_t row, std::int32_t col, double value) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(row) << col_bits_ | static_cast<std::uint64_t>(col);
    const bool behind = size() == 0 || key > last_key_;
    if (size() > 0 && key == last_key_) return *(values_.end() - 1) += value, true;
    if (bytes_with_one_more(ordered_ && behind) > most_bytes_) return false;
    if (ordered_ && !behind) give_up_order();
    if (ordered_) {
      if (size() == 0 || key >> col_bits_ != last_key_ >> col_bits_) begin_row(row);
      inner_.push_back(col);
    } else {
      keys_.push_back(key);
    }
    values_.push_back(value);
    last_key_ = key;
    return true;
  }

  std::size_t size() const { return values_.size(); }

  /// The entries as a matrix, with 64-bit offsets if there are more than `most_narrow`; the list
  /// must not be used afterwards.
  SparseView compress(std::size_t most_narrow = std::numeric_limits<std::int32_t>::max()) {
    put_in_order();
    return size() > most_narrow ? compress_as<std::int64_t>() : compress_as<std::int32_t>();
  }

  /// Calls f(key, value) for every entry in order, and empties the list. The high bits of a key are
  /// the row, the low bits the column.
  template <class F>
  void drain(F f) {
    put_in_order();
    run_starts_.push_back(size());
    for (std::size_t i = 0; i < run_rows_.size(); ++i) {
      const std::uint64_t row = static_cast<std::uint64_t>(run_rows_[i]) << col_bits_;
      for (std::size_t k = run_starts_[i]; k < run_starts_[i + 1]; ++k)
        f(row | static_cast<std::uint64_t>(inner_[k]), values_[k]);
    }
    for (std::size_t k = 0; k < keys_.size(); ++k) f(keys_[k], values_[k]);
    *this = EntryList(rows_, cols_, most_bytes_);
  }

  Index row(std::uint64_t key) const { return static_cast<Index>(key >> col_bits_); }
  std::int32_t col(std::uint64_t key) const {
    return static_cast<std::int32_t>(key & ((std::uint64_t{1} << col_bits_) - 1));
  }

 private:
  /// Number of bits of the indices from 0 to size - 1.
  static int bits_below(Index size) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
  }

  std::uint64_t bytes_with_one_more(bool ordered) const {
    constexpr std::uint64_t kRun = sizeof(std::int32_t) + sizeof(std::size_t);
    return ordered ? (size() + 1) * (sizeof(double) + sizeof(std::int32_t)) +
                         (run_rows_.size() + 1) * kRun
                   : (size() + 1) * (sizeof(double) + sizeof(std::uint64_t));
  }

  void put_in_order() {
    if (ordered_) return;
    sort(0, size(), bits_below(rows_) + col_bits_);
    sum_equals();
  }

  void begin_row(std::int32_t row) {
    run_rows_.push_back(row);
    run_starts_.push_back(size());
  }

  void give_up_order() {
    ordered_ = false;
    std::size_t run = run_rows_.size();
    keys_ = inner_.widened<std::uint64_t>([&](std::size_t k, std::int32_t col) {
      while (run == run_rows_.size() || k < run_starts_[run]) --run;
      return static_cast<std::uint64_t>(run_rows_[run]) << col_bits_ |
             static_cast<std::uint64_t>(col);
    });
    run_rows_ = {};
    run_starts_ = {};
  }

  /// Sorts the entries from `first` to `last`, whose keys differ in their lowest `bits` only, in
  /// place: by eight bits at a time from the top, and by comparison once they are few.
  void sort(std::size_t first, std::size_t last, int bits) {
    constexpr int kDigit = 8;
    constexpr std::size_t kBuckets = std::size_t{1} << kDigit, kFew = 256;
    if (bits == 0 || last - first < 2) return;
    if (last - first <= kFew) return sort_few(first, last);
    const int shift = std::max(0, bits - kDigit);
    const auto digit = [&](std::uint64_t key) { return key >> shift & (kBuckets - 1); };

    std::array<std::size_t, kBuckets + 1> starts{};
    for (std::size_t k = first; k < last; ++k) ++starts[digit(keys_[k]) + 1];
    starts[0] = first;
    for (std::size_t b = 0; b < kBuckets; ++b) starts[b + 1] += starts[b];
    std::array<std::size_t, kBuckets + 1> next = starts;
    for (std::size_t b = 0; b < kBuckets; ++b) {
      for (; next[b] < starts[b + 1]; ++next[b]) {
        std::uint64_t key = keys_[next[b]];
        double value = values_[next[b]];
        for (std::size_t d = digit(key); d != b; d = digit(key)) {
          std::swap(key, keys_[next[d]]);
          std::swap(value, values_[next[d]++]);
        }
        keys_[next[b]] = key;
        values_[next[b]] = value;
      }
    }
    for (std::size_t b = 0; b < kBuckets; ++b) sort(starts[b], starts[b + 1], shift);
  }

  void sort_few(std::size_t first, std::size_t last) {
    few_.clear();
    for (std::size_t k = first; k < last; ++k) few_.emplace_back(keys_[k], values_[k]);
    std::sort(few_.begin(), few_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, value] : few_) {
      keys_[first] = key;
      values_[first++] = value;
    }
  }

  void sum_equals() {
    std::size_t out = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      if (out > 0 && keys_[out - 1] == keys_[k]) {
        values_[out - 1] += values_[k];
      } else {
        keys_[out] = keys_[k];
        values_[out++] = values_[k];
      }
    }
    keys_.cut(out);
    values_.cut(out);
  }

  template <class I>
  SparseView compress_as() {
    struct Owner {
      std::shared_ptr<void> values, inner, outer;
    };
    auto owner = std::make_shared<Owner>();
    owner->outer = offsets<I>().release();
    owner->inner = columns<I>().release();
    owner->values = values_.release();
    SparseView view;
    view.rows = rows_;
    view.cols = cols_;
    view.wide = sizeof(I) == sizeof(std::int64_t);
    view.inner = owner->inner.get();
    view.outer = owner->outer.get();
    view.values = owner->values.get();
    view.owner = std::move(owner);
    return view;
  }

  template <class I>
  GrowingArray<I> offsets() {
    GrowingArray<I> out;
    I* offsets = out.extend(static_cast<std::size_t>(rows_) + 1);
    std::fill(out.begin(), out.end(), I{0});
    if (ordered_) {
      run_starts_.push_back(size());
      for (std::size_t i = 0; i < run_rows_.size(); ++i)
        offsets[run_rows_[i] + 1] = static_cast<I>(run_starts_[i + 1] - run_starts_[i]);
      run_rows_ = {};
      run_starts_ = {};
    } else {
      for (const std::uint64_t key : keys_) ++offsets[(key >> col_bits_) + 1];
    }
    for (Index i = 0; i < rows_; ++i) offsets[i + 1] += offsets[i];
    return out;
  }

  template <class I>
  GrowingArray<I> columns() {
    if constexpr (std::is_same_v<I, std::int32_t>) {
      if (ordered_) return std::move(inner_);
    }
    if (ordered_) {
      GrowingArray<I> out;
      std::copy(inner_.begin(), inner_.end(), out.extend(inner_.size()));
      return out;
    }
    const std::uint64_t mask = (std::uint64_t{1} << col_bits_) - 1;
    return keys_.converted<I>([&](std::uint64_t key) { return static_cast<I>(key & mask); });
  }

  Index rows_, cols_;
  int col_bits_;  ///< of a key: the row is above them
  std::uint64_t most_bytes_;
  bool ordered_ = true;
  std::uint64_t last_key_ = 0;
  GrowingArray<double> values_;
  GrowingArray<std::int32_t> inner_;      ///< columns, while ordered
  GrowingArray<std::int32_t> run_rows_;   ///< rows that have entries, while ordered
  GrowingArray<std::size_t> run_starts_;  ///< the first entry of each
  GrowingArray<std::uint64_t> keys_;      ///< rows and columns, once no longer ordered
  std::vector<std::pair<std::uint64_t, double>> few_;
};

}  // namespace spcart::io
