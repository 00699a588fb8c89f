#pragma once

#include <cstdint>
#include <optional>

#include "io/spool/entry_list.hpp"
#include "io/spool/spool.hpp"

namespace spcart::io {

/// The entries of a sparse table row by row, in order and each once: in memory as long as there is
/// room, then in a file. It needs no sorted runs, as `EntrySpool` does.
class RowSpool {
 public:
  /// `reserved`: bytes of the room that others use meanwhile.
  RowSpool(Index rows, Index cols, std::uint64_t most_entries, std::uint64_t reserved,
           Cache& cache);

  void add(std::int32_t row, std::int32_t col, double value) {
    if (!writer_ && list_.add(row, col, value)) return;
    if (!writer_) move_to_file();
    writer_->put(row, col, value);
  }

  /// The table of the entries. The spool must not be used afterwards.
  decltype(Table::values) finish();

 private:
  void move_to_file();

  Index rows_, cols_;
  std::uint64_t most_entries_;
  Cache& cache_;
  EntryList list_;
  std::optional<SparseWriter> writer_;  ///< once they are too many for memory
};

}  // namespace spcart::io
