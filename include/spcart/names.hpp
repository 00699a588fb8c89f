#pragma once

#include <string_view>

namespace spcart {

enum class Method;
enum class TruncationType;
enum class Start;
enum class Solver;
enum class Precision;
enum class BestBy;
enum class Order;
enum class Status;
enum class Scalar;
enum class Missing;
enum class Presence;
enum class BoundKind;

// Names of all choices, as they appear in options, JSON and messages. `parse` also knows the
// paper's short names (l0, l1, sp, en) and throws Error listing the names for any other word.
std::string_view name(Method value);
std::string_view name(TruncationType value);
std::string_view name(Start value);
std::string_view name(Solver value);
std::string_view name(Precision value);
std::string_view name(BestBy value);
std::string_view name(Order value);
std::string_view name(Status value);
std::string_view name(Scalar value);
std::string_view name(Missing value);
std::string_view name(Presence value);
std::string_view name(BoundKind value);

template <class Choice>
Choice parse(std::string_view text);

/// Whether `parse` would take it.
template <class Choice>
bool is_name(std::string_view text);

}  // namespace spcart
