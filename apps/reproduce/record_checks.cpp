#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "checks.hpp"
#include "curve.hpp"

namespace spcart::reproduce {
namespace {

std::vector<Record> of_series(const std::vector<Record>& records,
                              const std::vector<std::string>& series) {
  std::vector<Record> found;
  for (const Record& record : records)
    if (std::ranges::find(series, record.series) != series.end()) found.push_back(record);
  return found;
}

/// Checks of single records: a share of those of some series must pass.
class RecordCheck : public Check {
 public:
  CheckResult evaluate(std::span<const Record> records) const override {
    Verdict verdict;
    for (const std::string& label : series_) {
      std::vector<Record> measured;
      for (const Record& record : of_series(filter_.select(records), {label}))
        if (applies(record)) measured.push_back(record);
      if (measured.empty()) {
        verdict.add(false, "{} was not measured", label);
        continue;
      }
      const auto passed =
          std::ranges::count_if(measured, [&](const Record& r) { return passes(r); });
      const auto count = static_cast<double>(measured.size());
      const std::string tally =
          measured.size() > 1 ? fmt::format(" at {} of {}", passed, measured.size()) : "";
      verdict.add(static_cast<double>(passed) >= share_ * count, "{}: {}{}", label,
                  describe(measured), tally);
    }
    return verdict.with(asked() +
                        (share_ < 1 ? fmt::format(" at {:.0f} % or more", 100 * share_) : ""));
  }

 protected:
  RecordCheck(Fields& fields, const Scope& scope)
      : series_(scope.labels(fields, "series")),
        filter_(fields),
        share_(fields.get_or("share", 1.0)) {}

 private:
  virtual bool applies(const Record& record) const = 0;
  virtual bool passes(const Record& record) const = 0;
  virtual std::string describe(const std::vector<Record>& records) const = 0;
  virtual std::string asked() const = 0;

  std::vector<std::string> series_;
  RecordFilter filter_;
  double share_;
};

/// Whether a value, printed with this many digits, is within one unit of the last of them.
bool same_digits(double value, double printed, int digits) {
  const double unit = std::pow(10.0, -digits);
  return std::abs(std::round(value / unit) - std::round(printed / unit)) <= 1;
}

/// "0.8013", or "0.78 to 0.81" for several.
std::string range_in_words(const std::vector<Record>& records, const Field& field) {
  std::vector<double> values;
  values.reserve(records.size());
  for (const Record& record : records) values.push_back(*record.get(field.name));
  const auto [least, most] = std::ranges::minmax(values);
  const std::string low = in_words(field, least), high = in_words(field, most);
  return fmt::format("{} {}", field.label, low == high ? low : low + " to " + high);
}

class Limit : public RecordCheck {
 public:
  Limit(Fields& fields, const Scope& scope)
      : RecordCheck(fields, scope), field_(scope.field(fields, "field")) {
    if (!fields.has("least") && !fields.has("most")) fields.fail("give 'least' or 'most'");
    least_ = fields.get_or("least", least_);
    most_ = fields.get_or("most", most_);
    asked_ = fields.has("least") ? "at least " + in_words(field_, least_) : "";
    if (fields.has("most"))
      asked_ += (asked_.empty() ? "at most " : ", at most ") + in_words(field_, most_);
  }

 private:
  bool applies(const Record& record) const override { return record.get(field_.name).has_value(); }
  bool passes(const Record& record) const override {
    const double value = *record.get(field_.name);
    return value >= least_ - kRounding && value <= most_ + kRounding;
  }
  std::string describe(const std::vector<Record>& records) const override {
    return range_in_words(records, field_);
  }
  std::string asked() const override { return asked_; }

  static constexpr double kRounding = 1e-12;

  const Field& field_;
  double least_ = -HUGE_VAL, most_ = HUGE_VAL;
  std::string asked_;
};

class Equal : public RecordCheck {
 public:
  Equal(Fields& fields, const Scope& scope)
      : RecordCheck(fields, scope),
        field_(scope.field(fields, "field")),
        value_(fields.get<double>("value")),
        digits_(fields.get<int>("digits")) {}

