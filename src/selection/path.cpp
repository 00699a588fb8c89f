#include "spcart/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "base/reject.hpp"
#include "criteria/orthogonal_bounds.hpp"
#include "data/execution.hpp"
#include "data/warnings.hpp"
#include "fit/arrange_components.hpp"
#include "fit/target.hpp"
#include "rotation/rotate_rows.hpp"
#include "selection/frontier.hpp"
#include "selection/lambdas.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

constexpr Index kDefaultPoints = 40, kMostPoints = 10000;

/// Numbers of loadings that wait to be evaluated together.
constexpr Index kMostWaiting = Index{1} << 24;

Index points_of(const PathOptions& options, TruncationType type, Index p) {
  const Index most = type == TruncationType::count ? p : std::numeric_limits<Index>::max();
  return std::min(options.points.value_or(kDefaultPoints), most);
}

void check(const PathOptions& options, const DataMatrix& a) {
  if (options.truncations.empty()) throw Error("truncation", "", "there is none to follow");
  if (options.components.empty()) throw Error("components", "", "there is no number of them");
  for (const Index r : options.components)
    check(Options{.components = r,
                  .effort = options.effort,
                  .overlap = options.overlap,
                  .tolerance = options.tolerance,
                  .max_iterations = options.max_iterations,
                  .certify = options.certify,
                  .solver = options.solver,
                  .threads = options.threads},
          a);
  if (options.points && (*options.points < 2 || *options.points > kMostPoints))
    reject("points", *options.points, "it must be from 2 to {}", kMostPoints);
  for (const TruncationType type : options.truncations)
    if (type == TruncationType::count && options.points.value_or(2) > a.cols())
      reject("points", *options.points,
             "with truncation count there are only {} lambdas, one a variable", a.cols());
  if (!(options.keep > 0 && options.keep <= 1))
    reject("keep", options.keep, "it must be above 0 and at most 1");
}

/// Follows all types of one number of components in parallel.
class PathFollower {
 public:
  PathFollower(const DataMatrix& a, const Basis& basis, Index r, const PathOptions& options,
               const Tick& tick)
      : a_(a),
        basis_(basis),
        r_(r),
        options_(options),
        tick_(tick),
        varimax_(varimax_of_rows(panels_, whole_, within_)) {
    const RotateOptions first = setting(options.truncations.front(), 0, varimax_);
    check_rotation(v_, std::span(&first, 1));
    const Matrix z = v_ * varimax_.transpose();
    for (const TruncationType type : options.truncations) {
      const Index points = points_of(options, type, a.cols());
      Lambdas lambdas(z, type);
      lanes_.push_back({type, lambdas.along(sparsest(type, lambdas), points), varimax_, {}});
    }
  }

  /// Points by type, of each type from dense to sparse.
  std::vector<std::vector<PathPoint>> run() {
    std::size_t most = 0;
    for (const Lane& lane : lanes_) most = std::max(most, lane.lambdas.size());
    const auto together = static_cast<std::size_t>(settings_together(v_.rows(), r_));
    const std::size_t step = std::max<std::size_t>(together / lanes_.size(), 1);
    waiting_.reserve(2 * lanes_.size() * most);
    for (std::size_t k = 0; k < most; k += step) {
      const std::size_t end = std::min(k + step, most);
      std::vector<RotationResult> cold = fit_cold(k, end);
      RotationResult* next = cold.data();
      for (std::size_t index = k; index < end; ++index) {
        next = follow(index, next);
        progress_ = static_cast<double>(index + 1) / static_cast<double>(most);
      }
      if (numbers_ >= kMostWaiting) score();
    }
    score();
    std::vector<std::vector<PathPoint>> all;
    for (Lane& lane : lanes_) all.push_back(std::move(lane.points));
    return all;
  }

 private:
  struct Lane {
    TruncationType type;
    std::vector<double> lambdas;
    Matrix last;  ///< the rotation of the last point
    std::vector<PathPoint> points;
  };

  RotateOptions setting(TruncationType type, double lambda, const Matrix& from) const {
    return {.truncation = {type, lambda},
            .tolerance = options_.tolerance,
            .max_iterations = options_.max_iterations,
            .from = from};
  }

