#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/names.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// The four truncations of the paper (section 3.3). The meaning of lambda depends on the type.
enum class TruncationType {
  hard,   ///< T-l0: zero where |z| <= lambda, 0 <= lambda < 1
  soft,   ///< T-l1: sign(z) max(|z| - lambda, 0), 0 <= lambda < 1
  count,  ///< T-sp: zero the lambda smallest, lambda in 0, 1, ..., p - 1; the first among equals
  energy  ///< T-en: zero as many of the smallest as hold at most lambda of |z|^2, 0 <= lambda < 1
};
std::string_view name(TruncationType value);
template <>
TruncationType parse<TruncationType>(std::string_view text);

struct Truncation {
  TruncationType type = TruncationType::hard;
  double lambda = 0;

  bool operator==(const Truncation&) const = default;
};

/// The lambda that is used if none is given: 1/sqrt(p) for hard and soft, floor(0.85 p) zeros for
/// count, 0.15 for energy.
double default_lambda(TruncationType type, Index p);

/// Throws Error if lambda is out of its type's range for vectors of length p.
void check(const Truncation& truncation, Index p);

/// Applies a truncation to many vectors without allocating for each.
class Truncator {
 public:
  Truncator(const Truncation& truncation, Index p);

  /// x = T(z), not normalised. x may be z itself. Linear in the length of z for every type.
  void operator()(std::span<const double> z, std::span<double> x);

 private:
  Truncation truncation_;
  std::vector<double> work_;
};

}  // namespace spcart
