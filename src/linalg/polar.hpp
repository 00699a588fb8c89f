#pragma once

#include "spcart/types.hpp"

namespace spcart {

/// Polar factors of a sequence of square matrices that change slowly, as in alternating
/// minimisation: Polar(B) = W Q' for the singular value decomposition B = W D Q', the orthogonal
/// matrix nearest to B. Newton-Schulz steps Y (3 I - Y'Y) / 2 need only products. Few are enough if
/// they are scaled to the range of singular values, of which the last matrix gives a good estimate.
/// If they do not converge (B is singular, or nearly), the decomposition is computed.
class PolarSteps {
 public:
  explicit PolarSteps(Index r);

  /// `factor` becomes Polar(B); returns the trace norm of B, the sum of its singular values.
  double operator()(const Matrix& b, Matrix& factor);

  /// Number of steps for the last matrix.
  int steps() const { return steps_; }

  /// How many matrices needed the decomposition.
  Index decomposed() const { return decomposed_; }

 private:
  bool iterate(const Matrix& b);
  double defect();
  void estimate_range();
  void finish(double distance);

  Matrix y_, next_, e_, square_;    ///< Y, its successor, E = I - Y'Y, its square
  Vector top_, bottom_, product_;   ///< estimates of the first and last eigenvector of B'B
  double largest_ = 0, least_ = 0;  ///< estimates of their eigenvalues
  Index decomposed_ = 0;
  int steps_ = 0;
};

}  // namespace spcart
