#include "mpi/spread_rotation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/check.hpp"
#include "rotation/rotate_rows.hpp"

namespace spcart::mpi {
namespace {

/// The rows of V on the ranks: as even as possible, those of rank 0 first.
class SpreadRows final : public RowPartition {
 public:
  SpreadRows(const Ranks& ranks, Index rows) : RowPartition(rows), ranks_(ranks) {}

  Index first(int rank) const {
    const Index share = total_rows() / ranks_.size(), more = total_rows() % ranks_.size();
    return share * rank + std::min<Index>(rank, more);
  }
  Index count(int rank) const { return first(rank + 1) - first(rank); }

  bool is_whole() const override { return false; }

  /// Via the root, so that all get the same bits.
  void sum(Block numbers) const override {
    ranks_.sum_at_root(numbers);
    ranks_.broadcast(numbers);
  }

  Vector sum_before(const Vector& numbers) const override {
    Vector before = Vector::Zero(numbers.size());
    check(MPI_Exscan(numbers.data(), before.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                     MPI_SUM, ranks_.communicator()),
          "sum");
    return ranks_.is_root() ? Vector(Vector::Zero(numbers.size())) : before;
  }

  bool is_root() const override { return ranks_.is_root(); }
  void broadcast(Block numbers) const override { ranks_.broadcast(numbers); }
  void collectively(const std::function<void()>& work) const override { ranks_.together(work); }

 private:
  const Ranks& ranks_;
};

/// One column of V after the other, so that no copy of all of it is made.
Matrix scattered(const Ranks& ranks, const SpreadRows& rows, ConstBlock v, Index columns) {
  std::vector<int> counts, firsts;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    counts.push_back(static_cast<int>(rows.count(rank)));
    firsts.push_back(static_cast<int>(rows.first(rank)));
  }
  Matrix own(rows.count(ranks.rank()), columns);
  for (Index i = 0; i < columns; ++i)
    check(MPI_Scatterv(ranks.is_root() ? v.col(i).data() : nullptr, counts.data(), firsts.data(),
                       MPI_DOUBLE, own.col(i).data(), static_cast<int>(own.rows()), MPI_DOUBLE, 0,
                       ranks.communicator()),
          "scatter");
  return own;
}

std::vector<RotateOptions> common(const Ranks& ranks, std::span<const RotateOptions> settings) {
  std::vector<RotateOptions> same(ranks.broadcast(settings.size()));
  for (std::size_t k = 0; k < same.size(); ++k) {
    if (ranks.is_root()) same[k] = settings[k];
    RotateOptions& o = same[k];
    o.truncation.type = ranks.broadcast(o.truncation.type);
    o.truncation.lambda = ranks.broadcast(o.truncation.lambda);
    o.start = ranks.broadcast(o.start);
    o.tolerance = ranks.broadcast(o.tolerance);
    o.max_iterations = ranks.broadcast(o.max_iterations);
    o.seed = ranks.broadcast(o.seed);
    const Index size = ranks.broadcast(o.from.rows());
    o.from.conservativeResize(size, size);
    ranks.broadcast(Block(o.from));
  }
  return same;
}

template <class T>
std::string bytes_of(const T* numbers, Index count) {
  return {reinterpret_cast<const char*>(numbers), static_cast<std::size_t>(count) * sizeof(T)};
}

/// Adds the entries of a rank's own rows, whose indices begin at 0, at their indices in the whole.
void add_entries(const std::vector<std::string>& columns, const std::vector<std::string>& rows,
                 const std::vector<std::string>& values, const SpreadRows& spread, Loadings& x) {
  std::vector<Eigen::Triplet<double, Index>> entries;
  for (int rank = 0; rank < static_cast<int>(rows.size()); ++rank) {
    const auto k = static_cast<std::size_t>(rank);
    const auto* starts = reinterpret_cast<const Index*>(columns[k].data());
    const auto* indices = reinterpret_cast<const Index*>(rows[k].data());
    const auto* numbers = reinterpret_cast<const double*>(values[k].data());
    for (Index i = 0; i < x.cols(); ++i)
      for (Index at = starts[i]; at < starts[i + 1]; ++at)
        entries.emplace_back(spread.first(rank) + indices[at], i, numbers[at]);
  }
  x.setFromTriplets(entries.begin(), entries.end());
}

Loadings gathered(const Ranks& ranks, const SpreadRows& spread, Loadings own) {
  own.makeCompressed();
  const auto columns = ranks.gather(bytes_of(own.outerIndexPtr(), own.cols() + 1));
  const auto rows = ranks.gather(bytes_of(own.innerIndexPtr(), own.nonZeros()));
  const auto values = ranks.gather(bytes_of(own.valuePtr(), own.nonZeros()));
  Loadings x(spread.total_rows(), own.cols());
  if (ranks.is_root()) add_entries(columns, rows, values, spread, x);
  return x;
}

}  // namespace

std::vector<RotationResult> spread_rotation(const Ranks& ranks, ConstBlock v,
                                            std::span<const RotateOptions> settings,
                                            const Tick& tick) {
  const SpreadRows spread(ranks, ranks.broadcast(v.rows()));
  const Matrix own = scattered(ranks, spread, v, ranks.broadcast(v.cols()));
  std::vector<RotationResult> all =
      rotate_rows(BasisPanels(own), spread, common(ranks, settings), tick);
  for (RotationResult& rotated : all) rotated.loadings = gathered(ranks, spread, rotated.loadings);
  return all;
}

}  // namespace spcart::mpi
