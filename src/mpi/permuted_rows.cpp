#include "mpi/permuted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/at.hpp"
#include "base/random.hpp"
#include "data/permutation.hpp"
#include "data/resample.hpp"
#include "mpi/check.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "table/stored_values.hpp"
#include "table/with_scalar.hpp"

namespace spcart::mpi {
namespace {

/// The values of all variables on this rank, one variable after the other.
struct Columns {
  std::vector<Index> begin;  ///< of each variable, and the end of the last
  double* values = nullptr;

  Index count(Index j) const { return begin[at(j) + 1] - begin[at(j)]; }
};

std::vector<Index> begins_of(const std::vector<Index>& counts) {
  std::vector<Index> begin(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), begin.begin() + 1);
  return begin;
}

/// The sums over ranks, on every rank.
std::vector<Index> sums(const Ranks& ranks, const std::vector<Index>& own) {
  std::vector<Index> all(own.size());
  check(MPI_Allreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_SUM,
                      ranks.communicator()),
        "sum");
  return all;
}

/// Consecutive variables, which one rank shuffles.
struct Chunk {
  Index first = 0, last = 0;  ///< `last` is the one after it
};

/// All variables in chunks of a limited number of values, so that buffers stay small; with fewer
/// variables than that, they are divided evenly over the ranks.
std::vector<Chunk> chunks_of(const std::vector<Index>& totals, int ranks) {
  constexpr Index kValues = Index{1} << 20;
  const auto p = static_cast<Index>(totals.size());
  const Index most = (p + ranks - 1) / ranks;
  std::vector<Chunk> chunks;
  Index values = 0;
  for (Index j = 0; j < p; ++j) {
    const bool full =
        !chunks.empty() && (values + totals[at(j)] > kValues || j - chunks.back().first == most);
    if (chunks.empty() || full) {
      chunks.push_back({j, j});
      values = 0;
    }
    chunks.back().last = j + 1;
    values += totals[at(j)];
  }
  return chunks;
}

/// Sends parts of `from` to the ranks, and gets theirs. Counts and offsets are those of each rank.
template <class T>
void exchange(const Ranks& ranks, const T* from, const std::vector<int>& sent,
              const std::vector<int>& from_offsets, T* to, const std::vector<int>& received,
              const std::vector<int>& to_offsets) {
  MPI_Datatype type = std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT64_T;
  check(MPI_Alltoallv(from, sent.data(), from_offsets.data(), type, to, received.data(),
                      to_offsets.data(), type, ranks.communicator()),
        "exchange");
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return offsets;
}

/// Shuffles the values of each variable over all ranks: takes them from `from` and distributes them
/// to `to`, whose counts add up to the same totals.
class Shuffle {
 public:
  Shuffle(const Ranks& ranks, const std::vector<Index>& totals, const Columns& from,
          const Columns& to, Random random)
      : ranks_(ranks),
        size_(at(ranks.size())),
        totals_(totals),
        from_(from),
        to_(to),
        random_(random) {}

  void run(const Tick& tick) {
    ranks_.together([&] { check_totals(); });
    const std::vector<Chunk> chunks = chunks_of(totals_, ranks_.size());
    for (std::size_t first = 0; first < chunks.size(); first += size_) {
      // A chunk for each rank; the last ones may get none.
      std::vector<Chunk> now(
          chunks.begin() + static_cast<std::ptrdiff_t>(first),
          chunks.begin() + static_cast<std::ptrdiff_t>(std::min(first + size_, chunks.size())));
      now.resize(size_, {now.back().last, now.back().last});
      ranks_.together([&] {
        if (tick) tick(static_cast<double>(first) / static_cast<double>(chunks.size()));
        allocate(now[at(ranks_.rank())]);
      });
      shuffle_chunks(now);
    }
  }

 private:
  void check_totals() const {
    const Index most = std::ranges::max(totals_);
    if (most > std::numeric_limits<int>::max() / ranks_.size())
      throw Error(fmt::format("a variable with {} values is too long to be permuted over {} ranks",
                              most, ranks_.size()));
  }

  void allocate(const Chunk& own) {
    const auto width = at(own.last - own.first);
    before_.resize(size_ * width);
    after_.resize(size_ * width);
    const Index values =
        std::accumulate(totals_.begin() + own.first, totals_.begin() + own.last, Index{0});
    gathered_.resize(at(values));
    shuffled_.resize(at(values));
    values_.reserve(at(std::ranges::max(totals_)));
  }