 private:
  bool applies(const Record& record) const override { return record.get(field_.name).has_value(); }
  bool passes(const Record& record) const override {
    return same_digits(*record.get(field_.name), value_, digits_);
  }
  std::string describe(const std::vector<Record>& records) const override {
    return range_in_words(records, field_);
  }
  std::string asked() const override {
    return fmt::format("{:.{}f} up to one unit of the last digit", value_, digits_);
  }

  const Field& field_;
  double value_;
  int digits_;
};

class FieldsCheck : public RecordCheck {
 public:
  FieldsCheck(Fields& fields, const Scope& scope)
      : RecordCheck(fields, scope),
        left_(scope.field(fields, "left")),
        right_(scope.field(fields, "right")),
        relation_(fields.get<std::string>("relation")),
        distance_(fields, left_) {
    if (relation_ != "above" && relation_ != "below" && relation_ != "near")
      fields.fail(fmt::format("relation '{}': it must be above, below or near", relation_));
  }

 private:
  bool applies(const Record& record) const override {
    return record.get(left_.name) && record.get(right_.name);
  }
  bool passes(const Record& record) const override {
    const double a = *record.get(left_.name), b = *record.get(right_.name);
    return relation_ == "near"    ? distance_.near(a, b)
           : relation_ == "above" ? distance_.above(a, b)
                                  : distance_.above(b, a);
  }
  std::string describe(const std::vector<Record>& records) const override {
    return fmt::format("{}, {}", range_in_words(records, left_), range_in_words(records, right_));
  }
  std::string asked() const override {
    return fmt::format("{} {} {}{}", left_.label, relation_, right_.label, distance_.in_words());
  }

  const Field& left_;
  const Field& right_;
  std::string relation_;
  Distance distance_;
};

class Pattern : public RecordCheck {
 public:
  Pattern(Fields& fields, const Scope& scope)
      : RecordCheck(fields, scope), wanted_(fields.has("one_of")) {
    patterns_ = fields.texts(wanted_ ? "one_of" : "none_of");
  }

 private:
  bool applies(const Record& record) const override { return !record.pattern.empty(); }
  bool passes(const Record& record) const override {
    return wanted_ == std::ranges::any_of(patterns_, [&](const std::string& pattern) {
             return same_pattern(pattern, record.pattern);
           });
  }
  std::string describe(const std::vector<Record>& records) const override {
    std::string words;
    for (const Record& record : records) words += (words.empty() ? "" : " / ") + record.pattern;
    return words;
  }
  std::string asked() const override {
    return fmt::format("{} {}, in any order", wanted_ ? "one of" : "none of",
                       fmt::join(patterns_, " / "));
  }

