#include <vector>

#include "linalg/polar.hpp"
#include "rotation/kernels.hpp"
#include "rotation/rotate_rows.hpp"
#include "spcart/rotate.hpp"

namespace spcart {
namespace {

// It is only a start: stop when the criterion grows by less than this part of itself. Data without
// structure is not worth more iterations.
constexpr double kTolerance = 1e-6;
constexpr int kMostIterations = 200;

/// What the sweep over a slice needs.
struct Slice {
  Matrix z;       ///< a panel of the rotated basis, then of the ascent
  Matrix ascent;  ///< V' times it, summed
};

}  // namespace

/// The criterion rises along V'(Z^3 - Z diag(Z'Z) / p), entry by entry, and columns of Z = V R have
/// unit length.
Matrix varimax_of_rows(const BasisPanels& basis, const RowPartition& partition, const Tick& tick) {
  const Index r = basis.components();
  const ThreadScope scope(threads_for(basis.variables(), r, r));
  const double spread = 1 / static_cast<double>(partition.total_rows());
  std::vector<Slice> slices;
  for (Index s = 0; s < basis.slices(); ++s)
    slices.push_back({Matrix(basis.panel_size(r), r), Matrix(r, r)});
  PolarSteps polar(r);
  Matrix rotation = Matrix::Identity(r, r), ascent(r, r);  // Z = V rotation
  Matrix criterion(1, 1);
  double before = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    tell(tick, 0, partition);
    for (Slice& slice : slices) slice.ascent.setZero();
    basis.for_panels(r, [&](Index place, Index first, Index count) {
      Slice& slice = slices[static_cast<std::size_t>(place)];
      auto z = slice.z.topRows(count);
      z.noalias() = basis.rows(first, count) * rotation;
      for (auto column : z.colwise())
        varimax_step(column.data(), static_cast<std::size_t>(count), spread);
      slice.ascent.noalias() += basis.transposed().topRows(r).middleCols(first, count) * z;
    });
    ascent = slices.front().ascent;
    for (std::size_t s = 1; s < slices.size(); ++s) ascent += slices[s].ascent;
    partition.sum(ascent);
    if (partition.is_root()) criterion(0) = polar(ascent, rotation);
    partition.broadcast(rotation);
    partition.broadcast(criterion);
    if (iteration > 0 && criterion(0) < before * (1 + kTolerance)) break;
    before = criterion(0);
  }
  return rotation.transpose();
}

Matrix varimax_rotation(ConstBlock v, const Tick& tick) {
  return varimax_of_rows(BasisPanels(v), RowPartition(v.rows()), tick);
}

void tell(const Tick& tick, double fraction, const RowPartition& partition) {
  partition.collectively([&] {
    if (tick) tick(fraction);
  });
}

}  // namespace spcart
