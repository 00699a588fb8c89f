#pragma once

#include <span>
#include <string>

#include "run.hpp"

namespace spcart::reproduce {

/// What is common to all experiments.
struct Circumstances {
  std::string date;     ///< 2026-11-16
  std::string machine;  ///< "AMD EPYC 7763, 2 threads"
  bool quick = false;
};

/// The current ones.
Circumstances circumstances(bool quick);

/// Everything as one JSON: records, figures, tables, images and claims. See docs/json.md.
std::string to_json(std::span<const Outcome> outcomes, const Circumstances& circumstances);

/// {"claims": [{"experiment", "claim", "paper", "measured", "holds", "note"}]}
std::string claims_json(std::span<const Outcome> outcomes);

/// A page to read: the claims by experiment with their verdicts, printed tables beside measured
/// ones.
std::string to_markdown(std::span<const Outcome> outcomes, const Circumstances& circumstances);

struct Tally {
  std::size_t holding = 0, all = 0;
};
Tally tally(std::span<const Outcome> outcomes);

/// "101 of 126 claims hold", and how many of them are our own.
std::string in_words(std::span<const Outcome> outcomes);

}  // namespace spcart::reproduce
