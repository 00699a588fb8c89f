#include "proof/lbfgs.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace spcart {
namespace {

/// The last steps, as an approximation of the inverse of the Hessian.
class Memory {
 public:
  void add(Vector step, Vector change) {
    constexpr std::size_t kMost = 12;
    const double curvature = step.dot(change);
    if (!(curvature > 1e-14 * step.norm() * change.norm())) return;
    if (pairs_.size() == kMost) pairs_.pop_front();
    pairs_.push_back({std::move(step), std::move(change), 1 / curvature});
  }
  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

  Vector times(Vector q) const {
    std::vector<double> weights(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      weights[i] = pairs_[i].inverse * pairs_[i].step.dot(q);
      q -= weights[i] * pairs_[i].change;
    }
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      q *= 1 / (last.inverse * last.change.squaredNorm());
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      q += (weights[i] - pairs_[i].inverse * pairs_[i].change.dot(q)) * pairs_[i].step;
    return q;
  }

 private:
  struct Pair {
    Vector step, change;
    double inverse;  ///< 1 / step'change
  };
  std::deque<Pair> pairs_;
};

}  // namespace

Vector minimize(Vector x, const std::function<double(const Vector&, Vector&)>& function,
                Index max_iterations, const std::function<bool()>& time_is_up) {
  constexpr double kArmijo = 1e-4;
  constexpr int kHalvings = 30;
  Vector gradient(x.size()), next_gradient(x.size());
  double value = function(x, gradient);
  Memory memory;
  for (Index iteration = 0; iteration < max_iterations && !time_is_up(); ++iteration) {
    Vector direction = -memory.times(gradient);
    double slope = direction.dot(gradient);
    if (!(slope < 0)) {
      memory.clear();
      direction = -gradient;
      slope = -gradient.squaredNorm();
      if (slope == 0) break;
    }
    double length = memory.empty() ? std::min(1.0, 0.1 / gradient.norm()) : 1;
    Vector next;
    double next_value = value;
    int halvings = 0;
    for (; halvings < kHalvings; ++halvings, length /= 2) {
      next = x + length * direction;
      next_value = function(next, next_gradient);
      if (next_value <= value + kArmijo * length * slope) break;
    }
    if (halvings == kHalvings) {
      if (memory.empty()) break;
      memory.clear();
      continue;
    }
    memory.add(next - x, next_gradient - gradient);
    const bool done = value - next_value < 1e-9 * std::max(std::abs(value), 1e-3);
    x = std::move(next);
    std::swap(gradient, next_gradient);
    value = next_value;
    if (done) break;
  }
  return x;
}

}  // namespace spcart
