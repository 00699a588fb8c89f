#include "rotation/sliced_loadings.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace spcart {
SlicedLoadings::SlicedLoadings(Index slices, Index r)
    : slices_(slices), components_(r), parts_(static_cast<std::size_t>(slices * r)) {}

void SlicedLoadings::clear(Index slice) {
  for (Index i = 0; i < components_; ++i) part(slice, i).size = 0;
}

std::size_t SlicedLoadings::Part::append(const double* z, std::int32_t first, std::int32_t count,
                                         const Threshold& threshold, double* zeroed) {
  const std::size_t room = size + static_cast<std::size_t>(count + kSpare);
  if (rows.size() < room) {
    rows.resize(std::max(room, 2 * rows.size()));
    values.resize(rows.size());
  }
  const std::size_t kept =
      keep_entries(z, first, count, threshold, rows.data() + size, values.data() + size, zeroed);
  size += kept;
  return kept;
}

void SlicedLoadings::measure(Vector& lengths, Vector& l1) const {
  lengths.setZero(components_);
  l1.setZero(components_);
  for (Index slice = 0; slice < slices_; ++slice)
    for (Index i = 0; i < components_; ++i) {
      const Part& x = part(slice, i);
      const auto values = Vector::Map(x.values.data(), static_cast<Index>(x.size));
      lengths[i] += values.squaredNorm();
      l1[i] += values.lpNorm<1>();
    }
  lengths = lengths.cwiseSqrt();
}

double SlicedLoadings::normalize(const Vector& lengths, const SlicedLoadings& other) {
  Vector sums = Vector::Zero(slices_);
  parallel_for(slices_, slices_ > 1, [&](Index slice) {
    for (Index i = 0; i < components_; ++i) {
      Part& x = part(slice, i);
      const Part& y = other.part(slice, i);
      sums[slice] += scale_and_compare({x.rows.data(), x.size}, x.values.data(),
                                       lengths[i] > 0 ? 1 / lengths[i] : 0, {y.rows.data(), y.size},
                                       y.values.data());
    }
  });
  return sums.sum();
}

void SlicedLoadings::take(const Loadings& x, const BasisPanels& basis) {
  for (Index i = 0; i < components_; ++i) {
    Index row = 0, slice = 0;
    for (Loadings::InnerIterator it(x, i); it; ++it) {
      while (basis.variable(row) < it.row()) ++row;
      while (row >= basis.end_of(slice)) ++slice;
      Part& to = part(slice, i);
      to.rows.push_back(static_cast<std::int32_t>(row));
      to.values.push_back(it.value());
      ++to.size;
    }
  }
}

Index SlicedLoadings::nonzeros() const {
  std::size_t count = 0;
  for (const Part& x : parts_) count += x.size;
  return static_cast<Index>(count);
}

Loadings SlicedLoadings::loadings(const BasisPanels& basis) const {
  Loadings x(basis.all_variables(), components_);
  x.reserve(nonzeros());
  for (Index i = 0; i < components_; ++i) {
    x.startVec(i);
    for (Index slice = 0; slice < slices_; ++slice) {
      const Part& from = part(slice, i);
      for (std::size_t k = 0; k < from.size; ++k)
        x.insertBack(basis.variable(from.rows[k]), i) = from.values[k];
    }
  }
  x.finalize();
  return x;
}

}  // namespace spcart
