#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

// What the kinds of checks share, and the functions that make each family.
namespace spcart::reproduce {

/// What a check's declaration may name.
struct Scope {
  std::span<const std::string> series;

  const Field& field(Fields& fields, std::string_view key) const;
  std::string checked(const Fields& fields, std::string label) const;
  std::vector<std::string> labels(Fields& fields, std::string_view key) const;
  std::vector<std::pair<std::string, std::string>> pairs(Fields& fields) const;
};

/// "by" a difference or "times" a factor: the required distance between two values.
class Distance {
 public:
  Distance(Fields& fields, const Field& field);

  bool above(double a, double b) const;
  bool near(double a, double b) const;

  bool is_ratio() const { return times_ || field_->kind == Field::Kind::time; }
  std::string in_words() const;  ///< " by 0.01", " by a factor of 2", or nothing

 private:
  const Field* field_;
  std::optional<double> by_, times_;
};

/// Selects some of the records.
class RecordFilter {
 public:
  explicit RecordFilter(Fields& fields);
  std::vector<Record> select(std::span<const Record> records) const;

 private:
  enum class End { none, first, last };
  struct Condition {
    std::string field;
    End end = End::none;
    double value = 0;
  };
  std::vector<Condition> conditions_;
};

/// Collects the statements about several series or pairs: all must hold.
class Verdict {
 public:
  template <class... Arguments>
  void add(bool holds, fmt::format_string<Arguments...> words, Arguments&&... arguments) {
    holds_ = holds_ && holds;
    if (!words_.empty()) words_ += "; ";
    words_ += fmt::format(words, std::forward<Arguments>(arguments)...);
  }

  CheckResult with(const std::string& asked) const {
    return {holds_ && !words_.empty(), asked.empty() ? words_ : words_ + " (asked: " + asked + ")"};
  }

 private:
  bool holds_ = true;
  std::string words_;
};

/// Each makes the checks of its family, or returns null for a kind that does not belong to it.
std::unique_ptr<Check> make_curve_check(const std::string& kind, Fields& fields,
                                        const Scope& scope);
std::unique_ptr<Check> make_record_check(const std::string& kind, Fields& fields,
                                         const Scope& scope);

}  // namespace spcart::reproduce