  /// The lambda that leaves one variable per loading, on average. Most of the range leaves far
  /// more.
  double sparsest(TruncationType type, Lambdas& lambdas) const {
    constexpr double kFew = 16;
    if (type == TruncationType::count) return static_cast<double>(a_.cols() - 1);
    Task task{.a = a_, .basis = basis_, .tick = within_};
    task.components = r_;
    task.truncation.type = type;
    task.from = varimax_;
    task.tolerance = options_.tolerance;
    task.max_iterations = options_.max_iterations;
    const Trials trials(Method::spcart, task);
    LambdaRange range = lambda_range(record_of(Method::spcart), type, a_.cols());
    const Target target{Target::Kind::nonzeros, static_cast<double>(r_)};
    if (static_cast<double>(a_.cols()) > kFew) range.least = lambdas.leaving(kFew);
    const TargetResult found = find_target(trials, range, type, target, {});
    if (found.nonzeros >= r_) return found.lambda;
    range.least = 0;
    return find_target(trials, range, type, target, {}).lambda;
  }

  /// V is divided into panels once for all points, unless its rows are better spread over ranks.
  std::vector<RotationResult> rotate(std::span<const RotateOptions> settings) const {
    const Execution& execution = a_.execution();
    return execution.spreads(v_.rows(), r_) ? execution.rotate(v_, settings, within_)
                                            : rotate_rows(panels_, whole_, settings, within_);
  }

  /// From varimax, points of all lanes in parallel: results are ordered by points.
  std::vector<RotationResult> fit_cold(std::size_t first, std::size_t end) const {
    std::vector<RotateOptions> settings;
    for (std::size_t k = first; k < end; ++k)
      for (const Lane& lane : lanes_)
        if (k < lane.lambdas.size())
          settings.push_back(setting(lane.type, lane.lambdas[k], varimax_));
    return rotate(settings);
  }

  /// From the last point of each lane to the next, where `cold` are the results from varimax;
  /// returns the end of those that it used.
  RotationResult* follow(std::size_t k, RotationResult* cold) {
    std::vector<RotateOptions> settings;
    for (const Lane& lane : lanes_)
      if (k > 0 && k < lane.lambdas.size())
        settings.push_back(setting(lane.type, lane.lambdas[k], lane.last));
    std::vector<RotationResult> found = rotate(settings);
    auto warm = found.begin();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[i];
      if (k >= lane.lambdas.size()) continue;
      lane.points.emplace_back();
      lane.last = cold->rotation;
      const bool better = k > 0 && warm->history.back().objective < cold->history.back().objective;
      if (better) {
        lane.last = warm->rotation;
        consider(i, k, *warm, true);
      }
      if (!better || !same(*warm, *cold)) consider(i, k, *cold, false);
      ++cold;
      if (k > 0) ++warm;
    }
    return cold;
  }

  /// Whether two results are as near each other as a result is guaranteed to be to its limit.
  bool same(const RotationResult& one, const RotationResult& other) const {
    return one.history.back().sparsity == other.history.back().sparsity &&
           (one.truncated_from - other.truncated_from).norm() <
               options_.tolerance * std::sqrt(static_cast<double>(r_));
  }

  /// Moves the loadings out of `found`.
  void consider(std::size_t lane, std::size_t index, RotationResult& found, bool warm) {
    candidates_.push_back({lane,
                           index,
                           {.truncation = {lanes_[lane].type, lanes_[lane].lambdas[index]},
                            .components = r_,
                            .criteria = {},
                            .iterations = static_cast<Index>(found.history.size()),
                            .status = found.status,
                            .objective = found.history.back().objective,
                            .warm = warm,
                            .searched = false,
                            .bound = {},
                            .loadings = {}}});
    numbers_ += found.loadings.size();
    waiting_.emplace_back().swap(found.loadings);  // Eigen would copy what is moved
  }

  /// The better objective stays, unless the other one explains clearly more.
  void score() {
    constexpr double kClearly = 0.99;
    const double total = basis_.total_variance;
    const double pca = basis_.singular_values.head(r_).squaredNorm() / total;
    std::vector<Explained> explained = explained_by(a_, waiting_, within_);
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      Candidate& candidate = candidates_[k];
      arrange(order_by_adjusted_variance(explained[k].covariance), waiting_[k], explained[k]);
      candidate.point.criteria = evaluate(waiting_[k], explained[k], total, pca);
      PathPoint& point = lanes_[candidate.lane].points[candidate.index];
      if (point.components == 0 || point.criteria.cpev < kClearly * candidate.point.criteria.cpev) {
        point = std::move(candidate.point);
        point.loadings.swap(waiting_[k]);
      }
    }
    waiting_.clear();
    candidates_.clear();
    numbers_ = 0;
  }

  const DataMatrix& a_;
  const Basis& basis_;
  Index r_;
  const PathOptions& options_;
  const Tick& tick_;
  double progress_ = 0;
  Tick within_ = [this](double) {
    if (tick_) tick_(progress_);
  };
  Matrix v_ = basis_.vectors.leftCols(r_);
  BasisPanels panels_{v_};
  const RowPartition whole_{panels_.all_variables()};
  Matrix varimax_;
  std::vector<Lane> lanes_;

  // Loadings whose variance is not known yet, and the points that they may become: the one with the
  // better objective comes first.
  struct Candidate {
    std::size_t lane, index;
    PathPoint point;
  };
  std::vector<Loadings> waiting_;
  std::vector<Candidate> candidates_;
  Index numbers_ = 0;
};

