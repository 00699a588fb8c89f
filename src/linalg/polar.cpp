#include "linalg/polar.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/lapack.hpp"

namespace spcart {
namespace {

/// If |I - Y'Y| is below these, the series of (Y'Y)^(-1/2) about I up to its first, second and
/// fourth power is exact up to rounding.
constexpr double kLastOfFirst = 1e-8, kLastOfSecond = 4e-6, kLastOfFourth = 8e-4;

/// More steps indicate a nearly singular matrix, for which a decomposition is faster and safer.
constexpr int kMostSteps = 16;

/// Estimates of the extreme eigenvalues are within their range.
constexpr double kMargin = 1.03;
constexpr int kFirstIterations = 12, kIterations = 2;

/// The smallest ratio of singular values to prepare for.
constexpr double kLeastRatio = 1e-3;

}  // namespace

PolarSteps::PolarSteps(Index r)
    : y_(r, r), next_(r, r), e_(r, r), square_(r, r), top_(r), bottom_(r), product_(r) {
  // Any vector that is unlikely to be an eigenvector.
  for (Index i = 0; i < r; ++i) {
    top_[i] = 1 + 0.3 * std::sin(static_cast<double>(3 * i + 1));
    bottom_[i] = std::cos(static_cast<double>(5 * i + 2));
  }
}

double PolarSteps::operator()(const Matrix& b, Matrix& factor) {
  if (iterate(b)) {
    factor.swap(y_);
    return factor.cwiseProduct(b).sum();
  }
  ++decomposed_;
  Polar exact = polar(b);
  factor.swap(exact.factor);
  return exact.trace_norm;
}

/// E = I - Y'Y, both halves of it; returns its norm.
double PolarSteps::defect() {
  e_.setZero();
  e_.selfadjointView<Eigen::Lower>().rankUpdate(y_.transpose(), -1);
  double diagonal = 0, below = 0;
  for (Index j = 0; j < e_.cols(); ++j) {
    e_(j, j) += 1;
    diagonal += e_(j, j) * e_(j, j);
    for (Index i = j + 1; i < e_.rows(); ++i) {
      const double entry = e_(i, j);
      e_(j, i) = entry;
      below += entry * entry;
    }
  }
  return std::sqrt(diagonal + 2 * below);
}

/// Power iterations on B'B for its largest eigenvalue, and on its distance from that for its
/// smallest. I - B'B is in e_.
void PolarSteps::estimate_range() {
  const int iterations = largest_ > 0 ? kIterations : kFirstIterations;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    top_.normalize();
    product_.noalias() = top_ - e_ * top_;
    largest_ = top_.dot(product_);
    top_.swap(product_);
  }
  largest_ *= kMargin;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    bottom_.normalize();
    product_.noalias() = bottom_ - e_ * bottom_;
    least_ = bottom_.dot(product_);
    bottom_ = largest_ * bottom_ - product_;
  }
}

bool PolarSteps::iterate(const Matrix& b) {
  y_ = b;
  defect();
  if (!(e_.diagonal().maxCoeff() < 1)) return false;  // a column is zero
  estimate_range();
  if (!(largest_ > 0 && std::isfinite(largest_))) return false;
  y_ /= std::sqrt(largest_);
  e_ /= largest_;
  e_.diagonal().array() += 1 - 1 / largest_;
  double ratio = std::sqrt(std::max(least_ / (largest_ * kMargin), kLeastRatio * kLeastRatio));

  double distance = e_.norm();
  for (steps_ = 0; !(distance < kLastOfFourth); ++steps_) {
    if (steps_ == kMostSteps) return false;
    // The multiple rho of Y for which the step brings the whole range of singular values, from
    // `ratio` to 1, nearest to 1 (Chen and Chow 2014).
    const double rho2 = 3 / (1 + ratio + ratio * ratio), rho = std::sqrt(rho2);
    e_ *= rho * rho2 / 2;
    e_.diagonal().array() += rho * (3 - rho2) / 2;
    next_.noalias() = y_ * e_;
    y_.swap(next_);
    ratio *= rho * (3 - rho2 * ratio * ratio) / 2;
    distance = defect();
  }
  finish(distance);
  return true;
}

/// Y (I - E)^(-1/2) by the series I + E/2 + 3/8 E^2 + 5/16 E^3 + 35/128 E^4.
void PolarSteps::finish(double distance) {
  if (distance >= kLastOfFirst) {
    square_.noalias() = e_ * e_;
    if (distance >= kLastOfSecond) {
      next_ = e_ * (5.0 / 16) + square_ * (35.0 / 128);
      next_.diagonal().array() += 3.0 / 8;
      e_ /= 2;
      e_.noalias() += square_ * next_;
    } else {
      e_ = e_ / 2 + square_ * (3.0 / 8);
    }
  } else {
    e_ /= 2;
  }
  next_ = y_;
  next_.noalias() += y_ * e_;
  y_.swap(next_);
}

}  // namespace spcart
