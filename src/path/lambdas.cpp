#include "path/lambdas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace spcart {
namespace {

/// The lambda that leaves so many entries of each column of z, in the mean.
class Quantiles {
 public:
  Quantiles(const Matrix& z, TruncationType type) : type_(type), p_(z.rows()), r_(z.cols()) {
    if (type == TruncationType::energy) {
      below_ = Vector::Zero(p_ + 1);
      for (Index i = 0; i < r_; ++i) {
        Vector squares = z.col(i).cwiseAbs2();
        std::ranges::sort(squares);
        double sum = 0;
        for (Index j = 0; j < p_; ++j) below_[j + 1] += (sum += squares[j]);
      }
      below_ /= std::max(below_[p_], 1e-300);
    } else {
      sizes_ = z.reshaped().cwiseAbs();
      std::ranges::sort(sizes_, std::greater<>());
    }
  }

  double operator()(double nonzeros) const {
    if (type_ == TruncationType::count) return std::round(static_cast<double>(p_) - nonzeros);
    if (type_ == TruncationType::energy)
      return below_[std::clamp<Index>(p_ - std::lround(nonzeros), 0, p_)];
    const Index last = std::lround(nonzeros * static_cast<double>(r_));
    return sizes_[std::clamp<Index>(last, 0, sizes_.size() - 1)];
  }

 private:
  TruncationType type_;
  Index p_, r_;
  Vector sizes_;  ///< of all entries, the largest first
  Vector below_;  ///< mean energy of the smallest 0, 1, ..., p entries of a column
};

}  // namespace

std::vector<double> lambdas_along(const Matrix& z, TruncationType type, double most, Index points) {
  const Quantiles lambda(z, type);
  const auto p = static_cast<double>(z.rows()), steps = static_cast<double>(points - 1);
  // Turning makes loadings sparser than z is, so that less is enough.
  const double stretch = type == TruncationType::count ? 1 : most / std::max(lambda(1), 1e-300);
  std::vector<double> all = {0};
  for (Index k = 1; k < points; ++k) {
    const double along = static_cast<double>(k) / steps;
    const double wanted = lambda(std::pow(p, 1 - along)) * std::pow(stretch, along);
    double least = all.back() + (type == TruncationType::count ? 1 : most / (1e3 * steps));
    // As many must still fit below the last one.
    const double left = type == TruncationType::count ? static_cast<double>(points - 1 - k) : 0;
    all.push_back(std::min(std::max(wanted, least), most - left));
  }
  return all;
}

}  // namespace spcart
