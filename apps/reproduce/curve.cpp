#include "curve.hpp"

#include <algorithm>
#include <cmath>

namespace spcart::reproduce {
namespace {

/// Values of x that differ by less are equal.
constexpr double kSame = 1e-9;

bool same(double a, double b) { return std::abs(a - b) <= kSame * std::max(1.0, std::abs(a)); }

std::vector<Curve::Point> points_of(std::span<const Record> records, std::string_view series,
                                    std::string_view x, std::string_view y) {
  std::vector<Curve::Point> points;
  for (const Record& record : records)
    if (const auto at = record.get(x), value = record.get(y);
        record.series == series && at && value)
      points.push_back({*at, *value});
  return points;
}

double between(const Curve::Point& a, const Curve::Point& b, double x) {
  return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
}

}  // namespace

Curve::Curve(std::vector<Point> points) {
  std::ranges::sort(points, {}, &Point::x);
  for (std::size_t i = 0, next = 0; i < points.size(); i = next) {
    double sum = 0;
    for (next = i; next < points.size() && same(points[next].x, points[i].x); ++next)
      sum += points[next].y;
    points_.push_back({points[i].x, sum / static_cast<double>(next - i)});
  }
}

Curve::Curve(std::span<const Record> records, std::string_view series, std::string_view x,
             std::string_view y)
    : Curve(points_of(records, series, x, y)) {}

std::optional<double> Curve::at(double x) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (same(points_[i].x, x)) return points_[i].y;
    if (i > 0 && points_[i - 1].x < x && x < points_[i].x)
      return between(points_[i - 1], points_[i], x);
  }
  return std::nullopt;
}

std::optional<double> Curve::exponent() const {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points_) {
    if (!(x > 0 && y > 0)) continue;
    const double u = std::log(x), v = std::log(y);
    n += 1;
    sx += u;
    sy += v;
    sxx += u * u;
    sxy += u * v;
  }
  return n < 2 ? std::nullopt : std::optional((n * sxy - sx * sy) / (n * sxx - sx * sx));
}

std::optional<double> Curve::roughness() const {
  if (points_.size() < 3) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 1; i + 1 < points_.size(); ++i)
    sum += std::abs(points_[i].y - between(points_[i - 1], points_[i + 1], points_[i].x));
  return sum / static_cast<double>(points_.size() - 2);
}

std::optional<double> Curve::spread() const {
  if (points_.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(points_, {}, &Point::y);
  return most.y - least.y;
}

std::vector<double> common_x(const Curve& a, const Curve& b) {
  std::vector<double> xs;
  const auto add = [&](const Curve& from, const Curve& other) {
    for (const Curve::Point& point : from.points())
      if (other.at(point.x)) xs.push_back(point.x);
  };
  add(a, b);
  add(b, a);
  std::ranges::sort(xs);
  xs.erase(std::unique(xs.begin(), xs.end(), same), xs.end());
  return xs;
}

}  // namespace spcart::reproduce
