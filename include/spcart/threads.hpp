#pragma once

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// Number of threads that products and decompositions use now.
Index threads();

/// Returns the count if it is from 0 to 1024; throws Error otherwise.
Index checked_threads(Index count);

/// Sets the number of threads (0 leaves it as it is) and restores the previous one at the end of
/// the scope.
class ThreadScope {
 public:
  explicit ThreadScope(Index count);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  Index before_;
};

}  // namespace spcart