  bool wanted_;
  std::vector<std::string> patterns_;
};

/// The mean of a field over the records of a series.
std::optional<double> mean_of(const std::vector<Record>& records, const std::string& series,
                              std::string_view field) {
  double sum = 0, count = 0;
  for (const Record& record : records)
    if (const auto value = record.get(field); value && record.series == series) {
      sum += *value;
      count += 1;
    }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// One more than the number of values that are better by more than rounding.
double rank_of(double value, const std::vector<double>& all, bool high) {
  constexpr double kTie = 1e-9;
  return 1 + static_cast<double>(std::ranges::count_if(all, [&](double other) {
           return high ? other > value + kTie : other < value - kTie;
         }));
}

class Rank : public Check {
 public:
  Rank(Fields& fields, const Scope& scope)
      : field_(scope.field(fields, "field")),
        series_(scope.checked(fields, fields.get<std::string>("series"))),
        among_(scope.labels(fields, "among")),
        ranks_(fields.get<std::pair<int, int>>("ranks")),
        filter_(fields) {
    const auto best = fields.get<std::string>("best");
    if (best != "high" && best != "low")
      fields.fail(fmt::format("best '{}': it must be high or low", best));
    high_ = best == "high";
    if (std::ranges::find(among_, series_) == among_.end()) among_.push_back(series_);
  }

  CheckResult evaluate(std::span<const Record> records) const override {
    const std::vector<Record> selected = filter_.select(records);
    std::vector<std::pair<double, std::string>> values;
    for (const std::string& label : among_) {
      const auto value = mean_of(selected, label, field_.name);
      if (!value) return {false, fmt::format("{} was not measured", label)};
      values.emplace_back(*value, label);
    }
    std::vector<double> figures;
    figures.reserve(values.size());
    for (const auto& [value, label] : values) figures.push_back(value);
    std::ranges::stable_sort(values, [this](const auto& a, const auto& b) {
      return high_ ? a.first > b.first : a.first < b.first;
    });
    std::string list;
    for (const auto& [value, label] : values)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", label, in_words(field_, value));
    const double rank = rank_of(*mean_of(selected, series_, field_.name), figures, high_);
    const auto [first, last] = ranks_;
    return {rank >= first && rank <= last,
            fmt::format("{} from the {}: {}; {} is number {:.0f} of {} (asked: {}{})", field_.label,
                        high_ ? "highest" : "lowest", list, series_, rank, among_.size(), first,
                        last > first ? fmt::format(" to {}", last) : "")};
  }

 private:
  const Field& field_;
  std::string series_;
  std::vector<std::string> among_;
  std::pair<int, int> ranks_;
  RecordFilter filter_;
  bool high_ = true;
};

/// Mean ranks over several fields.
class Overall : public Check {
 public:
  Overall(Fields& fields, const Scope& scope)
      : best_(scope.labels(fields, "series")),
        among_(scope.labels(fields, "among")),
        filter_(fields) {
    for (const std::string& label : best_)
      if (std::ranges::find(among_, label) == among_.end()) among_.push_back(label);
    add(fields, "high", true);
    add(fields, "low", false);
    if (criteria_.empty()) fields.fail("'high' and 'low' name no field");
    if (fields.has("over")) over_ = scope.field(fields, "over").name;
  }

  CheckResult evaluate(std::span<const Record> records) const override {
    const std::vector<Record> selected = filter_.select(records);
    std::map<std::string, double> sums;
    double count = 0;
    for (const auto& [field, high] : criteria_) {
      for (const std::vector<double>& values : columns(selected, field)) {
        for (std::size_t i = 0; i < among_.size(); ++i)
          sums[among_[i]] += rank_of(values[i], values, high);
        count += 1;
      }
    }
    if (count == 0) return {false, "nothing was measured of all of them at the same place"};
    return verdict(sums, count);
  }

 private:
  void add(Fields& fields, std::string_view key, bool high) {
    if (!fields.has(key)) return;
    for (const std::string& name : fields.texts(key))
      criteria_.emplace_back(field_of(name, fields.inside(key)).name, high);
  }

  /// The values of all series, in their order: once, or at every x that all have.
  std::vector<std::vector<double>> columns(const std::vector<Record>& records,
                                           std::string_view field) const {
    std::vector<std::vector<double>> columns;
    if (over_.empty()) {
      std::vector<double> values;
      for (const std::string& label : among_)
        if (const auto value = mean_of(records, label, field)) values.push_back(*value);
      if (values.size() == among_.size()) columns.push_back(values);
      return columns;
    }
    std::vector<Curve> curves;
    std::vector<double> xs;
    for (const std::string& label : among_) curves.emplace_back(records, label, over_, field);
    for (const Curve& curve : curves)
      for (const Curve::Point& point : curve.points()) xs.push_back(point.x);
    std::ranges::sort(xs);
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    for (const double x : xs) {
      std::vector<double> values;
      for (const Curve& curve : curves)
        if (const auto value = curve.at(x)) values.push_back(*value);
      if (values.size() == among_.size()) columns.push_back(values);
    }
    return columns;
  }

  CheckResult verdict(const std::map<std::string, double>& sums, double count) const {
    std::vector<std::pair<double, std::string>> ranks;
    double worst_of_best = 0, best_of_others = HUGE_VAL;
    for (const auto& [label, sum] : sums) {
      ranks.emplace_back(sum / count, label);
      const bool is_best = std::ranges::find(best_, label) != best_.end();
      double& limit = is_best ? worst_of_best : best_of_others;
      limit = is_best ? std::max(limit, sum) : std::min(limit, sum);
    }
    std::ranges::sort(ranks);
    std::string words;
    for (const auto& [rank, label] : ranks)
      words += fmt::format("{}{} {:.2f}", words.empty() ? "" : ", ", label, rank);
    std::string criteria;
    for (const auto& [field, high] : criteria_)
      criteria += fmt::format("{}{}", criteria.empty() ? "" : ", ", field_of(field, "").label);
    return {worst_of_best < best_of_others,
            fmt::format("mean rank over {}{}: {} (asked: {} first)", criteria,
                        over_.empty() ? "" : fmt::format(" at equal {}", over_), words,
                        fmt::join(best_, ", "))};
  }

  std::vector<std::string> best_, among_;
  std::vector<std::pair<std::string_view, bool>> criteria_;  ///< field, whether more is better
  std::string over_;
  RecordFilter filter_;
};

/// A row of a printed table.
class Row : public Check {
 public:
  Row(std::string series, Record printed)
      : series_(std::move(series)), printed_(std::move(printed)) {}

  CheckResult evaluate(std::span<const Record> records) const override {
    const auto found = std::ranges::find(records, series_, &Record::series);
    if (found == records.end()) return {false, "not measured"};
    bool holds = printed_.pattern.empty() || same_pattern(printed_.pattern, found->pattern);
    for (const auto& [field, value] : printed_.values) {
      const auto measured = found->get(field);
      const int digits = field_of(field, "").kind == Field::Kind::count ? 0 : kDigits;
      holds =
          holds && measured &&
          (digits > 0 ? same_digits(*measured, value, digits) : std::abs(*measured - value) < 0.5);
    }
    return {holds, row_in_words(*found, printed_)};
  }

 private:
  static constexpr int kDigits = 4;  ///< printed in tables

  std::string series_;
  Record printed_;
};

/// The components of a pattern: "5-10; 1-4", or one digit each.
std::vector<std::string> parts(const std::string& pattern) {
  std::vector<std::string> parts;
  const bool digits = pattern.find_first_not_of("0123456789") == std::string::npos;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = digits ? at + 1 : std::min(pattern.find("; ", at), pattern.size());
    parts.push_back(pattern.substr(at, end - at));
    at = digits ? end : end + 2;
  }
  std::ranges::sort(parts);
  return parts;
}

}  // namespace

bool same_pattern(const std::string& a, const std::string& b) { return parts(a) == parts(b); }

std::string row_in_words(const Record& row, const Record& printed) {
  std::string words;
  for (const Field& field : fields()) {
    const auto value = row.get(field.name);
    if (!printed.get(field.name) || !value) continue;
    words +=
        fmt::format("{}{} {}", words.empty() ? "" : ", ", field.label, in_words(field, *value));
  }
  if (!printed.pattern.empty())
    words += fmt::format("{}{}", words.empty() ? "" : ", pattern ", row.pattern);
  return words;
}

std::unique_ptr<Check> make_row_check(const std::string& series, const Record& printed) {
  return std::make_unique<Row>(series, printed);
}

std::unique_ptr<Check> make_record_check(const std::string& kind, Fields& fields,
                                         const Scope& scope) {
  if (kind == "equal") return std::make_unique<Equal>(fields, scope);
  if (kind == "limit") return std::make_unique<Limit>(fields, scope);
  if (kind == "fields") return std::make_unique<FieldsCheck>(fields, scope);
  if (kind == "pattern") return std::make_unique<Pattern>(fields, scope);
  if (kind == "rank") return std::make_unique<Rank>(fields, scope);
  if (kind == "overall") return std::make_unique<Overall>(fields, scope);
  return nullptr;
}

}  // namespace spcart::reproduce
