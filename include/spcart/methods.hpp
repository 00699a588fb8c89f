#pragma once

#include <span>
#include <string>
#include <string_view>

#include "spcart/export.hpp"
#include "spcart/names.hpp"
#include "spcart/rotate.hpp"
#include "spcart/truncation.hpp"

namespace SPCART_EXPORT spcart {

/// The methods for sparse loadings. docs/methods has one page per method.
enum class Method {
  spcart,
  pca,
  st,
  varimax,
  rsvd,
  rsvd_gp,
  rsvd_gpb,
  tpower,
  gpower,
  gpowerb,
  spc,
  spca,
  pathspca,
  alspca,
  itspca,
  greedy,
  scotlass,
  dspca,
  exact
};
std::string_view name(Method value);
template <>
Method parse<Method>(std::string_view text);

/// How greedy selection finds a set of variables.
enum class Direction {
  forward,   ///< adds one variable at a time
  backward,  ///< begins with all variables, and removes one at a time
  both       ///< the better of the two
};
std::string_view name(Direction value);
template <>
Direction parse<Direction>(std::string_view text);

/// What is left of S = A'A for the next component of the method exact, once x is found.
enum class Deflation {
  projection,  ///< (I - x x') S (I - x x'), as for the other methods
  hotelling,   ///< S - (x'Sx) x x', which may be indefinite (Hotelling 1933)
  schur        ///< S - S x x'S / x'Sx: less what x explains of all variables (Mackey 2008)
};
std::string_view name(Deflation value);
template <>
Deflation parse<Deflation>(std::string_view text);

/// The range of lambda.
struct LambdaRange {
  double least = 0, most = 1;
  double default_value = 0;     ///< if none is given
  bool sparser_upwards = true;  ///< whether a larger lambda leaves fewer nonzeros
};

struct Task;
struct MethodResult;

/// One method as every interface shows it, and the options that it has.
struct MethodRecord {
  Method method;
  std::string_view name;   ///< in options, JSON and messages
  std::string_view title;  ///< half a line: what it does
  /// Those that it has, or penalties of that kind. The first is its default; none: it truncates
  /// nothing.
  std::span<const TruncationType> truncations = {};
  std::span<const Start> starts = {};  ///< the first is its default; none: it has no choice
  std::span<const std::string_view> options = {};  ///< that only this method, or few others, take
  bool proves = false;  ///< whether the result is the best that there is: nothing improves it
  /// Range and default of lambda. Null, and for count: those of the truncation.
  LambdaRange (*lambda)(TruncationType type, Index p) = nullptr;
  MethodResult (*run)(const Task&) = nullptr;  ///< for fit() alone
};

std::span<const MethodRecord> method_records();
std::string method_names();  ///< "spcart, pca, ..."
const MethodRecord& record_of(Method method);

bool has(const MethodRecord& record, TruncationType type);
LambdaRange lambda_range(const MethodRecord& record, TruncationType type, Index p);

}  // namespace spcart
