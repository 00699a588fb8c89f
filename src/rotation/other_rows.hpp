#pragma once

#include <functional>

#include "spcart/types.hpp"

namespace spcart {

/// Those who have the other rows of a basis V that is spread. All call the same functions in the
/// same order, and what they learn is the same to the last bit, so that they always agree.
class OtherRows {
 public:
  virtual ~OtherRows() = default;

  virtual Index all() const = 0;  ///< rows of V
  virtual void sum(Block numbers) const = 0;
  virtual Vector sum_before(const Vector& numbers) const = 0;  ///< of those with earlier rows only

  /// What the first of them has; only that one need compute it.
  virtual bool is_first() const = 0;
  virtual void take_from_first(Block numbers) const = 0;

  /// Work that may throw: then it does so for all.
  virtual void together(const std::function<void()>& work) const = 0;
};

}  // namespace spcart
