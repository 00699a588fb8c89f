#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "spcart/data.hpp"

namespace spcart::benchmarks {

/// A row-major table of n x p numbers of type T. A block of random rows is repeated, so that large
/// tables are generated quickly.
template <class T>
class DenseTable {
 public:
  DenseTable(Index n, Index p, double scale = 1)
      : cols_(p), numbers_(static_cast<std::size_t>(n * p)) {
    constexpr Index kBlock = 1 << 20;
    Random random(1);
    const auto fresh = static_cast<std::size_t>(std::min(n * p, (kBlock / p + 1) * p));
    for (std::size_t i = 0; i < fresh; ++i)
      numbers_[i] = static_cast<T>(scale * (3 + random.normal()));
    for (std::size_t i = fresh; i < numbers_.size(); ++i) numbers_[i] = numbers_[i - fresh];
  }

  /// Its first n rows.
  DenseView view(Index n) const { return DenseView::row_major(numbers_.data(), n, cols_); }
  DenseView view() const { return view(static_cast<Index>(numbers_.size()) / cols_); }
  double bytes() const { return static_cast<double>(numbers_.size() * sizeof(T)); }

 private:
  Index cols_;
  std::vector<T> numbers_;
};

/// CSR with the same number of entries in every row, with columns drawn from a power law and scaled
/// by different units, so that its first components stand out as those of real data do.
class SparseTable {
 public:
  SparseTable(Index n, Index p, Index each);

  SparseView view() const {
    return {.major = SparseView::Major::row,
            .rows = static_cast<Index>(outer_.size()) - 1,
            .cols = cols_,
            .values = values_.data(),
            .scalar = Scalar::float64,
            .inner = inner_.data(),
            .outer = outer_.data()};
  }
  double bytes() const { return static_cast<double>(inner_.size() * (sizeof(double) + 4)); }

 private:
  Index cols_;
  std::vector<double> values_;
  std::vector<std::int32_t> inner_, outer_;
};

inline SparseTable::SparseTable(Index n, Index p, Index each) : cols_(p), outer_{0} {
  Random random(1);
  const Vector units = random.normal(p, 1).array().exp();
  std::vector<bool> used(static_cast<std::size_t>(p));
  std::vector<std::int32_t> row;
  for (Index i = 0; i < n; ++i) {
    row.clear();
    while (static_cast<Index>(row.size()) < each) {
      const double u = random.uniform();
      const auto j = static_cast<std::int32_t>(static_cast<double>(p) * u * u * u);
      if (used[static_cast<std::size_t>(j)]) continue;
      used[static_cast<std::size_t>(j)] = true;
      row.push_back(j);
    }
    std::ranges::sort(row);
    for (const std::int32_t j : row) {
      used[static_cast<std::size_t>(j)] = false;
      inner_.push_back(j);
      values_.push_back(units[j] * (0.1 + random.uniform()));
    }
    outer_.push_back(static_cast<std::int32_t>(inner_.size()));
  }
}

}  // namespace spcart::benchmarks
