#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "io/spool/entry_list.hpp"
#include "io/spool/spool.hpp"

namespace spcart::io {

/// The entries of a sparse table in any order: in memory as long as there is room. Further entries
/// are written to a file in sorted runs, which are merged at the end.
class EntrySpool {
 public:
  /// `reserved`: bytes of the room that others use meanwhile.
  EntrySpool(Index rows, Index cols, Cache& cache, std::uint64_t reserved = 0);

  void add(std::int32_t row, std::int32_t col, double value) {
    if (list_.add(row, col, value)) return;
    write_run();
    list_.add(row, col, value);
  }

  /// The table of the entries. The spool must not be used afterwards.
  decltype(Table::values) finish();

 private:
  struct Entry {
    std::uint64_t key = 0;  ///< row and column, as the list orders them
    double value = 0;
  };
  struct Run {
    std::uint64_t first = 0, last = 0;  ///< entries of the file
  };
  class RunReader;

  void write_run();
  FileView merge();

  Index rows_, cols_;
  Cache& cache_;
  std::uint64_t room_;
  EntryList list_;
  std::unique_ptr<TemporaryFile> file_;  ///< of the runs
  std::vector<Run> runs_;
};

}  // namespace spcart::io
