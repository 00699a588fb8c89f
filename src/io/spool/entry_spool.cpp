#include "io/spool/entry_spool.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "table/open_file.hpp"

namespace spcart::io {

/// Reads a run from the first to the last entry.
class EntrySpool::RunReader {
 public:
  RunReader(std::shared_ptr<const OpenFile> file, Run run, std::size_t buffered)
      : file_(std::move(file)), run_(run), buffered_(buffered) {}

  /// Advances to the next entry; false at the end.
  bool next() {
    if (at_ + 1 < buffer_.size()) return ++at_, true;
    const auto count = std::min<std::uint64_t>(buffered_, run_.last - run_.first);
    if (count == 0) return false;
    buffer_.resize(count);
    file_->read(run_.first * sizeof(Entry), reinterpret_cast<char*>(buffer_.data()),
                count * sizeof(Entry));
    run_.first += count;
    at_ = 0;
    return true;
  }

  const Entry& entry() const { return buffer_[at_]; }

 private:
  std::shared_ptr<const OpenFile> file_;
  Run run_;  ///< the part that is not yet in the buffer
  std::size_t buffered_;
  std::vector<Entry> buffer_;
  std::size_t at_ = 0;
};

EntrySpool::EntrySpool(Index rows, Index cols, Cache& cache, std::uint64_t reserved)
    : rows_(rows),
      cols_(cols),
      cache_(cache),
      room_(room_for_entries(cache, rows, cols, reserved)),
      list_(rows, cols, room_) {}

void EntrySpool::write_run() {
  if (!file_) {
    file_ = cache_.new_file();
    file_->make_nameless();
  }
  const std::uint64_t first = runs_.empty() ? 0 : runs_.back().last;
  Run run{first, first};
  FileStream stream(*file_, first * sizeof(Entry));
  list_.drain([&](std::uint64_t key, double value) {
    const Entry entry{key, value};
    stream.put(&entry, sizeof(entry));
    ++run.last;
  });
  stream.flush();
  runs_.push_back(run);
}

/// Entries with the same key are summed in the order of their runs.
FileView EntrySpool::merge() {
  const auto file = file_->open("the copy of the entries");
  const std::uint64_t total = runs_.back().last;
  const std::size_t buffered =
      std::clamp<std::size_t>(room_ / 2 / runs_.size() / sizeof(Entry), 64, std::size_t{1} << 18);
  std::vector<RunReader> readers;
  for (const Run run : runs_) readers.emplace_back(file, run, buffered);
  using Head = std::pair<std::uint64_t, std::size_t>;  // the key and the run
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto advance = [&](std::size_t run) {
    if (readers[run].next()) heads.emplace(readers[run].entry().key, run);
  };
  for (std::size_t run = 0; run < readers.size(); ++run) advance(run);

  SparseWriter writer(cache_, rows_, cols_, total);
  while (!heads.empty()) {
    const std::uint64_t key = heads.top().first;
    double sum = 0;
    while (!heads.empty() && heads.top().first == key) {
      const std::size_t run = heads.top().second;
      heads.pop();
      sum += readers[run].entry().value;
      advance(run);
    }
    writer.put(list_.row(key), list_.col(key), sum);
  }
  return writer.finish();
}

decltype(Table::values) EntrySpool::finish() {
  if (runs_.empty() && cache_.room(cols_) > 0) return list_.compress();
  write_run();
  return merge();
}

}  // namespace spcart::io
