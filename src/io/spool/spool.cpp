#include "io/spool/spool.hpp"

#include <algorithm>
#include <utility>

#include "io/text.hpp"
#include "spcart/memory.hpp"
#include "table/file_scalar.hpp"

namespace spcart::io {

NumberSpool::NumberSpool(Cache& cache, Scalar scalar, Index cols)
    : cache_(cache),
      scalar_(scalar),
      size_(size_of(scalar)),
      whole_room_(cache.room(cols)),
      room_(whole_room_) {}

void NumberSpool::make_room(std::size_t bytes) {
  others_ += bytes;
  if (!file_) room_ -= std::min<std::uint64_t>(room_, bytes);
  if (others_ > whole_room_ && cache_.is_limited())
    throw Error(fmt::format("the names of its samples take more than the {} that --memory leaves",
                            bytes_in_words(whole_room_)));
}

void NumberSpool::flush() {
  constexpr std::uint64_t kBuffer = std::uint64_t{1} << 23;
  if (!file_) file_ = cache_.new_file();
  file_->write_at(next_, values_.data(), values_.size());
  next_ += values_.size();
  if (room_ > kBuffer) values_ = {};
  room_ = kBuffer;
  values_.cut(0);
}

decltype(Table::values) NumberSpool::finish(Index rows, Index cols, FileView::Order order) {
  const bool by_row = order == FileView::Order::row;
  if (!file_) {
    auto owner = values_.release();
    return DenseView{.data = owner.get(),
                     .scalar = scalar_,
                     .rows = rows,
                     .cols = cols,
                     .row_stride = by_row ? cols : 1,
                     .col_stride = by_row ? 1 : rows,
                     .owner = owner};
  }
  flush();
  FileView layout;
  layout.scalar = static_cast<FileScalar>(scalar_);
  layout.rows = rows;
  layout.cols = cols;
  layout.order = order;
  layout.values = kCacheHeader;
  return cache_.adopt(std::move(file_), layout);
}

std::uint64_t room_for_entries(const Cache& cache, Index rows, Index cols, std::uint64_t reserved) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  const auto offsets = (static_cast<std::uint64_t>(rows) + 1) * sizeof(std::int64_t);
  const std::uint64_t room = cache.room(cols), others = offsets + reserved;
  return std::max(room > others ? room - others : 0, kLeast);
}

SparseWriter::SparseWriter(Cache& cache, Index rows, Index cols, std::uint64_t most_entries)
    : cache_(cache),
      layout_([&] {
        // Parts that are never written use no disk space.
        const auto aligned = [](std::uint64_t end) { return (end + 4095) / 4096 * 4096; };
        FileView layout;
        layout.sparse = true;
        layout.rows = rows;
        layout.cols = cols;
        layout.outer = kCacheHeader;
        layout.inner = aligned(layout.outer + (static_cast<std::uint64_t>(rows) + 1) * 8);
        layout.values = aligned(layout.inner + most_entries * 4);
        return layout;
      }()),
      file_(cache.new_file()),
      outer_(*file_, layout_.outer),
      inner_(*file_, layout_.inner),
      values_(*file_, layout_.values) {}

/// All rows up to `end` that have not begun yet begin here.
void SparseWriter::begin_rows(Index end) {
  const std::int64_t offset = layout_.entries;
  for (; begun_ < end; ++begun_) outer_.put(&offset, sizeof(offset));
}

void SparseWriter::put(Index row, std::int32_t col, double value) {
  begin_rows(row + 1);
  inner_.put(&col, sizeof(col));
  values_.put(&value, sizeof(value));
  ++layout_.entries;
}

FileView SparseWriter::finish() {
  begin_rows(layout_.rows + 1);
  for (FileStream* stream : {&outer_, &inner_, &values_}) stream->flush();
  return cache_.adopt(std::move(file_), layout_);
}

}  // namespace spcart::io
