#include "mpi/row_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "mpi/check.hpp"
#include "spcart/error.hpp"

namespace spcart::mpi {
namespace {

/// Counts and offsets of rows, as MPI expects them.
std::vector<int> for_mpi(const RowLayout& layout, const std::vector<Index>& numbers) {
  if (layout.rows > std::numeric_limits<int>::max())
    throw Error(fmt::format("{} rows are too many to be brought to one rank", layout.rows));
  return {numbers.begin(), numbers.end()};
}

/// A row with this many columns, if samples are columns.
struct RowType {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  explicit RowType(Index columns) {
    check(MPI_Type_contiguous(static_cast<int>(columns), MPI_DOUBLE, &type), "make a type");
    check(MPI_Type_commit(&type), "make a type");
  }
  ~RowType() { MPI_Type_free(&type); }
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;
};

}  // namespace

RowLayout layout_of(const Ranks& ranks, const LocalRows& local) {
  RowLayout layout;
  layout.counts = ranks.all(local.rows());
  layout.firsts.resize(layout.counts.size());
  std::exclusive_scan(layout.counts.begin(), layout.counts.end(), layout.firsts.begin(), Index{0});
  layout.rows = layout.firsts.back() + layout.counts.back();
  layout.cols = local.cols();
  for (const Index entries : ranks.all(static_cast<Index>(local.entries())))
    layout.entries += static_cast<double>(entries);
  for (const Index in_memory : ranks.all(local.in_memory() ? 1 : 0))
    layout.in_memory = layout.in_memory && in_memory == 1;
  return layout;
}

void gather_rows(const Ranks& ranks, const RowLayout& layout, const Matrix& rows, Block y) {
  const std::vector<int> counts = for_mpi(layout, layout.counts),
                         firsts = for_mpi(layout, layout.firsts);
  const RowType row(rows.cols());
  const Matrix mine = rows.transpose();
  Matrix all(rows.cols(), ranks.is_root() ? layout.rows : 0);
  check(MPI_Gatherv(mine.data(), static_cast<int>(mine.cols()), row.type, all.data(), counts.data(),
                    firsts.data(), row.type, 0, ranks.communicator()),
        "gather");
  if (ranks.is_root()) y = all.transpose();
}

Matrix scatter_rows(const Ranks& ranks, const RowLayout& layout, const Matrix& y) {
  const std::vector<int> counts = for_mpi(layout, layout.counts),
                         firsts = for_mpi(layout, layout.firsts);
  const RowType row(y.cols());
  const Matrix all = y.transpose();
  Matrix mine(y.cols(), layout.counts[at(ranks.rank())]);
  check(MPI_Scatterv(all.data(), counts.data(), firsts.data(), row.type, mine.data(),
                     static_cast<int>(mine.cols()), row.type, 0, ranks.communicator()),
        "scatter");
  return mine.transpose();
}

std::vector<Index> scatter_indices(const Ranks& ranks, const RowLayout& layout,
                                   const std::vector<Index>& rows) {
  std::vector<int> counts, firsts;
  if (ranks.is_root())
    for (std::size_t rank = 0; rank < layout.counts.size(); ++rank) {
      const auto begin = std::ranges::lower_bound(rows, layout.firsts[rank]);
      const auto end = std::ranges::lower_bound(rows, layout.firsts[rank] + layout.counts[rank]);
      firsts.push_back(static_cast<int>(begin - rows.begin()));
      counts.push_back(static_cast<int>(end - begin));
    }
  int count = 0;
  check(MPI_Scatter(counts.data(), 1, MPI_INT, &count, 1, MPI_INT, 0, ranks.communicator()),
        "scatter");
  std::vector<Index> own(static_cast<std::size_t>(count));
  check(MPI_Scatterv(rows.data(), counts.data(), firsts.data(), MPI_INT64_T, own.data(), count,
                     MPI_INT64_T, 0, ranks.communicator()),
        "scatter");
  for (Index& row : own) row -= layout.firsts[at(ranks.rank())];
  return own;
}

}  // namespace spcart::mpi
