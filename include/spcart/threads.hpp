#pragma once

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// Number of threads that products and decompositions use now.
Index threads();

/// The count itself where it is from 0 to 1024; else throws Error.
Index checked_threads(Index count);

/// Sets the number of threads (0 leaves it as it is) and puts the old one back at its end.
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
