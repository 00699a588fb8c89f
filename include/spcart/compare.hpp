#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/fit.hpp"

namespace SPCART_EXPORT spcart {

/// A method in a comparison. Fields that are not set take the method's own default.
struct Contender {
  Method method = Method::spcart;
  std::optional<TruncationType> truncation = {};
  std::optional<Start> start = {};

  bool operator==(const Contender&) const = default;
};

/// Reads "rsvd-gp", "rsvd-gp:soft", "spcart:count:identity".
Contender parse_contender(std::string_view text);

/// Every method, with its own defaults.
std::vector<Contender> all_contenders();

struct CompareOptions {
  std::vector<Contender> contenders = all_contenders();
  Index nonzeros = 1;  ///< of a component on average: all components together have r times as many
  Options common =
      {};  ///< components, refit, refine, search, stopping, solver, seed and threads of every fit
};

/// The outcome of one contender.
struct ComparisonRow {
  Contender contender;
  Result result;  ///< at the lambda whose number of nonzeros is nearest to the target
  std::optional<Criteria> searched = {};  ///< after a search from it, unless effort is none
  double seconds = 0;  ///< of one fit at that lambda, principal components included
  Index fits = 1;      ///< number of fits needed to find that lambda
  std::string note;    ///< how near it came, if it did not reach the target
};

/// Fits every contender so that all have the same number of nonzeros: directly if the method counts
/// nonzeros, otherwise by bisection of its lambda. A method without truncation is fitted as it is.
std::vector<ComparisonRow> compare(const DataMatrix& a, const CompareOptions& options,
                                   const Observer& observer = {});

}  // namespace spcart
