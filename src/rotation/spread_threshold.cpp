#include "rotation/spread_threshold.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "rotation/threshold.hpp"

namespace spcart {
namespace {

/// Sizes |z| as integers in the same order, so that bisection of an interval of them ends.
std::int64_t order_of(double size) { return std::bit_cast<std::int64_t>(size); }
double size_of_order(std::int64_t order) { return std::bit_cast<double>(order); }

/// No entry of a rotated orthonormal basis is larger.
constexpr double kLargest = 2;

/// One column: the sizes of its own entries and the amount of them up to a given size, which is
/// their number (count) or the sum of their squares (energy).
class Column {
 public:
  Column(const double* z, Index count, bool energy) : sizes_(static_cast<std::size_t>(count)) {
    std::transform(z, z + count, sizes_.begin(), [](double v) { return std::abs(v); });
    std::ranges::sort(sizes_);
    amounts_.reserve(sizes_.size() + 1);
    amounts_.push_back(0);
    for (const double size : sizes_)
      amounts_.push_back(amounts_.back() + (energy ? size * size : 1));
  }

  double amount(std::int64_t order) const {
    if (order < 0) return 0;
    return amounts_[static_cast<std::size_t>(
        std::ranges::upper_bound(sizes_, size_of_order(order)) - sizes_.begin())];
  }

  std::ptrdiff_t count_of(double size) const {
    return std::ranges::upper_bound(sizes_, size) - std::ranges::lower_bound(sizes_, size);
  }

 private:
  std::vector<double> sizes_, amounts_;
};

/// Bisects intervals (low, high] of all columns until each holds one size: the smallest up to which
/// there is more than may be zeroed.
class Search {
 public:
  Search(const Matrix& z, const Truncation& truncation, const RowPartition& partition,
         std::span<const Threshold> guesses)
      : partition_(partition), energy_(truncation.type == TruncationType::energy), r_(z.cols()) {
    for (Index i = 0; i < r_; ++i) columns_.emplace_back(z.col(i).data(), z.rows(), energy_);
    low_.assign(columns_.size(), -1);
    high_.assign(columns_.size(), order_of(kLargest));
    begin(truncation.lambda, guesses);
    while (halve()) {
    }
  }

  /// What stays of column i, whose own entries are z.
  std::vector<Threshold> thresholds(const Matrix& z) const {
    Vector own(r_);
    for (Index i = 0; i < r_; ++i)
      own[i] = static_cast<double>(columns_[at(i)].count_of(size_of_order(high_[at(i)])));
    const Vector before = partition_.sum_before(own);
    std::vector<Threshold> all(columns_.size());
    for (Index i = 0; i < r_; ++i) {
      Threshold& t = all[at(i)];
      t.least = size_of_order(high_[at(i)]);
      // Of equal entries the first are zeroed, as many as allowed.
      const double left = budget_[i] - amount_low_[i];
      const double may = std::floor(energy_ ? left / (t.least * t.least) : left);
      const auto zeroed = static_cast<std::ptrdiff_t>(std::clamp(may - before[i], 0.0, own[i]));
      t.ties_from = index_after(z.col(i), t.least, zeroed);
    }
    return all;
  }

 private:
  /// The first index after this many entries of that size.
  static std::int32_t index_after(const Eigen::Ref<const Vector>& z, double size,
                                  std::ptrdiff_t ties) {
    Index j = 0;
    for (; ties > 0; ++j)
      if (std::abs(z[j]) == size) --ties;
    return static_cast<std::int32_t>(j);
  }

  /// What may be zeroed, and the interval about each guess, or beside it.
  void begin(double lambda, std::span<const Threshold> guesses) {
    Matrix amounts(r_, 3);
    std::vector<std::int64_t> below(columns_.size()), above(columns_.size());
    for (Index i = 0; i < r_; ++i) {
      const double guess = guesses[at(i)].least;
      const bool good = guess > 0 && guess < 1;
      below[at(i)] = good ? order_of(guess * (1 - kGuessSpread)) : -1;
      above[at(i)] = order_of(good ? guess * (1 + kGuessSpread) : kLargest);
      const Column& column = columns_[at(i)];
      amounts.row(i) << column.amount(below[at(i)]), column.amount(above[at(i)]),
          column.amount(order_of(kLargest));
    }
    partition_.sum(amounts);
    budget_ = energy_ ? Vector(lambda * (1 + kEnergyRounding) * amounts.col(2))
                      : Vector::Constant(r_, lambda);
    amount_low_ = Vector::Zero(r_);
    for (Index i = 0; i < r_; ++i) {
      if (amounts(i, 0) > budget_[i]) {
        high_[at(i)] = below[at(i)];
      } else if (amounts(i, 1) > budget_[i]) {
        high_[at(i)] = above[at(i)];
        raise(i, below[at(i)], amounts(i, 0));
      } else {
        raise(i, above[at(i)], amounts(i, 1));
      }
    }
  }

  void raise(Index i, std::int64_t low, double amount) {
    low_[at(i)] = low;
    amount_low_[i] = amount;
  }

  bool halve() {
    Matrix amounts = Matrix::Zero(r_, 1);
    const auto middle = [&](std::size_t i) { return low_[i] + (high_[i] - low_[i]) / 2; };
    bool open = false;
    for (Index i = 0; i < r_; ++i) {
      if (high_[at(i)] - low_[at(i)] <= 1) continue;
      open = true;
      amounts(i) = columns_[at(i)].amount(middle(at(i)));
    }
    if (!open) return false;
    partition_.sum(amounts);
    for (Index i = 0; i < r_; ++i) {
      if (high_[at(i)] - low_[at(i)] <= 1) continue;
      if (amounts(i) > budget_[i])
        high_[at(i)] = middle(at(i));
      else
        raise(i, middle(at(i)), amounts(i));
    }
    return true;
  }

  const RowPartition& partition_;
  bool energy_;
  Index r_;
  std::vector<Column> columns_;
  std::vector<std::int64_t> low_, high_;
  Vector budget_, amount_low_;
};

}  // namespace

void select_spread(const Matrix& z, const Truncation& truncation, const RowPartition& partition,
                   std::span<Threshold> thresholds) {
  const std::vector<Threshold> found = Search(z, truncation, partition, thresholds).thresholds(z);
  for (std::size_t i = 0; i < thresholds.size(); ++i)
    if (!std::isinf(thresholds[i].least)) thresholds[i] = found[i];
}

}  // namespace spcart
