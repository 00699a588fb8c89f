#include "check.hpp"

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "spcart/error.hpp"

namespace spcart::reproduce {

const Field& Scope::field(Fields& fields, std::string_view key) const {
  return field_of(fields.get<std::string>(key), fields.inside(key));
}

std::string Scope::checked(const Fields& fields, std::string label) const {
  if (std::ranges::find(series, label) == series.end())
    fields.fail(
        fmt::format("no series is called '{}'; there are {}", label, fmt::join(series, ", ")));
  return label;
}

std::vector<std::string> Scope::labels(Fields& fields, std::string_view key) const {
  std::vector<std::string> labels = fields.texts(key);
  for (const std::string& label : labels) checked(fields, label);
  if (labels.empty()) fields.fail(fmt::format("'{}' names nothing", key));
  return labels;
}

std::vector<std::pair<std::string, std::string>> Scope::pairs(Fields& fields) const {
  auto pairs = fields.get<std::vector<std::pair<std::string, std::string>>>("pairs");
  for (const auto& [a, b] : pairs) {
    checked(fields, a);
    checked(fields, b);
  }
  if (pairs.empty()) fields.fail("'pairs' names nothing");
  return pairs;
}

Distance::Distance(Fields& fields, const Field& field) : field_(&field) {
  if (fields.has("by")) by_ = fields.get<double>("by");
  if (fields.has("times")) times_ = fields.get<double>("times");
  if (by_ && times_) fields.fail("give 'by' or 'times', not both");
  if (times_ && !(*times_ > 0)) fields.fail("'times' must be above 0");
}

bool Distance::above(double a, double b) const {
  return times_ ? a >= *times_ * b && a > b : a > b + by_.value_or(0);
}

bool Distance::near(double a, double b) const {
  return times_ ? std::max(a, b) <= *times_ * std::min(a, b) : std::abs(a - b) <= by_.value_or(0);
}

std::string Distance::in_words() const {
  if (times_) return fmt::format(" by a factor of {:g}", *times_);
  return by_ ? fmt::format(" by {:g}", *by_) : "";
}

RecordFilter::RecordFilter(Fields& fields) {
  if (!fields.has("at")) return;
  for (const auto& [key, value] : fields.raw("at").items()) {
    Condition condition{.field = std::string(field_of(key, fields.inside("at")).name)};
    if (value == "first")
      condition.end = End::first;
    else if (value == "last")
      condition.end = End::last;
    else if (value.is_number())
      condition.value = value.get<double>();
    else
      fields.fail(
          fmt::format(R"(at.{} = {}: it must be a number, "first" or "last")", key, value.dump()));
    conditions_.push_back(std::move(condition));
  }
}

std::vector<Record> RecordFilter::select(std::span<const Record> records) const {
  std::vector<Record> selected(records.begin(), records.end());
  for (const Condition& condition : conditions_) {
    const auto wanted = [&](const Record& record) -> std::optional<double> {
      if (condition.end == End::none) return condition.value;
      std::optional<double> extreme;
      for (const Record& other : selected)
        if (const auto v = other.get(condition.field); v && other.series == record.series)
          if (!extreme || (condition.end == End::last ? *v > *extreme : *v < *extreme)) extreme = v;
      return extreme;
    };
    std::vector<Record> kept;
    for (const Record& record : selected) {
      const auto v = record.get(condition.field), target = wanted(record);
      if (!v || std::abs(*v - *target) <= 1e-9 * std::max(1.0, std::abs(*target)))
        kept.push_back(record);
    }
    selected = std::move(kept);
  }
  return selected;
}

std::unique_ptr<Check> make_check(Fields fields, std::span<const std::string> series) {
  const auto kind = fields.get<std::string>("is");
  const Scope scope{series};
  std::unique_ptr<Check> check = make_curve_check(kind, fields, scope);
  if (!check) check = make_record_check(kind, fields, scope);
  if (!check) fields.fail(fmt::format("no check is called '{}'", kind));
  fields.finish();
  return check;
}

}  // namespace spcart::reproduce
