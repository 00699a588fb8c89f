#include "document.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>

#include "declaration.hpp"
#include "spcart/threads.hpp"
#include "spcart/version.hpp"

namespace spcart::reproduce {
namespace {

/// Six digits are more than anyone reads, and a third of the length.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double unit = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Record& record) {
  Json object = {{"series", record.series}};
  if (!record.pattern.empty()) object["pattern"] = record.pattern;
  for (const Field& field : fields())
    if (const auto value = record.get(field.name))
      object[std::string(field.name)] = rounded(*value);
  return object;
}

std::string label_of(const std::string& field) { return std::string(field_of(field, "").label); }

/// The page draws one field, with one line per series: so each field of a figure with lines becomes
/// a series of a field that only this figure has.
Json json_of(const Figure& figure, std::size_t number, const std::vector<Record>& records,
             Json& all) {
  const std::string y = figure.lines.empty() ? figure.y : fmt::format("lines_{}", number);
  for (const std::string& line : figure.lines)
    for (const Record& record : records)
      if (const auto at = record.get(figure.x), value = record.get(line);
          record.series == figure.series && at && value)
        all.push_back({{"series", label_of(line)}, {figure.x, rounded(*at)}, {y, rounded(*value)}});
  return {{"title", figure.title},
          {"x", figure.x},
          {"y", y},
          {"x_label", label_of(figure.x)},
          {"y_label", figure.lines.empty() ? label_of(figure.y) : ""},
          {"log_x", figure.log_x},
          {"log_y", figure.log_y}};
}

Json table_of(const Experiment& experiment) {
  if (experiment.table.empty()) return nullptr;
  Json columns = Json::array({{{"field", "series"}, {"label", "method"}}});
  for (const std::string& field : experiment.table)
    columns.push_back({{"field", field}, {"label", label_of(field)}});
  if (experiment.pattern != PatternKind::none)
    columns.push_back({{"field", "pattern"}, {"label", "pattern"}});
  return columns;
}

Json images_of(const Outcome& outcome) {
  if (outcome.pictures.empty() || !outcome.experiment->data.image) return nullptr;
  Json rows = Json::array();
  for (const auto& [label, loadings] : outcome.pictures) {
    Json columns = Json::array();
    for (Index i = 0; i < loadings.cols(); ++i) {
      Json index = Json::array(), value = Json::array();
      for (Loadings::InnerIterator it(loadings, i); it; ++it) {
        index.push_back(it.row());
        value.push_back(rounded(it.value()));
      }
      columns.push_back({{"index", std::move(index)}, {"value", std::move(value)}});
    }
    rows.push_back({{"label", label}, {"loadings", std::move(columns)}});
  }
  const auto& [height, width] = *outcome.experiment->data.image;
  return {{"shape", {height, width}}, {"rows", std::move(rows)}};
}

Json json_of(const Outcome& outcome) {
  const Experiment& experiment = *outcome.experiment;
  Json records = Json::array(), figures = Json::array();
  for (const Record& record : outcome.records) records.push_back(json_of(record));
  for (const Figure& figure : experiment.figures)
    figures.push_back(json_of(figure, figures.size() + 1, outcome.records, records));
  return {{"name", experiment.name},       {"title", experiment.title},
          {"about", experiment.about},     {"data", outcome.data},
          {"stand_in", outcome.stand_in},  {"seconds", rounded(outcome.seconds)},
          {"records", std::move(records)}, {"figures", std::move(figures)},
          {"table", table_of(experiment)}, {"images", images_of(outcome)}};
}

Json claims_of(std::span<const Outcome> outcomes) {
  Json claims = Json::array();
  for (const Outcome& outcome : outcomes)
    for (const ClaimResult& claim : outcome.claims)
      claims.push_back({{"experiment", claim.experiment},
                        {"claim", claim.claim},
                        {"paper", claim.paper},
                        {"measured", claim.measured},
                        {"holds", claim.holds},
                        {"note", or_null(claim.note)}});
  return claims;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown processor";
}

}  // namespace

Circumstances circumstances(bool quick) {
  return {
      .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
      .machine = fmt::format("{}, {} thread{}", processor(), threads(), threads() == 1 ? "" : "s"),
      .quick = quick};
}

std::string to_json(std::span<const Outcome> outcomes, const Circumstances& circumstances) {
  Json experiments = Json::array();
  for (const Outcome& outcome : outcomes) experiments.push_back(json_of(outcome));
  const Json document = {{"spcart", kVersion},           {"kind", "reproduce"},
                         {"date", circumstances.date},   {"machine", circumstances.machine},
                         {"quick", circumstances.quick}, {"experiments", std::move(experiments)},
                         {"claims", claims_of(outcomes)}};
  return document.dump() + '\n';
}

std::string claims_json(std::span<const Outcome> outcomes) {
  return Json{{"claims", claims_of(outcomes)}}.dump(1) + '\n';
}

Tally tally(std::span<const Outcome> outcomes) {
  Tally tally;
  for (const Outcome& outcome : outcomes)
    for (const ClaimResult& claim : outcome.claims) {
      tally.holding += claim.holds;
      ++tally.all;
    }
  return tally;
}

std::string in_words(std::span<const Outcome> outcomes) {
  std::vector<Outcome> ours;
  for (const Outcome& outcome : outcomes)
    if (outcome.experiment->ours) ours.push_back(outcome);
  const auto [holding, all] = tally(outcomes);
  const auto [our_holding, our_all] = tally(ours);
  std::string text = fmt::format("{} of {} claims hold", holding, all);
  if (our_all > 0 && our_all < all)
    text += fmt::format(": {} of {} of the paper's, {} of {} of ours", holding - our_holding,
                        all - our_all, our_holding, our_all);
  return text;
}

}  // namespace spcart::reproduce
