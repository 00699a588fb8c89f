#include "selection/lambdas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace spcart {

Lambdas::Lambdas(const Matrix& z, TruncationType type) : type_(type), p_(z.rows()), r_(z.cols()) {
  if (type == TruncationType::energy) {
    below_ = Vector::Zero(p_ + 1);
    for (Index i = 0; i < r_; ++i) {
      Vector squares = z.col(i).cwiseAbs2();
      std::ranges::sort(squares);
      double sum = 0;
      for (Index j = 0; j < p_; ++j) below_[j + 1] += (sum += squares[j]);
    }
    below_ /= std::max(below_[p_], 1e-300);
  } else if (type != TruncationType::count) {
    sizes_ = z.reshaped().cwiseAbs();
  }
}

/// Partial sorting is enough for the few sizes that are requested.
double Lambdas::size_at(Index index) {
  const auto after = sorted_.lower_bound(index);
  const Index end = after == sorted_.end() ? sizes_.size() : *after;
  if (index < end) {
    const Index begin = after == sorted_.begin() ? 0 : *std::prev(after) + 1;
    std::nth_element(sizes_.data() + begin, sizes_.data() + index, sizes_.data() + end,
                     std::greater<>());
    sorted_.insert(after, index);
  }
  return sizes_[index];
}

double Lambdas::leaving(double nonzeros) {
  if (type_ == TruncationType::count) return std::round(static_cast<double>(p_) - nonzeros);
  if (type_ == TruncationType::energy)
    return below_[std::clamp<Index>(p_ - std::lround(nonzeros), 0, p_)];
  const Index last = std::lround(nonzeros * static_cast<double>(r_));
  return size_at(std::clamp<Index>(last, 0, sizes_.size() - 1));
}

std::vector<double> Lambdas::along(double most, Index points) {
  const bool count = type_ == TruncationType::count;
  const auto p = static_cast<double>(p_), steps = static_cast<double>(points - 1);
  // The rotation makes loadings sparser than z is, so that smaller lambdas are enough.
  const double stretch = count ? 1 : most / std::max(leaving(1), 1e-300);
  std::vector<double> all = {0};
  for (Index k = 1; k < points; ++k) {
    const double along = static_cast<double>(k) / steps;
    const double wanted = leaving(std::pow(p, 1 - along)) * std::pow(stretch, along);
    const double least = all.back() + (count ? 1 : most / (1e3 * steps));
    // The remaining points must still fit below the last one.
    const double left = count ? static_cast<double>(points - 1 - k) : 0;
    all.push_back(std::min(std::max(wanted, least), most - left));
  }
  return all;
}

}  // namespace spcart
