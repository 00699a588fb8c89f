#include <vector>

#include "linalg/polar.hpp"
#include "rotation/kernels.hpp"
#include "rotation/rotate_rows.hpp"
#include "spcart/rotate.hpp"

namespace spcart {
namespace {

// It is only a start: stop when the criterion grows by less than this fraction. Data without
// structure is not worth more iterations.
constexpr double kTolerance = 1e-6;
constexpr int kMostIterations = 200;

/// The working space of a slice.
struct Slice {
  Matrix z;         ///< a panel of the rotated basis, then of the gradient
  Matrix gradient;  ///< V' times it, summed
};

}  // namespace

/// The gradient of the criterion is V'(Z^3 - Z diag(Z'Z) / p), with entrywise powers, and columns
/// of Z = V R have unit length.
Matrix varimax_of_rows(const BasisPanels& basis, const RowPartition& partition, const Tick& tick) {
  const Index r = basis.components();
  const ThreadScope scope(threads_for(basis.variables(), r, r));
  const double spread = 1 / static_cast<double>(partition.total_rows());
  std::vector<Slice> slices;
  for (Index s = 0; s < basis.slices(); ++s)
    slices.push_back({Matrix(basis.panel_size(r), r), Matrix(r, r)});
  PolarSteps polar(r);
  Matrix rotation = Matrix::Identity(r, r), gradient(r, r);  // Z = V rotation
  Matrix criterion(1, 1);
  double before = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    tick_on_all(tick, 0, partition);
    for (Slice& slice : slices) slice.gradient.setZero();
    basis.for_panels(r, [&](Index index, Index first, Index count) {
      Slice& slice = slices[static_cast<std::size_t>(index)];
      auto z = slice.z.topRows(count);
      z.noalias() = basis.rows(first, count) * rotation;
      for (auto column : z.colwise())
        varimax_step(column.data(), static_cast<std::size_t>(count), spread);
      slice.gradient.noalias() += basis.transposed().topRows(r).middleCols(first, count) * z;
    });
    gradient = slices.front().gradient;
    for (std::size_t s = 1; s < slices.size(); ++s) gradient += slices[s].gradient;
    partition.sum(gradient);
    if (partition.is_root()) criterion(0) = polar(gradient, rotation);
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

void tick_on_all(const Tick& tick, double fraction, const RowPartition& partition) {
  partition.collectively([&] {
    if (tick) tick(fraction);
  });
}

}  // namespace spcart