std::optional<std::size_t> keep_of(const std::vector<PathPoint>& points, std::size_t first,
                                   double share) {
  constexpr double kRounding = 1e-9;
  std::optional<std::size_t> best;
  for (std::size_t k = first; k < points.size(); ++k) {
    if (points[k].criteria.share_of_pca() < share - kRounding) continue;
    if (!best || nonzeros_of(points[k]) < nonzeros_of(points[*best])) best = k;
  }
  return best;
}

Path start_path(const DataMatrix& a, const Basis& basis) {
  Path path;
  path.variables = a.cols();
  path.singular_values = basis.singular_values;
  path.total_variance = basis.total_variance;
  path.solver = basis.solver;
  warn_of_data(a, path.warnings);
  path.warnings.insert(path.warnings.end(), basis.warnings.begin(), basis.warnings.end());
  return path;
}

/// Bounds of all points share the time.
void bound_points(const DataMatrix& a, double seconds, std::vector<PathPoint>& points,
                  const Tick& tick) {
  std::vector<ComponentCounts> counts;
  counts.reserve(points.size());
  for (const PathPoint& point : points)
    counts.push_back({point.criteria.nonzeros, point.criteria.cpev_pca});
  const std::vector<double> bounds = orthogonal_bounds(a, counts, {.seconds = seconds}, tick);
  for (std::size_t k = 0; k < points.size(); ++k) points[k].bound = bounds[k];
}

}  // namespace

Path path(const DataMatrix& a, const PathOptions& options, const Observer& observer) {
  return path(a, basis_for(a, options, observer), options, observer);
}

Basis basis_for(const DataMatrix& a, const PathOptions& options, const Observer& observer) {
  check(options, a);
  const ThreadScope scope(options.threads);
  const Tick tick = tick_of(observer, "pca");
  tick(0);
  return principal_basis(a, std::ranges::max(options.components),
                         {.solver = options.solver, .seed = options.seed}, tick);
}

Path path(const DataMatrix& data, const Basis& basis, const PathOptions& options,
          const Observer& observer) {
  check(options, data);
  const ThreadScope scope(options.threads);
  const auto begin = Clock::now();
  std::vector<Index> numbers = options.components;
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  check(basis, data, numbers.back());
  const auto known = basis.gram ? with_gram(data, *basis.gram) : nullptr;
  const DataMatrix& a = known ? *known : data;

  Path path = start_path(data, basis);
  path.singular_values.conservativeResize(numbers.back());
  std::size_t last = 0;
  const Tick tick = tick_of(observer, "rotate");
  for (const Index r : numbers) {
    last = path.points.size();
    for (std::vector<PathPoint>& points : PathFollower(a, basis, r, options, tick).run()) {
      std::vector<PathPoint> best =
          options.effort.level == Effort::Level::none
              ? undominated(std::move(points))
              : searched(a, basis, std::move(points), options, tick_of(observer, "search"));
      std::ranges::move(best, std::back_inserter(path.points));
    }
  }
  path.knee = knee_of(path.points, last);
  path.keep = keep_of(path.points, last, options.keep);
  if (options.certify) bound_points(a, *options.certify, path.points, tick_of(observer, "certify"));
  path.pca_seconds = basis.seconds;
  path.seconds = basis.seconds + seconds_since(begin);
  return path;
}

}  // namespace spcart
