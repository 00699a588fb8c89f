#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "declaration.hpp"
#include "record.hpp"

namespace spcart::reproduce {

/// The result of a check of records. The words state the figures and the requirement.
struct CheckResult {
  bool holds = false;
  std::string measured;
};

/// A predicate over records, as declared.
class Check {
 public:
  virtual ~Check() = default;
  virtual CheckResult evaluate(std::span<const Record> records) const = 0;
};

/// Reads a check: "is" names its kind, on which the other fields depend. `series` are the existing
/// labels. Throws Error for anything unknown.
///
/// Of curves, y = "field" over x = "over" (sparsity by default), for "pairs" of series [A, B]:
///   higher, lower  A beyond B ("by" a difference, or a factor "times") at a "share" of all x,
///                  0.8 by default: all points of either curve where both have a value
///   near           within "by", or within a factor of "times", likewise
///   slower         the exponent of A's growth is below that of B, "by" some difference
///   rougher        "times" as far from smooth as B (Curve::roughness)
///   steadier       a smaller spread ("times" as small)
/// of each of "series":
///   rises, falls   from first to last ("by", "times"); at a share of "steps" besides
///   keeps          the last is within "by", or a factor of "times", of the first
///   growth         the exponent is within "least" and "most"
///   steady         the spread (largest minus smallest) is
/// Of records, for "series":
///   equal          "field", printed with this many "digits", is "value" up to one unit of the last
///   limit          "field" is within "least" and "most" in a "share" of the records, 1 by default
///   fields         "left" is "above", "below" or "near" "right" ("by", "times"), likewise
///   pattern        the pattern is one of "one_of", or none of "none_of"
///   rank           "field" of the series ranks within "ranks" [first, last] "among" others, by
///                  "best": "high" or "low"
///   overall        its mean rank over the fields "high" (more is better) and "low" is better than
///                  that of all others "among"; at all common values of "over", if that is given
///
/// "at" restricts the records that have a field: {"components": 70}, {"iteration": "last"} (of each
/// series). Records without the field stay.
std::unique_ptr<Check> make_check(Fields fields, std::span<const std::string> series);

/// A row of a table: every figure within one unit of its last printed digit (the fourth), counts
/// and pattern the same. The order of the components does not matter.
std::unique_ptr<Check> make_row_check(const std::string& series, const Record& printed);

/// The figures of a row in words: "NZ 18, STD 0.0688, ..., pattern 424332", of those in `printed`.
std::string row_in_words(const Record& row, const Record& printed);

/// Whether two patterns have the same components, in any order: "5-10; 1-4", or "424332".
bool same_pattern(const std::string& a, const std::string& b);

}  // namespace spcart::reproduce
