#include "rendering/component_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "spcart/names.hpp"

namespace spcart::command {
namespace {

constexpr int kMostVariables = 12;     // of a component, unless all are requested
constexpr Index kManyComponents = 16;  // more than that get one line each
constexpr int kNameWidth = 32;
constexpr int kGap = 3;

struct Entry {
  Index variable = 0;
  double weight = 0;
  std::string note = {};  ///< beside the weight
};

std::vector<Entry> by_weight(const Loadings& loadings, Index component,
                             const Stability* stability) {
  std::vector<Entry> entries;
  for (Loadings::InnerIterator it(loadings, component); it; ++it) {
    if (it.value() == 0) continue;
    entries.push_back({it.row(), it.value()});
    if (stability)
      entries.back().note =
          fmt::format(" {:.0f}%", 100 * stability->frequencies.coeff(it.row(), component));
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::abs(a.weight) > std::abs(b.weight);
  });
  return entries;
}

std::string weight_text(double weight) {
  return std::abs(weight) < 0.0005 ? fmt::format("{:+.0e}", weight)
                                   : fmt::format("{:+.3f}", weight);
}

/// Puts items one after the other on lines of a given width.
class Flow {
 public:
  Flow(int indent, int width, bool one_line)
      : indent_(indent), width_(width), one_line_(one_line) {}