  /// How many values of each variable of this rank's chunk every rank has in `columns`: rank after
  /// rank.
  void gather_counts(const Columns& columns, const std::vector<Chunk>& chunks,
                     std::vector<Index>& counts) const {
    const Index begin = chunks.front().first;
    std::vector<Index> own;
    for (Index j = begin; j < chunks.back().last; ++j) own.push_back(columns.count(j));
    const Chunk& mine = chunks[at(ranks_.rank())];
    std::vector<int> sent, offsets;
    for (const Chunk& chunk : chunks) {
      sent.push_back(static_cast<int>(chunk.last - chunk.first));
      offsets.push_back(static_cast<int>(chunk.first - begin));
    }
    const std::vector<int> received(size_, static_cast<int>(mine.last - mine.first));
    exchange(ranks_, own.data(), sent, offsets, counts.data(), received, offsets_of(received));
  }

  /// Numbers of values that go to, or come from, the ranks that own the chunks.
  static std::vector<int> counts_of(const Columns& columns, const std::vector<Chunk>& chunks) {
    std::vector<int> counts;
    counts.reserve(chunks.size());
    for (const Chunk& chunk : chunks)
      counts.push_back(
          static_cast<int>(columns.begin[at(chunk.last)] - columns.begin[at(chunk.first)]));
    return counts;
  }

  /// Numbers of values of this rank's chunk on each rank.
  std::vector<int> sums_of(const std::vector<Index>& counts) const {
    const std::size_t width = counts.size() / size_;
    std::vector<int> sums;
    for (std::size_t rank = 0; rank < size_; ++rank)
      sums.push_back(static_cast<int>(std::accumulate(
          counts.begin() + static_cast<std::ptrdiff_t>(rank * width),
          counts.begin() + static_cast<std::ptrdiff_t>((rank + 1) * width), Index{0})));
    return sums;
  }

  void shuffle_chunks(const std::vector<Chunk>& chunks) {
    gather_counts(from_, chunks, before_);
    gather_counts(to_, chunks, after_);
    const Index first = chunks.front().first;
    const std::vector<int> sent = counts_of(from_, chunks), returned = counts_of(to_, chunks);
    const std::vector<int> arrived = sums_of(before_), leaving = sums_of(after_);
    exchange(ranks_, from_.values + from_.begin[at(first)], sent, offsets_of(sent),
             gathered_.data(), arrived, offsets_of(arrived));
    shuffle_own(chunks[at(ranks_.rank())], offsets_of(arrived), offsets_of(leaving));
    exchange(ranks_, shuffled_.data(), leaving, offsets_of(leaving),
             to_.values + to_.begin[at(first)], returned, offsets_of(returned));
  }

  /// From `gathered_`, ordered by rank and variable, to `shuffled_`, ordered in the same way.
  void shuffle_own(const Chunk& own, std::vector<int> arrived, std::vector<int> leaving) {
    const auto width = at(own.last - own.first);
    for (std::size_t k = 0; k < width; ++k) {
      values_.clear();
      for (std::size_t rank = 0; rank < size_; ++rank) {
        const auto count = static_cast<int>(before_[rank * width + k]);
        const double* begin = gathered_.data() + arrived[rank];
        values_.insert(values_.end(), begin, begin + count);
        arrived[rank] += count;
      }
      const Index j = own.first + static_cast<Index>(k);
      for (; next_ < j; ++next_) random_.skip(std::max<Index>(totals_[at(next_)] - 1, 0));
      shuffle(values_.data(), totals_[at(j)], random_);
      next_ = j + 1;
      const double* next = values_.data();
      for (std::size_t rank = 0; rank < size_; ++rank) {
        const Index count = after_[rank * width + k];
        std::copy_n(next, count, shuffled_.data() + leaving[rank]);
        next += count;
        leaving[rank] += static_cast<int>(count);
      }
    }
  }

  const Ranks& ranks_;
  std::size_t size_;
  const std::vector<Index>& totals_;
  const Columns &from_, &to_;
  Random random_;
  Index next_ = 0;                     ///< the variable whose draws are next
  std::vector<Index> before_, after_;  ///< values of each variable of this rank's chunk, by rank
  std::vector<double> gathered_, shuffled_, values_;
};

/// Writes the rows, less their means, in double.
void copy_rows(const LocalRows& local, Matrix& to) {
  Index row = 0;
  local.for_each_part([&](const auto& view, const Vector& row_means) {
    auto rows = to.middleRows(row, view.rows);
    if constexpr (std::is_same_v<std::decay_t<decltype(view)>, DenseView>)
      with_scalar(view.scalar, [&]<class T>(T) {
        const auto put = [&](Index i, Index j, T value) {
          rows(i, j) = static_cast<double>(value);
        };
        for_each_value<T>(view, put);
      });
    if (row_means.size() > 0) rows.colwise() -= row_means;
    row += view.rows;
  });
}

