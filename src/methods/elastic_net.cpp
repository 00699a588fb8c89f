#include "methods/elastic_net.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace spcart {
namespace {

/// Penalties that differ by no more than this fraction are equal.
constexpr double kSamePenalty = 1e-9;

/// A variable of whose variance the others leave less than this fraction is a linear combination of
/// them.
constexpr double kCollinear = 1e-12;

/// The path has about p corners; only rounding could make it cycle.
constexpr Index kStepsPerVariable = 20;

/// The Cholesky factor of a matrix that grows and shrinks by one row and column at a time.
class Cholesky {
 public:
  /// False, and nothing done, if the matrix would become singular.
  bool append(const Vector& row, double diagonal) {
    const Index n = row.size();
    if (n == factor_.rows()) factor_.conservativeResize(2 * n + 8, 2 * n + 8);
    const Vector solved = lower(n).solve(row);
    const double own = diagonal - solved.squaredNorm();
    if (!(own > kCollinear * diagonal)) return false;
    factor_.row(n).head(n) = solved.transpose();
    factor_(n, n) = std::sqrt(own);
    return true;
  }

  /// Without row k of n, each row below has an entry beyond the diagonal, which is rotated away.
  void remove(Index k, Index n) {
    for (Index i = k; i + 1 < n; ++i) factor_.row(i).head(i + 2) = factor_.row(i + 1).head(i + 2);
    for (Index i = k; i + 1 < n; ++i) {
      Eigen::JacobiRotation<double> rotation;
      rotation.makeGivens(factor_(i, i), factor_(i, i + 1));
      factor_.block(i, i, n - 1 - i, 2).applyOnTheRight(0, 1, rotation);
    }
  }

  Vector solve(const Vector& b) const {
    const auto triangle = lower(b.size());
    return triangle.transpose().solve(triangle.solve(b));
  }

 private:
  Eigen::TriangularView<const Eigen::Block<const Matrix>, Eigen::Lower> lower(Index n) const {
    return factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  }

  Matrix factor_;
};

class Path {
 public:
  Path(const Gram& gram, double ridge, const Vector& h)
      : gram_(gram),
        ridge_(ridge),
        h_(h),
        z_(Vector::Zero(h.size())),
        correlation_(h),
        penalty_(h.cwiseAbs().maxCoeff()),
        roles_(static_cast<std::size_t>(h.size()), Role::free) {}

  ElasticNet::Solution follow(const ElasticNet::End& end, const Tick& tick) {
    const Index most_steps = kStepsPerVariable * (z_.size() + 1);
    bool more = penalty_ > end.penalty;
    for (Index step = 0; more && step < most_steps; ++step) {
      if (tick) tick(0);
      more = iterate(end);
    }
    settle();
    return {std::move(z_), penalty_};
  }

 private:
  enum class Role : char { free, active, mixture, barred };

  struct Member {
    Index variable;
    double sign;     ///< of z, and of the correlation with the residual
    double entered;  ///< at this penalty
  };

  struct Event {
    enum class Kind { end, length, enter, leave } kind = Kind::end;
    double distance = 0;  ///< by which the penalty falls until then
    Index which = 0;      ///< the variable that enters, the position of the member that leaves
  };

  /// From one corner of the path to the next; false at its end.
  bool iterate(const ElasticNet::End& end) {
    const Vector direction = members_.empty() ? Vector() : factor_.solve(signs());
    const Vector fall = product(direction);
    const Event event = next_event(direction, fall, end);
    advance(event.distance, direction, fall);
    left_ = -1;
    switch (event.kind) {
      case Event::Kind::enter:
        return enter(event.which, end.nonzeros);
      case Event::Kind::leave:
        leave(event.which);
        return true;
      case Event::Kind::length:
        length_ = end.length;
        return false;
      default:
        return false;
    }
  }

  Event next_event(const Vector& direction, const Vector& fall, const ElasticNet::End& end) const {
    Event event{.distance = penalty_ - end.penalty};
    const auto consider = [&](Event::Kind kind, double distance, Index which) {
      if (distance < event.distance - kSamePenalty * penalty_)
        event = {kind, std::max(distance, 0.0), which};
    };
    double length = 0, growth = 0;
    for (Index k = 0; k < direction.size(); ++k) {
      const Member& member = members_[static_cast<std::size_t>(k)];
      const double value = member.sign * z_[member.variable], slope = member.sign * direction[k];
      if (slope < 0) consider(Event::Kind::leave, value / -slope, k);
      length += value;
      growth += slope;
    }
    if (growth > 0) consider(Event::Kind::length, (end.length - length) / growth, 0);
    for (Index j = z_.size() - 1; j >= 0; --j) {
      if (roles_[static_cast<std::size_t>(j)] != Role::free) continue;
      for (const double sign : {1.0, -1.0}) {
        if (j == left_ && sign * correlation_[j] > 0) continue;
        const double closing = 1 - sign * fall[j];
        if (closing > 0)
          consider(Event::Kind::enter, (penalty_ - sign * correlation_[j]) / closing, j);
      }
    }
    return event;
  }

