#pragma once

#include <span>
#include <vector>

#include "methods/method.hpp"
#include "spcart/methods.hpp"

namespace spcart {

/// One method at several settings, from one basis: in parallel if the method is spcart, one after
/// the other otherwise.
class Trials {
 public:
  Trials(Method method, const Task& task) : method_(method), task_(task) {}

  /// Number of settings that are tried at a time, and fit in memory.
  Index together() const;

  /// The result at each lambda.
  std::vector<MethodResult> at(std::span<const double> lambdas) const;

  /// The results from the task's own start, and from this many random ones.
  std::vector<MethodResult> from_random_starts(Index count) const;

 private:
  Method method_;
  const Task& task_;
};

}  // namespace spcart
