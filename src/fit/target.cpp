#include "fit/target.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace spcart {
namespace {

/// Neighbours whose lambdas differ by less than this fraction are equal.
constexpr double kResolution = 1e-7;

/// Brackets of the target that are followed at a time, and maximum number of lambdas in all.
constexpr std::size_t kMostBrackets = 4, kMostTrials = 400;

/// The kept share may fall short by rounding.
constexpr double kShortfall = 1e-12;

class Search {
 public:
  Search(const Trials& trials, const LambdaRange& range, TruncationType type, const Target& target,
         const Shares& shares)
      : trials_(trials), range_(range), type_(type), target_(target), shares_(shares) {}

  TargetResult run() {
    const auto together = static_cast<std::size_t>(trials_.together());
    std::vector<double> first = between(0, 1, together);
    first.push_back(0);
    look(first);
    while (!done() && points_.size() < kMostTrials) {
      const std::vector<Bracket> brackets = promising();
      if (brackets.empty()) break;
      std::vector<double> next;
      const std::size_t each = std::max<std::size_t>(together / brackets.size(), 1);
      for (const Bracket& bracket : brackets)
        std::ranges::copy(between(bracket.dense.at, bracket.sparse.at, each),
                          std::back_inserter(next));
      if (!look(next)) break;
    }
    best_.met = done() || (target_.kind == Target::Kind::keep && keeps(best_.share));
    best_.trials = static_cast<Index>(points_.size());
    return std::move(best_);
  }

 private:
  /// A position between the dense end of the range, 0, and the sparse end, 1.
  struct Point {
    double at = 0;
    Index nonzeros = 0;
    double share = 0;
  };
  struct Bracket {
    Point dense, sparse;
  };

  /// Small lambdas are tried more densely: most lambdas leave too little.
  double lambda(double at) const {
    const bool power =
        range_.sparser_upwards && (type_ == TruncationType::hard || type_ == TruncationType::soft);
    const double part = power ? std::pow(at, 4) : at;
    const double value = range_.sparser_upwards ? range_.least + part * (range_.most - range_.least)
                                                : range_.most - part * (range_.most - range_.least);
    return type_ == TruncationType::count ? std::round(value) : value;
  }

  /// This many points between two.
  static std::vector<double> between(double one, double other, std::size_t count) {
    std::vector<double> points;
    for (std::size_t k = 1; k <= count; ++k)
      points.push_back(one +
                       (other - one) * static_cast<double>(k) / static_cast<double>(count + 1));
    return points;
  }

  /// Tries those that are new; false if none is.
  bool look(const std::vector<double>& wanted) {
    std::vector<double> at, lambdas;
    for (const double position : wanted) {
      const double value = lambda(position);
      const auto same = [&](double other) { return other == value; };
      if (std::ranges::any_of(points_, same, [&](const Point& p) { return lambda(p.at); }))
        continue;
      if (std::ranges::any_of(lambdas, same)) continue;
      at.push_back(position);
      lambdas.push_back(value);
    }
    std::vector<MethodResult> found = trials_.at(lambdas);
    const std::vector<double> shares =
        target_.kind == Target::Kind::keep ? shares_(found) : std::vector<double>(found.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Point point{at[k], found[k].loadings.nonZeros(), shares[k]};
      points_.insert(std::ranges::upper_bound(points_, point.at, {}, &Point::at), point);
      if (best_.found.loadings.size() > 0 && !better(point)) continue;
      best_ = {.found = std::move(found[k]),
               .lambda = lambdas[k],
               .nonzeros = point.nonzeros,
               .share = point.share};
    }
    return !found.empty();
  }

  bool keeps(double share) const { return share >= target_.value - kShortfall; }
  double distance(Index nonzeros) const {
    return std::abs(static_cast<double>(nonzeros) - target_.value);
  }

  bool better(const Point& point) const {
    if (target_.kind == Target::Kind::nonzeros)
      return distance(point.nonzeros) < distance(best_.nonzeros);
    if (!keeps(point.share) || !keeps(best_.share)) return point.share > best_.share;
    return point.nonzeros != best_.nonzeros ? point.nonzeros < best_.nonzeros
                                            : point.share > best_.share;
  }

  bool done() const {
    return target_.kind == Target::Kind::nonzeros && !points_.empty() &&
           distance(best_.nonzeros) <= 0.5;  // a fraction of zeros need not be a whole number
  }

  bool too_dense(const Point& point) const {
    return target_.kind == Target::Kind::keep ? keeps(point.share)
                                              : static_cast<double>(point.nonzeros) > target_.value;
  }

  /// Neighbours between which the target is crossed, by descending possible gain.
  std::vector<Bracket> promising() const {
    std::vector<Bracket> brackets;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const Point& one = points_[k];
      const Point other = k + 1 < points_.size() ? points_[k + 1] : Point{.at = 1};
      if (too_dense(one) == too_dense(other)) continue;
      const double here = lambda(one.at), there = lambda(other.at);
      if (std::abs(there - here) <= kResolution * std::max(std::abs(here), std::abs(there)))
        continue;
      const Index fewest = std::min(one.nonzeros, other.nonzeros);
      if (target_.kind == Target::Kind::keep && fewest + 1 >= best_.nonzeros) continue;
      brackets.push_back({one, other});
    }
    std::ranges::stable_sort(brackets, {}, [&](const Bracket& bracket) {
      return target_.kind == Target::Kind::keep
                 ? static_cast<double>(std::min(bracket.dense.nonzeros, bracket.sparse.nonzeros))
                 : std::min(distance(bracket.dense.nonzeros), distance(bracket.sparse.nonzeros));
    });
    if (brackets.size() > kMostBrackets) brackets.resize(kMostBrackets);
    return brackets;
  }

  const Trials& trials_;
  const LambdaRange& range_;
  TruncationType type_;
  const Target& target_;
  const Shares& shares_;
  std::vector<Point> points_;  ///< from dense to sparse
  TargetResult best_;
};

}  // namespace

TargetResult find_target(const Trials& trials, const LambdaRange& range, TruncationType type,
                         const Target& target, const Shares& shares) {
  return Search(trials, range, type, target, shares).run();
}

}  // namespace spcart
