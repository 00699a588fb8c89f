#include <array>
#include <cmath>

#include "checks.hpp"
#include "curve.hpp"

namespace spcart::reproduce {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr double kShare = 0.8;  ///< of the values of x, if none is declared

std::string over_of(Fields& fields) {
  return std::string(
      field_of(fields.get_or<std::string>("over", "sparsity"), fields.inside("over")).name);
}

bool is_one_of(std::string_view kind, std::span<const std::string_view> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// What all checks of curves have.
class CurveCheck : public Check {
 protected:
  CurveCheck(Fields& fields, const Scope& scope)
      : field_(scope.field(fields, "field")), over_(over_of(fields)), filter_(fields) {}

  Curve curve(std::span<const Record> records, std::string_view series) const {
    return {filter_.select(records), series, over_, field_.name};
  }

  const Field& field_;
  std::string over_;
  RecordFilter filter_;
};

/// higher, lower, near
class Comparison : public CurveCheck {
 public:
  static constexpr std::array<std::string_view, 3> kKinds = {"higher", "lower", "near"};

  Comparison(std::string kind, Fields& fields, const Scope& scope)
      : CurveCheck(fields, scope),
        kind_(std::move(kind)),
        pairs_(scope.pairs(fields)),
        distance_(fields, field_),
        share_(fields.get_or("share", kShare)) {}

  CheckResult evaluate(std::span<const Record> records) const override {
    Verdict verdict;
    for (const auto& [a, b] : pairs_) compare(a, b, curve(records, a), curve(records, b), verdict);
    return verdict.with(
        fmt::format("{}{} at {:.0f} % or more", kind_, distance_.in_words(), 100 * share_));
  }

 private:
  bool meets(double a, double b) const {
    return kind_ == "near"     ? distance_.near(a, b)
           : kind_ == "higher" ? distance_.above(a, b)
                               : distance_.above(b, a);
  }

  void compare(const std::string& a, const std::string& b, const Curve& first, const Curve& second,
               Verdict& verdict) const {
    const std::vector<double> xs = common_x(first, second);
    if (xs.empty()) return verdict.add(false, "{} and {} have no {} in common", a, b, over_);
    std::size_t met = 0;
    double difference = 0, logarithm = 0;
    for (const double x : xs) {
      const double ours = *first.at(x), theirs = *second.at(x);
      met += meets(ours, theirs);
      difference += (ours - theirs) / static_cast<double>(xs.size());
      logarithm += std::log(ours / theirs) / static_cast<double>(xs.size());
    }
    const auto count = static_cast<double>(xs.size());
    const std::string size = distance_.is_ratio()
                                 ? fmt::format("mean ratio {:.3g}", std::exp(logarithm))
                                 : fmt::format("mean difference {:+.4f}", difference);
    verdict.add(static_cast<double>(met) >= share_ * count, "{}, {} beside {}: {} at {} of {}, {}",
                field_.label, a, b, kind_, met, xs.size(), size);
  }

  std::string kind_;
  Pairs pairs_;
  Distance distance_;
  double share_;
};

/// rises, falls, keeps
class Trend : public CurveCheck {
 public:
  static constexpr std::array<std::string_view, 3> kKinds = {"rises", "falls", "keeps"};

  Trend(std::string kind, Fields& fields, const Scope& scope)
      : CurveCheck(fields, scope),
        kind_(std::move(kind)),
        series_(scope.labels(fields, "series")),
        distance_(fields, field_),
        steps_(fields.get_or("steps", 0.0)) {}

  CheckResult evaluate(std::span<const Record> records) const override {
    Verdict verdict;
    for (const std::string& label : series_) follow(label, curve(records, label), verdict);
    const std::string steps =
        steps_ > 0 ? fmt::format(", in {:.0f} % of the steps or more", 100 * steps_) : "";
    return verdict.with(fmt::format("{}{}{}", kind_, distance_.in_words(), steps));
  }

 private:
  void follow(const std::string& label, const Curve& curve, Verdict& verdict) const {
    const auto points = curve.points();
    if (points.size() < 2) return verdict.add(false, "{} has fewer than two points", label);
    const double first = points.front().y, last = points.back().y;
    std::size_t met = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      met += kind_ == "rises" ? points[i].y >= points[i - 1].y : points[i].y <= points[i - 1].y;
    const bool arrives = kind_ == "rises"   ? distance_.above(last, first)
                         : kind_ == "falls" ? distance_.above(first, last)
                                            : distance_.near(first, last);
    const auto steps = static_cast<double>(points.size() - 1);
    verdict.add(arrives && static_cast<double>(met) >= steps_ * steps, "{} of {} from {} to {}{}",
                field_.label, label, in_words(field_, first), in_words(field_, last),
                steps_ > 0 ? fmt::format(", {} of {} steps", met, points.size() - 1) : "");
  }

  std::string kind_;
  std::vector<std::string> series_;
  Distance distance_;
  double steps_;
};

/// growth, steady: one figure of each curve, within limits
class PropertyLimit : public CurveCheck {
 public:
  static constexpr std::array<std::string_view, 2> kKinds = {"growth", "steady"};

  PropertyLimit(const std::string& kind, Fields& fields, const Scope& scope)
      : CurveCheck(fields, scope),
        growth_(kind == "growth"),
        series_(scope.labels(fields, "series")) {
    if (fields.has("least")) least_ = fields.get<double>("least");
    if (fields.has("most")) most_ = fields.get<double>("most");
    if (!least_ && !most_) fields.fail("give 'least' or 'most'");
  }

  CheckResult evaluate(std::span<const Record> records) const override {
    Verdict verdict;
    for (const std::string& label : series_) {
      const Curve measured = curve(records, label);
      const auto figure = growth_ ? measured.exponent() : measured.spread();
      if (!figure) return {false, fmt::format("{} has too few points", label)};
      verdict.add((!least_ || *figure >= *least_) && (!most_ || *figure <= *most_), "{} of {} {}",
                  field_.label, label,
                  growth_ ? fmt::format("grows as {}^{:.2f}", over_, *figure)
                          : fmt::format("spreads over {}", in_words(field_, *figure)));
    }
    return verdict.with(fmt::format("{}{}{}", least_ ? fmt::format("at least {:g}", *least_) : "",
                                    least_ && most_ ? ", " : "",
                                    most_ ? fmt::format("at most {:g}", *most_) : ""));
  }

 private:
  bool growth_;
  std::vector<std::string> series_;
  std::optional<double> least_, most_;
};

/// slower, rougher, steadier: one figure of each curve, compared
class Property : public CurveCheck {
 public:
  static constexpr std::array<std::string_view, 3> kKinds = {"slower", "rougher", "steadier"};

  Property(std::string kind, Fields& fields, const Scope& scope)
      : CurveCheck(fields, scope),
        kind_(std::move(kind)),
        pairs_(scope.pairs(fields)),
        distance_(fields, field_) {}

  CheckResult evaluate(std::span<const Record> records) const override {
    Verdict verdict;
    for (const auto& [a, b] : pairs_) {
      const auto ours = figure(curve(records, a)), theirs = figure(curve(records, b));
      if (!ours || !theirs) return {false, fmt::format("{} or {} has too few points", a, b)};
      const bool holds =
          kind_ == "rougher" ? distance_.above(*ours, *theirs) : distance_.above(*theirs, *ours);
      verdict.add(holds, "{} of {}: {} {:.3g}, of {}: {:.3g}", field_.label, a, noun(), *ours, b,
                  *theirs);
    }
    return verdict.with(kind_ + distance_.in_words());
  }

 private:
  std::optional<double> figure(const Curve& curve) const {
    return kind_ == "slower"    ? curve.exponent()
           : kind_ == "rougher" ? curve.roughness()
                                : curve.spread();
  }
  const char* noun() const {
    return kind_ == "slower" ? "exponent" : kind_ == "rougher" ? "roughness" : "spread";
  }

  std::string kind_;
  Pairs pairs_;
  Distance distance_;
};

}  // namespace

std::unique_ptr<Check> make_curve_check(const std::string& kind, Fields& fields,
                                        const Scope& scope) {
  if (is_one_of(kind, Comparison::kKinds)) return std::make_unique<Comparison>(kind, fields, scope);
  if (is_one_of(kind, Trend::kKinds)) return std::make_unique<Trend>(kind, fields, scope);
  if (is_one_of(kind, Property::kKinds)) return std::make_unique<Property>(kind, fields, scope);
  if (is_one_of(kind, PropertyLimit::kKinds))
    return std::make_unique<PropertyLimit>(kind, fields, scope);
  return nullptr;
}

}  // namespace spcart::reproduce
