#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace spcart::reproduce {

/// y over x: one series of a figure.
class Curve {
 public:
  struct Point {
    double x = 0, y = 0;
  };

  /// Points in any order; those with the same x are averaged.
  explicit Curve(std::vector<Point> points);

  /// Of the records of a series that have both fields.
  Curve(std::span<const Record> records, std::string_view series, std::string_view x,
        std::string_view y);

  std::span<const Point> points() const { return points_; }

  /// Linear interpolation between the neighbouring points; none outside of them.
  std::optional<double> at(double x) const;

  /// The exponent e of the power law y ~ x^e that fits best: the slope of least squares in
  /// logarithms. None if fewer than two points are positive.
  std::optional<double> exponent() const;

  /// How far a point is, on average, from the line through its two neighbours: zero for a straight
  /// line, large for one that jumps back and forth. None for fewer than three points.
  std::optional<double> roughness() const;

  std::optional<double> spread() const;  ///< largest minus smallest y

 private:
  std::vector<Point> points_;  ///< by ascending x
};

/// Every x of either curve at which both have a value, in ascending order.
std::vector<double> common_x(const Curve& a, const Curve& b);

}  // namespace spcart::reproduce
