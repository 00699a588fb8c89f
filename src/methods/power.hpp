#pragma once

#include <string>

#include "data/gram.hpp"
#include "methods/method.hpp"
#include "methods/shrink.hpp"

namespace spcart {

/// The iteration of the whole family: X = shrink(A' Polar(A X)), one component per column, until X
/// changes by less than the tolerance. With one column, Polar is division by the length. Only
/// products with A'A are needed.
class PowerIteration {
 public:
  /// When a run ends: when the test is met, or one iteration later, as some authors do.
  enum class End { at_test, one_later };

  /// Iterations, and a warning if it does not converge, are added to `found`.
  PowerIteration(const Task& task, const Gram& gram, MethodResult& found, End end = End::at_test)
      : task_(task), gram_(gram), found_(&found), end_(end) {}

  void report_to(MethodResult& found) { found_ = &found; }

  /// Columns of unit length, or zero.
  Matrix run(Matrix x, const Shrink& shrink) const;

  /// The fractions of the whole work between which a run lies, for progress reports.
  void set_progress(double from, double to);
  void tick(double fraction) const;

 private:
  Matrix product(const Matrix& x, const Tick& tick) const;
  Matrix polar_step(const Matrix& x, const Tick& tick) const;

  const Task& task_;
  const Gram& gram_;
  MethodResult* found_;
  End end_;
  double from_ = 0, to_ = 1;
};

/// The origin of loadings that are each the truncation of some unit vector.
Origin truncated_units(const Loadings& x);

/// Warns of components that are zero because the `full` ones before them explain all variance.
void warn_of_used_up_variance(Index full, Index components, MethodResult& found);

}  // namespace spcart
