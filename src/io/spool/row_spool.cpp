#include "io/spool/row_spool.hpp"

namespace spcart::io {

RowSpool::RowSpool(Index rows, Index cols, std::uint64_t most_entries, std::uint64_t reserved,
                   Cache& cache)
    : rows_(rows),
      cols_(cols),
      most_entries_(most_entries),
      cache_(cache),
      list_(rows, cols, room_for_entries(cache, rows, cols, reserved)) {}

void RowSpool::move_to_file() {
  writer_.emplace(cache_, rows_, cols_, most_entries_);
  list_.drain([&](std::uint64_t key, double value) {
    writer_->put(list_.row(key), list_.col(key), value);
  });
}

decltype(Table::values) RowSpool::finish() {
  if (!writer_ && cache_.room(cols_) > 0) return list_.compress();
  if (!writer_) move_to_file();
  return writer_->finish();
}

}  // namespace spcart::io
