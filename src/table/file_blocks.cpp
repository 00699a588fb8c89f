#include "table/file_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "spcart/error.hpp"
#include "table/file_scalar.hpp"
#include "table/open_file.hpp"

namespace spcart {
namespace {

/// Bytes of a contiguous block: larger ones would not be read faster.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 23;

std::uint64_t bytes_of(Index count, std::size_t size) {
  return static_cast<std::uint64_t>(count) * size;
}

/// Bytes per number in a block: as stored in the file, and as it is used.
std::size_t bytes_per_number(FileScalar scalar) {
  return size_of(scalar) + (is_kept(scalar) ? 0 : size_of(widened(scalar)));
}

[[noreturn]] void reject(const FileView& view, std::string_view what) {
  throw Error(fmt::format("is no sparse table: {}", what)).in(view.file->name());
}

/// Of a dense table: rows or columns, whichever are contiguous, and the numbers in each.
Index stored_lines(const FileView& view) {
  return view.order == FileView::Order::row ? view.rows : view.cols;
}
Index stored_length(const FileView& view) {
  return view.order == FileView::Order::row ? view.cols : view.rows;
}

/// The index in the file of a line of the table.
Index line_in_file(const FileView& view, Index line) {
  return view.lines ? (*view.lines)[static_cast<std::size_t>(line)] : line;
}

/// Numbers of a line that begin with the same byte as this one, before it.
Index skipped_before(FileScalar scalar, Index first) {
  return scalar == FileScalar::genotype ? first % 4 : 0;
}

/// Where the numbers of a line from `first` on are in the file.
std::uint64_t offset_in_line(FileScalar scalar, Index first) {
  return line_bytes(scalar, first - skipped_before(scalar, first));
}

/// Converts the numbers of a block to the type in which they are used, and returns their address.
const void* widen_block(FileScalar scalar, std::size_t count, RawBuffer& stored, RawBuffer& kept) {
  if (is_kept(scalar)) return stored.data();
  widen(scalar, stored.data(), count, kept.reserve(count * size_of(widened(scalar))));
  return kept.data();
}

void check_lines(const FileView& view) {
  if (!view.lines) return;
  const std::vector<Index>& lines = *view.lines;
  if (static_cast<Index>(lines.size()) != stored_lines(view) ||
      std::ranges::adjacent_find(lines, std::greater_equal<>{}) != lines.end() ||
      (!lines.empty() && lines.front() < 0))
    throw Error("the lines of a view of a file must be ascending, one per row or column");
}

}  // namespace

std::uint64_t stored_bytes(const FileView& view) {
  const auto size = size_of(view.scalar);
  if (!view.sparse)
    return line_bytes(view.scalar, stored_length(view)) *
           static_cast<std::uint64_t>(stored_lines(view));
  return bytes_of(view.entries, size + sizeof(std::int32_t)) +
         bytes_of(view.rows + 1, sizeof(std::int64_t));
}

void check_extent(const FileView& view) {
  if (view.file == nullptr) throw Error("the view of a file has no file");
  const auto check = [&](std::uint64_t offset, Index lines, Index length, std::size_t size) {
    std::uint64_t end = 0;
    if (lines < 0 || length < 0 ||
        __builtin_mul_overflow(static_cast<std::uint64_t>(lines),
                               static_cast<std::uint64_t>(length), &end) ||
        __builtin_mul_overflow(end, size, &end) || __builtin_add_overflow(end, offset, &end) ||
        end > view.file->size())
      throw Error(fmt::format("has {} bytes, too few for a table of {} x {}", view.file->size(),
                              view.rows, view.cols))
          .in(view.file->name());
  };
  if (view.sparse) {
    check(view.values, view.entries, 1, size_of(view.scalar));
    check(view.inner, view.entries, 1, sizeof(std::int32_t));
    check(view.outer, view.rows + 1, 1, sizeof(std::int64_t));
  } else {
    check_lines(view);
    const Index count = stored_lines(view), length = stored_length(view);
    const Index lines = count > 0 ? line_in_file(view, count - 1) + 1 : count;
    if (view.scalar == FileScalar::genotype)
      check(view.values, lines, static_cast<Index>(line_bytes(view.scalar, length)), 1);
    else
      check(view.values, lines, length, size_of(view.scalar));
    if (view.fill && static_cast<Index>(view.fill->size()) != view.cols)
      throw Error("the view of a file must have one number to fill in per column");
  }
}

FileView packed_genotypes(FileView view) {
  view.rows = static_cast<Index>(line_bytes(view.scalar, view.rows));
  view.scalar = FileScalar::uint8;
  view.fill.reset();
  return view;
}

FileView selected_columns(FileView view, std::span<const Index> columns) {
  const auto pick = [&]<class T>(const std::shared_ptr<const std::vector<T>>& from) {
    auto picked = std::make_shared<std::vector<T>>();
    for (const Index j : columns) picked->push_back((*from)[static_cast<std::size_t>(j)]);
    return picked;
  };
  if (view.lines)
    view.lines = pick(view.lines);
  else
    view.lines = std::make_shared<std::vector<Index>>(columns.begin(), columns.end());
  if (view.fill) view.fill = pick(view.fill);
  view.cols = static_cast<Index>(columns.size());
  return view;
}

DenseBlocks::DenseBlocks(const FileView& view, FileView::Order along, Index step)
    : view_(view),
      by_row_(along == FileView::Order::row),
      contiguous_(along == view.order),
      length_(by_row_ ? view.cols : view.rows),
      lines_([&] {
        const std::uint64_t most = view.memory / ReadAhead<DenseBlock>::kBuffers;
        const std::uint64_t room = contiguous_ ? std::min(most, kPiece) : most;
        // Genotypes across the lines of the file may begin and end within a byte.
        const std::uint64_t group =
            bytes_of(step * length_,
                     size_of(widened(view.scalar)) * (is_kept(view.scalar) ? 0 : 1)) +
            (contiguous_ ? bytes_of(step, line_bytes(view.scalar, length_))
                         : bytes_of(length_, line_bytes(view.scalar, step)));
        return step * static_cast<Index>(std::max<std::uint64_t>(room / group, 1));
      }()),
      ahead_([this](DenseBlock& block, const std::stop_token& stop) { return fill(block, stop); }) {
}

bool DenseBlocks::fill(DenseBlock& block, const std::stop_token& stop) {
  const Index lines = by_row_ ? view_.rows : view_.cols;
  if (first_ == lines) return false;
  block.first = first_;
  block.count = std::min(lines_, lines - first_);
  read(block, stop);
  view_.file->check_unchanged();
  first_ += block.count;

  const Index rows = by_row_ ? block.count : view_.rows, cols = by_row_ ? view_.cols : block.count;
  const auto numbers = static_cast<std::size_t>(rows * cols);
  const bool row_major = view_.order == FileView::Order::row;
  block.values = {.data = view_.scalar == FileScalar::genotype
                              ? decode(block)
                              : widen_block(view_.scalar, numbers, block.stored, block.kept),
                  .scalar = widened(view_.scalar),
                  .rows = rows,
                  .cols = cols,
                  .row_stride = row_major ? cols : 1,
                  .col_stride = row_major ? 1 : rows};
  return true;
}

void DenseBlocks::read(DenseBlock& block, const std::stop_token& stop) const {
  if (contiguous_) {
    const std::uint64_t line = line_bytes(view_.scalar, length_);
    char* to = block.stored.reserve(bytes_of(block.count, line));
    for (Index k = 0; k < block.count;) {
      const Index first = line_in_file(view_, block.first + k);
      Index run = 1;
      while (k + run < block.count && line_in_file(view_, block.first + k + run) == first + run)
        ++run;
      view_.file->read(view_.values + bytes_of(first, line), to, bytes_of(run, line));
      to += bytes_of(run, line);
      k += run;
    }
    return;
  }
  const std::uint64_t line = line_bytes(view_.scalar, by_row_ ? view_.rows : view_.cols);
  const std::uint64_t piece = piece_bytes(block),
                      offset = offset_in_line(view_.scalar, block.first);
  char* to = block.stored.reserve(bytes_of(length_, piece));
  for (Index k = 0; k < length_ && !stop.stop_requested(); ++k, to += piece)
    view_.file->read(view_.values + bytes_of(line_in_file(view_, k), line) + offset, to, piece);
}

/// Of a line of the file that crosses the block.
std::uint64_t DenseBlocks::piece_bytes(const DenseBlock& block) const {
  return line_bytes(view_.scalar, skipped_before(view_.scalar, block.first) + block.count);
}

/// Genotypes as numbers, with what stands for missing ones.
const void* DenseBlocks::decode(DenseBlock& block) const {
  const Index lines = contiguous_ ? block.count : length_;
  const Index length = contiguous_ ? length_ : block.count;
  const Index skipped = contiguous_ ? 0 : skipped_before(view_.scalar, block.first);
  const std::uint64_t stored = contiguous_ ? line_bytes(view_.scalar, length) : piece_bytes(block);
  const bool by_column = view_.order == FileView::Order::column;
  const double* fill = view_.fill ? view_.fill->data() : nullptr;
  if (fill != nullptr && !by_row_) fill += block.first;  // of the block's first column
  auto* to =
      reinterpret_cast<double*>(block.kept.reserve(bytes_of(lines * length, sizeof(double))));
  for (Index k = 0; k < lines; ++k) {
    double* line = to + k * length;
    const double missing =
        fill != nullptr && by_column ? fill[k] : std::numeric_limits<double>::quiet_NaN();
    decode_genotypes<double>(block.stored.data() + bytes_of(k, stored), skipped, length,
                             {2, missing, 1, 0}, line);
    if (fill == nullptr || by_column) continue;
    for (Index i = 0; i < length; ++i)
      if (std::isnan(line[i])) line[i] = fill[i];
  }
  return to;
}

SparseBlocks::SparseBlocks(const FileView& view, Index step)
    : view_(view),
      step_(step),
      most_entries_(
          static_cast<Index>(std::min(view.memory / ReadAhead<SparseBlock>::kBuffers, kPiece) /
                             (bytes_per_number(view.scalar) + sizeof(std::int32_t)))),
      ahead_([this](SparseBlock& block, const std::stop_token&) { return fill(block); }) {}

bool SparseBlocks::fill(SparseBlock& block) {
  if (first_ == view_.rows) return false;
  if (first_ + 1 >= window_ + static_cast<Index>(offsets_.size())) read_offsets();
  const auto at = [this](Index row) { return offsets_[static_cast<std::size_t>(row - window_)]; };
  const Index end = window_ + static_cast<Index>(offsets_.size()) - 1;
  block.first = first_;
  Index last = std::min(first_ + step_, end);
  while (last < end && at(std::min(last + step_, end)) - at(first_) <= most_entries_)
    last = std::min(last + step_, end);
  block.count = last - first_;
  if (at(last) - at(first_) > std::numeric_limits<std::int32_t>::max())
    reject(view_, "its rows are too long");
  block.outer.clear();
  for (Index row = first_; row <= last; ++row)
    block.outer.push_back(static_cast<std::int32_t>(at(row) - at(first_)));
  read_entries(block);
  view_.file->check_unchanged();
  first_ = last;
  return true;
}

/// Offsets of the rows from first_ on, a multiple of the step.
void SparseBlocks::read_offsets() {
  constexpr Index kRows = Index{1} << 16;
  window_ = first_;
  const Index rows = std::min(std::max(kRows / step_, Index{1}) * step_, view_.rows - first_);
  const auto before = offsets_.empty() ? 0 : offsets_.back();
  offsets_.resize(static_cast<std::size_t>(rows) + 1);
  view_.file->read(view_.outer + bytes_of(first_, sizeof(std::int64_t)),
                   reinterpret_cast<char*>(offsets_.data()),
                   offsets_.size() * sizeof(std::int64_t));
  if (offsets_.front() != before || offsets_.back() > view_.entries ||
      !std::is_sorted(offsets_.begin(), offsets_.end()))
    reject(view_, "the offsets of its rows do not rise from 0 to its number of entries");
}

void SparseBlocks::read_entries(SparseBlock& block) {
  const auto begin = offsets_[static_cast<std::size_t>(block.first - window_)];
  const auto count = static_cast<std::size_t>(block.outer.back());
  const std::size_t size = size_of(view_.scalar);
  view_.file->read(view_.inner + bytes_of(begin, sizeof(std::int32_t)),
                   block.inner.reserve(count * sizeof(std::int32_t)), count * sizeof(std::int32_t));
  view_.file->read(view_.values + bytes_of(begin, size), block.stored.reserve(count * size),
                   count * size);
  const auto* inner = reinterpret_cast<const std::int32_t*>(block.inner.data());
  for (std::size_t row = 0; row + 1 < block.outer.size(); ++row) {
    std::int64_t last = -1;
    for (std::int32_t k = block.outer[row]; k < block.outer[row + 1]; ++k) {
      if (inner[k] <= last || inner[k] >= view_.cols)
        reject(view_, fmt::format("the columns of row {} do not rise from 0 to {}",
                                  block.first + static_cast<Index>(row) + 1, view_.cols - 1));
      last = inner[k];
    }
  }
  block.values = {.major = SparseView::Major::row,
                  .rows = block.count,
                  .cols = view_.cols,
                  .values = widen_block(view_.scalar, count, block.stored, block.kept),
                  .scalar = widened(view_.scalar),
                  .inner = inner,
                  .outer = block.outer.data(),
                  .wide = false};
}

}  // namespace spcart
