#include <vector>

#include "linalg/polar.hpp"
#include "rotation/kernels.hpp"
#include "rotation/rotate_rows.hpp"
#include "spcart/rotate.hpp"

namespace spcart {
namespace {

// It is only a start: stop when the criterion grows by less than this part of itself. Data without
// structure is not worth more turns.
constexpr double kTolerance = 1e-6;
constexpr int kMostTurns = 200;

/// What the sweep over a slice needs.
struct Slice {
  Matrix z;       ///< a panel of the rotated basis, then of the ascent
  Matrix ascent;  ///< V' times it, summed
};

}  // namespace

/// The criterion rises along V'(Z^3 - Z diag(Z'Z) / p), entry by entry, and columns of Z = V R have
/// unit length.
Matrix varimax_of_rows(const BasisPanels& basis, const Tick& tick, const OtherRows* others) {
  const Index r = basis.components();
  const ThreadScope scope(threads_for(basis.variables(), r, r));
  const double spread = 1 / static_cast<double>(others ? others->all() : basis.variables());
  std::vector<Slice> slices;
  for (Index s = 0; s < basis.slices(); ++s)
    slices.push_back({Matrix(basis.panel_size(r), r), Matrix(r, r)});
  PolarSteps polar(r);
  Matrix rotation = Matrix::Identity(r, r), ascent(r, r);  // Z = V rotation
  Matrix criterion(1, 1);
  double before = 0;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    tell(tick, 0, others);
    for (Slice& slice : slices) slice.ascent.setZero();
    basis.for_panels(r, [&](Index place, Index first, Index count) {
      Slice& slice = slices[static_cast<std::size_t>(place)];
      auto z = slice.z.topRows(count);
      z.noalias() = basis.rows(first, count) * rotation;
      for (auto column : z.colwise())
        ascend(column.data(), static_cast<std::size_t>(count), spread);
      slice.ascent.noalias() += basis.transposed().topRows(r).middleCols(first, count) * z;
    });
    ascent = slices.front().ascent;
    for (std::size_t s = 1; s < slices.size(); ++s) ascent += slices[s].ascent;
    if (others) others->sum(ascent);
    if (!others || others->is_first()) criterion(0) = polar(ascent, rotation);
    if (others) others->take_from_first(rotation);
    if (others) others->take_from_first(criterion);
    if (turn > 0 && criterion(0) < before * (1 + kTolerance)) break;
    before = criterion(0);
  }
  return rotation.transpose();
}

Matrix varimax_rotation(ConstBlock v, const Tick& tick) {
  return varimax_of_rows(BasisPanels(v), tick, nullptr);
}

void tell(const Tick& tick, double fraction, const OtherRows* others) {
  const auto call = [&] {
    if (tick) tick(fraction);
  };
  others ? others->together(call) : call();
}

}  // namespace spcart
