#include "selection/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fit/arrange_components.hpp"
#include "fit/search_stage.hpp"
#include "improve/searcher.hpp"

namespace spcart {
namespace {

/// A share of PCA's variance that is all of it up to rounding.
constexpr double kAll = 1 - 1e-9;

/// Numbers of nonzeros from all to one per component, at about equal factors, without duplicates.
std::vector<Index> totals(Index r, Index p, Index points) {
  std::vector<Index> all;
  const Index most = r * p;
  if (most - r < points) {
    for (Index n = most; n >= r; --n) all.push_back(n);
    return all;
  }
  const double factor = std::log(static_cast<double>(p)) / static_cast<double>(points - 1);
  for (Index k = 0; k < points; ++k) {
    const auto n = static_cast<Index>(
        std::lround(static_cast<double>(most) * std::exp(-factor * static_cast<double>(k))));
    if (all.empty() || n < all.back()) all.push_back(std::max(n, r));
  }
  return all;
}

class Frontier {
 public:
  Frontier(const DataMatrix& a, const Basis& basis, std::vector<PathPoint> points,
           const PathOptions& options, const Tick& tick)
      : a_(a),
        basis_(basis),
        points_(std::move(points)),
        options_(options),
        tick_(tick),
        r_(points_.front().components),
        counts_(counts_of(points_.front().truncation.type)),
        searcher_(a, promise_of(a, basis, r_), sparse_starts(), tick) {}

  std::vector<PathPoint> run() {
    std::vector<PathPoint> found;
    const std::vector<Index> wanted = numbers();
    const auto count = static_cast<double>(wanted.size());
    // A time is for the whole path; other efforts are for each point, a quarter of that of a fit.
    part_ = options_.effort.level == Effort::Level::seconds ? 1 / count : 0.25;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      progress_ = static_cast<double>(k) / count;
      within_(0);
      found.push_back(at(wanted[k], found));
    }
    score(found);
    return undominated(std::move(found));
  }

 private:
  std::vector<Index> numbers() const {
    if (counts_ == Counts::total) return totals(r_, a_.cols(), static_cast<Index>(points_.size()));
    std::vector<Index> all;
    for (const PathPoint& point : points_)
      all.push_back(r_ * (a_.cols() - static_cast<Index>(point.truncation.lambda)));
    return all;
  }

  /// If variables have to be chosen, those of the sparser half matter.
  std::vector<Loadings> sparse_starts() const {
    std::vector<Loadings> starts;
    for (std::size_t k = points_.size(); k-- > 0;) {  // from the sparse end
      if (4 * nonzeros_of(points_[k]) >= r_ * a_.cols()) break;
      starts.push_back(points_[k].loadings);
      if (Searcher::is_possible(a_, starts)) continue;
      starts.pop_back();
      break;
    }
    return starts;
  }

  /// The point of rotation and truncation with the nearest number, on a logarithmic scale.
  const PathPoint& nearest(Index nonzeros) const {
    return *std::ranges::min_element(points_, {}, [&](const PathPoint& point) {
      const auto has = static_cast<double>(std::max<Index>(nonzeros_of(point), 1));
      return std::abs(std::log(has / static_cast<double>(nonzeros)));
    });
  }

  PathPoint at(Index nonzeros, const std::vector<PathPoint>& before) const {
    PathPoint point = nearest(nonzeros);
    const bool fits = nonzeros_of(point) <= nonzeros;
    if (fits && point.criteria.share_of_pca() >= kAll) return point;
    if (!searcher_.knows(point.loadings)) return point;
    std::vector<Loadings> starts = {point.loadings};
    if (!before.empty() && searcher_.knows(before.back().loadings))
      starts.push_back(before.back().loadings);
    const SearchOptions options{.nonzeros = in_parts(nonzeros, r_),
                                .counts = counts_,
                                .overlap = options_.overlap,
                                .effort = options_.effort,
                                .scale = part_,
                                .seed = options_.seed};
    point.loadings = searcher_.run(starts, options, within_);
    point.searched = true;
    return point;
  }

  void score(std::vector<PathPoint>& found) const {
    std::vector<Loadings> all;
    all.reserve(found.size());
    for (const PathPoint& point : found) all.push_back(point.loadings);
    std::vector<Explained> explained = explained_by(a_, all, tick_);
    for (std::size_t k = 0; k < found.size(); ++k) {
      PathPoint& point = found[k];
      arrange(order_by_adjusted_variance(explained[k].covariance), point.loadings, explained[k]);
      point.criteria =
          evaluate(point.loadings, explained[k], basis_.total_variance, point.criteria.cpev_pca);
    }
  }

  const DataMatrix& a_;
  const Basis& basis_;
  std::vector<PathPoint> points_;
  const PathOptions& options_;
  const Tick& tick_;
  double progress_ = 0, part_ = 1;
  Tick within_ = [this](double) {
    if (tick_) tick_(progress_);
  };
  Index r_;
  Counts counts_;
  Searcher searcher_;
};

}  // namespace

Index nonzeros_of(const PathPoint& point) {
  const auto& each = point.criteria.nonzeros;
  return std::accumulate(each.begin(), each.end(), Index{0});
}

std::vector<PathPoint> undominated(std::vector<PathPoint> points) {
  std::ranges::stable_sort(points, [](const PathPoint& a, const PathPoint& b) {
    const Index m = nonzeros_of(a), n = nonzeros_of(b);
    return m != n ? m < n : a.criteria.cpev > b.criteria.cpev;
  });
  std::vector<PathPoint> kept;
  for (PathPoint& point : points)
    if (kept.empty() || point.criteria.cpev > kept.back().criteria.cpev)
      kept.push_back(std::move(point));
  std::ranges::reverse(kept);
  return kept;
}

std::vector<PathPoint> searched(const DataMatrix& a, const Basis& basis,
                                std::vector<PathPoint> points, const PathOptions& options,
                                const Tick& tick) {
  return Frontier(a, basis, std::move(points), options, tick).run();
}

std::size_t knee_of(const std::vector<PathPoint>& points, std::size_t first) {
  const auto at = [&](std::size_t k) {
    return std::pair{std::log(static_cast<double>(std::max<Index>(nonzeros_of(points[k]), 1))),
                     points[k].criteria.share_of_pca()};
  };
  std::size_t dense = first, sparse = first;
  for (std::size_t k = first; k < points.size(); ++k) {
    if (at(k).first > at(dense).first) dense = k;
    if (at(k) < at(sparse)) sparse = k;
  }
  const auto [x0, y0] = at(sparse);
  const auto [x1, y1] = at(dense);
  const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
  std::size_t knee = first;
  double highest = -1;
  for (std::size_t k = first; k < points.size(); ++k) {
    const auto [x, y] = at(k);
    const double height = y - (y0 + slope * (x - x0));
    if (height > highest) {
      highest = height;
      knee = k;
    }
  }
  return knee;
}

}  // namespace spcart
