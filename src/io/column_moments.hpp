#pragma once

#include <cmath>

#include "spcart/io.hpp"

namespace spcart::io {

/// Mean and standard deviation of a column, from its values one after the other.
class ColumnMoments {
 public:
  void add(double value) {
    const double difference = value - mean_;
    mean_ += difference / ++count_;
    squares_ += difference * (value - mean_);
  }

  /// Adds as many zeros.
  void add_zeros(double zeros) {
    if (!(zeros > 0)) return;
    const double all = count_ + zeros;
    squares_ += mean_ * mean_ * count_ * zeros / all;
    mean_ *= count_ / all;
    count_ = all;
  }

  double mean() const { return mean_; }
  double deviation() const { return count_ > 1 ? std::sqrt(squares_ / (count_ - 1)) : 0; }

 private:
  double count_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace spcart::io