  /// False if the item, and `reserve` columns after it, no longer fit on one line.
  bool add(const std::string& item, int item_width, int reserve) {
    const int gap = column_ == 0 ? 0 : kGap;
    const bool fits = column_ + gap + item_width + (one_line_ ? reserve : 0) <= width_;
    if (!fits && one_line_ && column_ > 0) return false;
    if (!fits && column_ > 0) {
      text_ += fmt::format("\n{:{}}", "", indent_);
      column_ = 0;
    } else {
      text_ += fmt::format("{:{}}", "", gap);
      column_ += gap;
    }
    text_ += item;
    column_ += item_width;
    return true;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int indent_, width_, column_ = 0;
  bool one_line_;
};

std::string more_text(std::size_t count) {
  return fmt::format("{} and {} more", terminal().utf8 ? "…" : "...", count);
}

struct Layout {
  int indent = 0;
  std::size_t most = 0;
  bool one_line = false;
};

std::string variables_text(const std::vector<Entry>& entries, std::span<const std::string> names,
                           const Layout& layout) {
  if (entries.empty()) return dim("none");
  Flow flow(layout.indent, std::max(terminal().width - layout.indent, 24), layout.one_line);
  // Leaving out a single variable would need as much space as showing it.
  const std::size_t most = entries.size() <= layout.most + 1 ? entries.size() : layout.most;
  std::size_t shown = 0;
  for (; shown < most; ++shown) {
    const std::string name =
        clipped(printable(names[static_cast<std::size_t>(entries[shown].variable)]), kNameWidth);
    const std::string item =
        fmt::format("{} {}{}", name, weight_text(entries[shown].weight), dim(entries[shown].note));
    const std::size_t left = entries.size() - shown - 1;
    const int reserve = left > 0 ? kGap + display_width(more_text(left)) : 0;
    if (!flow.add(item, display_width(item), reserve)) break;
  }
  if (shown < entries.size()) {
    const std::string more = more_text(entries.size() - shown);
    flow.add(dim(more), display_width(more), 0);
  }
  return flow.text();
}

std::string percent(double fraction, int digits = 2) {
  return fmt::format("{:.{}f} %", 100 * fraction, digits);
}

std::string ending(const Result& result) {
  const Index steps = result.iterations();
  if (steps == 0) return "";
  return fmt::format("{} in {} iteration{}; ",
                     result.status == Status::converged ? "converged" : "not converged", steps,
                     steps == 1 ? "" : "s");
}

}  // namespace

std::string component_table(const Loadings& loadings, const Criteria& criteria,
                            std::span<const std::string> variables, bool all,
                            const Stability* stability) {
  const Index r = loadings.cols();
  const int label_width = static_cast<int>(fmt::formatted_size("PC{}", r));
  constexpr int kShareWidth = 9, kCountWidth = 8;
  Layout layout;
  layout.indent = 2 + label_width + 2 + kShareWidth + 2 + kCountWidth + 3;
  layout.most = all ? variables.size() : kMostVariables;
  layout.one_line = !all && r > kManyComponents;

  std::string text = dim(fmt::format("  {:{}}  {:>{}}  {:>{}}   {}", "", label_width, "adj. var.",
                                     kShareWidth, "nonzeros", kCountWidth, "variables")) +
                     '\n';
  for (Index i = 0; i < r; ++i) {
    const auto k = static_cast<std::size_t>(i);
    text += fmt::format(
        "  {}  {:>{}}  {:>{}}   {}\n", bold(left_aligned(fmt::format("PC{}", i + 1), label_width)),
        percent(criteria.adjusted_variance(i)), kShareWidth, criteria.nonzeros[k], kCountWidth,
        variables_text(by_weight(loadings, i, stability), variables, layout));
  }
  return text;
}

namespace {

/// A target that was searched for, and the number of trials.
std::string target_line(const Result& result) {
  if (!result.target || result.target->trials == 0) return "";
  const TargetReport& target = *result.target;
  // After a search, the lambda that it started from no longer applies.
  const std::string lambda =
      result.search ? "" : fmt::format(" at lambda {:.4g}", result.truncation->lambda);
  const std::string line =
      fmt::format("Asked for {} {:g}: {} {:.4g}{}, after {} trials", target.option, target.asked,
                  target.exact ? "found" : "the nearest is", target.found, lambda, target.trials);
  return "  " + wrapped(line, terminal().width - 2, 2) + '\n';
}

/// The gain of the search, and the allowed overlap.
std::string search_line(const Result& result) {
  if (!result.search) return "";
  const std::string line =
      fmt::format("Search (effort {}, overlap at most {:g}): CPEV was {} before it, NOR {:.4f}",
                  name(effort_of(result.options)), result.options.overlap,
                  percent(result.search->cpev_before), result.search->nonorthogonality_before);
  return "  " + wrapped(line, terminal().width - 2, 2) + '\n';
}

/// The components that are proved to be best.
std::string optimal_line(const Result& result) {
  if (result.optimal.empty()) return "";
  std::string names;
  for (const Index i : result.optimal)
    names += fmt::format("{}PC{}", names.empty() ? "" : ", ", i + 1);
  const std::string line = fmt::format(
      "Proved: no component with as many variables has more variance than {}{}", names,
      result.loadings.cols() > 1 ? ", after deflation by the components found before it" : "");
  return "  " + wrapped(line, terminal().width - 2, 2) + '\n';
}

/// Whether other starts lead to other results.
std::string restarts_line(const Result& result) {
  if (!result.restarts) return "";
  const Restarts& restarts = *result.restarts;
  const auto [least, most] = std::ranges::minmax(restarts.cpev);
  const double best = restarts.objectives[static_cast<std::size_t>(restarts.best)];
  constexpr double kAsGood = 1e-3;
  const auto as_good = std::ranges::count_if(restarts.objectives, [&](double objective) {
    return objective <= best + kAsGood * std::abs(best);
  });
  const std::string line = fmt::format(
      "Best of {} starts, {}; {} of them end within 0.1 % of its objective; CPEV {} to {}",
      restarts.objectives.size(),
      restarts.best == 0 ? "the first" : fmt::format("random start {}", restarts.best), as_good,
      percent(least), percent(most));
  return "  " + wrapped(line, terminal().width - 2, 2) + '\n';
}

}  // namespace

std::string totals(const Result& result) {
  const Criteria& criteria = result.criteria;
  const std::string line = fmt::format(
      "Together {} of the variance (CPEV), {} of PCA's {}; NOR {:.4f}; sparsity {:.3f}; {}{:.2f} s",
      percent(criteria.cpev), percent_down(criteria.share_of_pca()), percent(criteria.cpev_pca),
      criteria.nonorthogonality, criteria.sparsity.mean, ending(result), result.timing.total);
  return "  " + wrapped(line, terminal().width - 2, 2) + '\n' + search_line(result) +
         target_line(result) + restarts_line(result) + optimal_line(result);
}

std::string in_words(const Truncation& truncation, Method method) {
  if (record_of(method).lambda && truncation.type != TruncationType::count)
    return fmt::format("{} with lambda {:.4g}", name(truncation.type), truncation.lambda);
  switch (truncation.type) {
    case TruncationType::hard:
      return fmt::format("hard truncation at {:.4g}", truncation.lambda);
    case TruncationType::soft:
      return fmt::format("soft truncation by {:.4g}", truncation.lambda);
    case TruncationType::count:
      return fmt::format("{:.0f} zeros per component", truncation.lambda);
    case TruncationType::energy:
      break;
  }
  return fmt::format("energy truncation of {:.4g}", truncation.lambda);
}

}  // namespace spcart::command
