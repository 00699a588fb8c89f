#include <fmt/format.h>

#include <algorithm>

#include "catalogue.hpp"
#include "document.hpp"

namespace spcart::reproduce {
namespace {

/// A text as a cell of a table.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

/// The experiments as the command's arguments, unless they are all.
std::string names_of(std::span<const Outcome> outcomes) {
  std::string names;
  for (const Outcome& outcome : outcomes) names += ' ' + outcome.experiment->name;
  return outcomes.size() < experiment_names().size() ? names : "";
}

std::string summary(std::span<const Outcome> outcomes, const Circumstances& now) {
  std::size_t stand_ins = 0;
  bool real_data = false;
  double seconds = 0;
  std::string apart;
  for (const Outcome& outcome : outcomes) {
    stand_ins += outcome.stand_in;
    real_data |= !outcome.experiment->data.file.empty() && !outcome.stand_in;
    seconds += outcome.seconds;
    const auto differing = std::ranges::count(outcome.claims, false, &ClaimResult::holds);
    if (differing > 0)
      apart +=
          fmt::format("{}{} ({})", apart.empty() ? "" : ", ", outcome.experiment->name, differing);
  }
  std::string text = fmt::format(
      "{}. {}Made on {} ({}) in {:.0f} s by\n\n    {}spcart reproduce{}{} --out DIR\n\n",
      in_words(outcomes), apart.empty() ? "" : fmt::format("Those that do not are in {}. ", apart),
      now.date, now.machine, seconds, real_data ? "SPCART_DATA=FOLDER " : "", names_of(outcomes),
      now.quick ? " --quick" : "");
  if (stand_ins > 0)
    text += fmt::format(
        "{} experiment{} on a built-in data set in place of the real data, and the verdicts are of "
        "that: each says so.\n\n",
        stand_ins, stand_ins == 1 ? " is" : "s are");
  return text;
}

constexpr std::string_view kReading =
    "The paper is Z. Hu, G. Pan, Y. Wang and Z. Wu, \"Sparse Principal Component Analysis via "
    "Rotation and Truncation\", IEEE\nTransactions on Neural Networks and Learning Systems 27(4), "
    "2016.\n\n"
    "Each claim is a sentence of the paper's experiments, captions or conclusion, with what the "
    "paper says of it, what was\nmeasured here, and what was asked of the measure for the claim to "
    "hold. The verdict is computed from the records of the\nruns by the checks in "
    "[experiments/](../experiments), never written by hand; but what is asked is our reading of "
    "the paper's words, by one table for all claims, which was written after figures had been "
    "seen: [see "
    "there](../experiments/README.md). A row of a table holds where every "
    "figure is\nwithin one unit of its last printed digit. Where curves are compared, it is at "
    "every point of either curve at which both\nhave a value, by interpolation. Times include the "
    "method's initialisation, as in the paper. SP is the mean fraction of\nzeros in a loading, STD "
    "its spread, worst SP its minimum, CPEV the variance explained, NOR the mean overlap of two\n"
    "loadings; hard, soft, count and energy are the paper's T-l0, T-l1, T-sp and T-en.\n\n";

std::string claims_table(const Outcome& outcome) {
  std::string text = "| claim | paper | measured | verdict |\n|---|---|---|---|\n";
  for (const ClaimResult& claim : outcome.claims)
    text += fmt::format("| {} | {} | {} | {}{} |\n", cell(claim.claim), cell(claim.paper),
                        cell(claim.measured), claim.holds ? "holds" : "**differs**",
                        claim.note.empty() ? "" : ": " + cell(claim.note));
  return text + '\n';
}

/// Printed figures beside measured ones: "0.8013 (0.8013)".
std::string printed_table(const Outcome& outcome) {
  const Experiment& experiment = *outcome.experiment;
  std::vector<const Field*> columns;
  for (const Field& field : fields())
    if (std::ranges::any_of(experiment.series, [&](const Series& series) {
          return series.paper && series.paper->get(field.name);
        }))
      columns.push_back(&field);
  if (columns.empty()) return "";
  std::string text = "Measured, and the paper's figure in brackets:\n\n| method |";
  std::string line = "\n|---|";
  for (const Field* field : columns) {
    text += fmt::format(" {} |", field->label);
    line += "---|";
  }
  text += " pattern |" + line + "---|\n";
  for (const Series& series : experiment.series) {
    const auto record = std::ranges::find(outcome.records, series.label, &Record::series);
    if (!series.paper || record == outcome.records.end()) continue;
    text += fmt::format("| {} |", cell(series.label));
    for (const Field* field : columns) {
      const auto measured = record->get(field->name), printed = series.paper->get(field->name);
      text += fmt::format(" {} ({}) |", measured ? in_words(*field, *measured) : "",
                          printed ? in_words(*field, *printed) : "");
    }
    text += fmt::format(" {} ({}) |\n", record->pattern, series.paper->pattern);
  }
  return text + '\n';
}

}  // namespace

std::string to_markdown(std::span<const Outcome> outcomes, const Circumstances& circumstances) {
  std::string text = "# The paper, reproduced\n\n" + summary(outcomes, circumstances);
  text += kReading;
  for (const Outcome& outcome : outcomes) {
    const Experiment& experiment = *outcome.experiment;
    const auto holding = std::ranges::count(outcome.claims, true, &ClaimResult::holds);
    text += fmt::format("## {}\n{}\n\nData: {}{}. `spcart reproduce {}`; {} of {} claims hold.\n\n",
                        experiment.title, experiment.about, outcome.data,
                        outcome.stand_in ? " (a stand-in)" : "", experiment.name, holding,
                        outcome.claims.size());
    text += claims_table(outcome) + printed_table(outcome);
  }
  text.pop_back();
  return text;
}

}  // namespace spcart::reproduce
