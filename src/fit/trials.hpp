#pragma once

#include <span>
#include <vector>

#include "methods/method.hpp"
#include "spcart/methods.hpp"

namespace spcart {

/// One method tried at several settings, from one basis: side by side where the method is spcart,
/// one after the other where it is not.
class Trials {
 public:
  Trials(Method method, const Task& task) : method_(method), task_(task) {}

  /// How many settings are tried at a time, and fit in memory.
  Index together() const;

  /// What is found at each lambda.
  std::vector<MethodResult> at(std::span<const double> lambdas) const;

  /// What is found by the task's own start, and by so many random ones.
  std::vector<MethodResult> from_random_starts(Index count) const;

 private:
  Method method_;
  const Task& task_;
};

}  // namespace spcart
