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
  itspca
};
std::string_view name(Method value);
template <>
Method parse<Method>(std::string_view text);

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