  void advance(double distance, const Vector& direction, const Vector& fall) {
    correlation_ -= distance * fall;
    for (Index k = 0; k < direction.size(); ++k) {
      const Index j = members_[static_cast<std::size_t>(k)].variable;
      z_[j] += distance * direction[k];
      correlation_[j] -= distance * ridge_ * direction[k];
    }
    penalty_ -= distance;
  }

  /// False if the path ends before j. Variables that entered at this corner are then removed with
  /// it.
  bool enter(Index j, Index most) {
    const auto is_new = [this](const Member& m) {
      return m.entered <= penalty_ * (1 + kSamePenalty);
    };
    if (static_cast<Index>(members_.size()) == most) {
      if (!std::ranges::all_of(members_, is_new)) {
        for (Index k = most - 1; k >= 0; --k)
          if (is_new(members_[static_cast<std::size_t>(k)])) leave(k);
        return false;
      }
      roles_[static_cast<std::size_t>(j)] = Role::barred;
      return true;
    }
    const bool independent = factor_.append(column_at_members(j), gram_.diagonal()[j] + ridge_);
    roles_[static_cast<std::size_t>(j)] = independent ? Role::active : Role::mixture;
    if (independent) members_.push_back({j, correlation_[j] > 0 ? 1.0 : -1.0, penalty_});
    return true;
  }

  void leave(Index k) {
    left_ = members_[static_cast<std::size_t>(k)].variable;
    z_[left_] = 0;
    factor_.remove(k, static_cast<Index>(members_.size()));
    members_.erase(members_.begin() + k);
    std::ranges::replace(roles_, Role::mixture, Role::free);
    roles_[static_cast<std::size_t>(left_)] = Role::free;
  }

  /// Rounding accumulates over the steps: computes the values again from the members and their
  /// signs only; and the penalty, if the length is given. A variable that enters or leaves exactly
  /// here may get the wrong sign.
  void settle() {
    if (members_.empty()) return;
    Vector right(static_cast<Index>(members_.size()));
    std::ranges::transform(members_, right.begin(),
                           [this](const Member& m) { return h_[m.variable]; });
    const Vector unpenalized = factor_.solve(right), slope = factor_.solve(signs());
    if (length_) penalty_ = (signs().dot(unpenalized) - *length_) / signs().dot(slope);
    const Vector values = unpenalized - penalty_ * slope;
    for (Index k = 0; k < values.size(); ++k) {
      const Member& member = members_[static_cast<std::size_t>(k)];
      z_[member.variable] = member.sign * values[k] > 0 ? values[k] : 0;
    }
  }

  Vector signs() const {
    Vector signs(static_cast<Index>(members_.size()));
    std::ranges::transform(members_, signs.begin(), &Member::sign);
    return signs;
  }

  /// A'A times the direction.
  Vector product(const Vector& direction) const {
    Vector sum = Vector::Zero(z_.size());
    for (Index k = 0; k < direction.size(); ++k) {
      const Index j = members_[static_cast<std::size_t>(k)].variable;
      if (gram_.matrix())
        sum += direction[k] * gram_.matrix()->col(j);
      else
        sum[j] = direction[k];
    }
    if (gram_.matrix() || direction.size() == 0) return sum;
    return gram_.times(sum);
  }

  Vector column_at_members(Index j) const {
    Vector row(static_cast<Index>(members_.size()));
    const Vector column = gram_.matrix() ? Vector() : Vector(gram_.columns({&j, 1}));
    std::ranges::transform(members_, row.begin(), [&](const Member& m) {
      return gram_.matrix() ? (*gram_.matrix())(m.variable, j) : column[m.variable];
    });
    return row;
  }

  const Gram& gram_;
  double ridge_;
  const Vector& h_;
  Vector z_, correlation_;  ///< the second is h - (A'A + ridge I) z: at most the penalty
  double penalty_;
  std::optional<double> length_;  ///< at which the path has ended
  std::vector<Role> roles_;       ///< of each variable
  std::vector<Member> members_;
  Cholesky factor_;  ///< of A'A + ridge I at the members
  Index left_ = -1;  ///< the variable that left at this corner: rounding must not bring it back
};

}  // namespace

ElasticNet::Solution ElasticNet::follow(const Vector& h, const End& end, const Tick& tick) const {
  return Path(gram_, ridge_, h).follow(end, tick);
}

}  // namespace spcart