std::optional<Table> permuted_dense(const Ranks& ranks, const LocalRows& local, Index rows,
                                    std::uint64_t seed, const Tick& tick) {
  Matrix copy;
  Columns columns;
  ranks.together([&] {
    check_room_for_copy(local.rows(), local.cols(),
                        available_memory() / static_cast<std::uint64_t>(ranks.on_this_host()));
    copy.resize(local.rows(), local.cols());
    copy_rows(local, copy);
    columns = {begins_of(std::vector<Index>(at(local.cols()), local.rows())), copy.data()};
  });
  const std::vector<Index> totals(at(local.cols()), rows);
  Shuffle(ranks, totals, columns, columns, Random(seed)).run(tick);
  if (local.rows() == 0) return {};
  return make_table(std::move(copy));
}

/// The entries of each variable, in the order of their rows.
struct SparseColumns {
  std::vector<std::int64_t> inner, outer;
  std::vector<double> values;
};

template <class Visit>
void for_each_entry_of(const LocalRows& local, Visit visit) {
  local.for_each_part([&](const auto& view, const Vector&) {
    if constexpr (std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
      with_scalar(view.scalar, [&]<class T>(T) {
        const auto entry = [&](Index, Index j, T value) { visit(j, static_cast<double>(value)); };
        for_each_value<T>(view, entry);
      });
  });
}

std::vector<Index> entry_counts(const LocalRows& local) {
  std::vector<Index> counts(at(local.cols()), 0);
  for_each_entry_of(local, [&](Index j, double) { ++counts[at(j)]; });
  return counts;
}

std::vector<double> entries_by_column(const LocalRows& local, std::vector<Index> next) {
  std::vector<double> values(at(next.back()));
  for_each_entry_of(local, [&](Index j, double value) { values[at(next[at(j)]++)] = value; });
  return values;
}

/// Draws the rows of all entries, and keeps those from `first` to `last - 1`.
void draw_rows(const std::vector<Index>& totals, Index rows, Index first, Index last,
               Random& random, SparseColumns& to) {
  RowDraw<std::int64_t> draw(rows);
  std::vector<std::int64_t> drawn(at(std::ranges::max(totals)));
  to.outer.push_back(0);
  for (const Index total : totals) {
    draw.draw(total, random, drawn.data());
    const auto end = drawn.begin() + total;
    const auto own = std::lower_bound(drawn.begin(), end, first);
    const auto beyond = std::lower_bound(own, end, last);
    std::transform(own, beyond, std::back_inserter(to.inner),
                   [&](std::int64_t row) { return row - first; });
    to.outer.push_back(static_cast<std::int64_t>(to.inner.size()));
  }
  to.values.resize(to.inner.size());
}

std::optional<Table> permuted_sparse(const Ranks& ranks, const LocalRows& local, Index first,
                                     Index rows, std::uint64_t seed, const Tick& tick) {
  std::vector<Index> counts;
  ranks.together([&] { counts = entry_counts(local); });
  const std::vector<Index> totals = sums(ranks, counts);
  const auto result = std::make_shared<SparseColumns>();
  std::vector<double> values;
  Columns from, to;
  Random random(seed);
  ranks.together([&] {
    draw_rows(totals, rows, first, first + local.rows(), random, *result);
    from.begin = begins_of(counts);
    values = entries_by_column(local, from.begin);
    from.values = values.data();
    to = {{result->outer.begin(), result->outer.end()}, result->values.data()};
  });
  Shuffle(ranks, totals, from, to, random).run(tick);
  if (local.rows() == 0) return {};
  Table table;
  table.values = SparseView{.major = SparseView::Major::column,
                            .rows = local.rows(),
                            .cols = local.cols(),
                            .values = result->values.data(),
                            .scalar = Scalar::float64,
                            .inner = result->inner.data(),
                            .outer = result->outer.data(),
                            .wide = true,
                            .owner = result};
  return table;
}

/// Whether the rows of all ranks are sparse. Throws if only some are.
bool all_sparse(const Ranks& ranks, const LocalRows& local) {
  constexpr Index kDense = 1, kSparse = 2;
  Index own = 0;
  local.for_each_part([&](const auto& view, const Vector&) {
    own |= std::is_same_v<std::decay_t<decltype(view)>, SparseView> ? kSparse : kDense;
  });
  Index kinds = 0;
  for (const Index theirs : ranks.all(own)) kinds |= theirs;
  ranks.together([&] {
    if (kinds == (kDense | kSparse))
      throw Error("some rows are dense and some are sparse: they cannot be permuted together");
  });
  return kinds == kSparse;
}

}  // namespace

PermutedRows permuted_rows(const Ranks& ranks, const LocalRows& local,
                           const std::vector<Index>& counts, std::uint64_t seed, const Tick& tick) {
  const std::vector<Index> begin = begins_of(counts);
  if (all_sparse(ranks, local))
    return {permuted_sparse(ranks, local, begin[at(ranks.rank())], begin.back(), seed, tick),
            false};
  return {permuted_dense(ranks, local, begin.back(), seed, tick), true};
}

}  // namespace spcart::mpi
