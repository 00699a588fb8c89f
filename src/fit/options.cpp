#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/names.hpp"
#include "base/reject.hpp"
#include "spcart/certificate.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/methods.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

constexpr auto kOrderNames =
    std::to_array<Name<Order>>({{Order::variance, "variance"}, {Order::none, "none"}});

constexpr auto kBestByNames =
    std::to_array<Name<BestBy>>({{BestBy::objective, "objective"}, {BestBy::cpev, "cpev"}});

template <class T>
T parse_value(std::string_view option, std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "yes" && text != "no") reject(option, text, "it must be yes or no");
    return text == "yes";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return parse_number<T>(option, text);
  } else if constexpr (std::is_same_v<T, Effort>) {
    return parse_effort(text);
  } else {
    return parse<T>(text);
  }
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "yes" : "no";
  else if constexpr (std::is_arithmetic_v<T>)
    return fmt::format("{}", value);
  else
    return std::string(name(value));
}

template <class T>
void set_value(T& member, std::string_view option, std::string_view text) {
  member = parse_value<T>(option, text);
}
template <class T>
void set_value(std::optional<T>& member, std::string_view option, std::string_view text) {
  member = parse_value<T>(option, text);
}

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "";
}

constexpr auto kRecords = std::to_array<OptionRecord>({
    {"components", "r", "N", "number of components", &Options::components},
    {"variance", "", "F",
     "instead: the fewest components whose PCA explains this fraction of the variance",
     &Options::variance},
    {"method", "", "NAME",
     "how sparse loadings are found",  // and the methods' names follow
     &Options::method},
    {"truncation", "", "hard|soft|count|energy",
     "what becomes zero: entries below lambda (hard, soft), the lambda smallest (count), those "
     "with lambda of the energy (energy); also l0, l1, sp, en. Default: count with --nonzeros, "
     "else hard or what the method has",
     &Options::truncation},
    {"lambda", "", "X",
     "strength of the truncation, or of the penalty or bound in its place. Default for p "
     "variables: 1/sqrt(p) (hard, soft), 0.85 p zeros (count), 0.15 (energy), or the method's own",
     &Options::lambda},
    {"nonzeros", "", "K",
     "find lambda: variables in each component (truncation count), or on average (others)",
     &Options::nonzeros},
    {"sparsity", "", "F", "find lambda: mean fraction of zeros in a component", &Options::sparsity},
    {"keep", "", "F",
     "find lambda: as few nonzeros as possible that explain at least this share of what PCA does",
     &Options::keep},
    {"start", "", "NAME",
     "where the method starts. spcart: varimax (default), identity (the paper's), random. rsvd-gp, "
     "tpower: variance (default), pca; tpower also warm. spca, alspca: pca (default), varimax",
     &Options::start},
    {"post-fit", "", "yes|no", "gpower, gpowerb: best values on the support that was found",
     &Options::post_fit},
    {"ridge", "", "X",
     "spca: weight of the squared length; inf: soft thresholding, for many variables",
     &Options::ridge},
    {"bound", "", "X", "spca: largest l1 norm of the coefficients of a regression",
     &Options::bound},
    {"orthogonality", "", "X", "alspca: largest overlap of two loadings", &Options::orthogonality},
    {"correlation", "", "X", "alspca: largest correlation of two components; inf: any",
     &Options::correlation},
    {"direction", "", "forward|backward|both",
     "greedy: whether variables are added or removed one at a time, or the better of the two",
     &Options::direction},
    {"deflation", "", "projection|hotelling|schur",
     "exact: what is left for the next component (default: projection)", &Options::deflation},
    {"time-limit", "", "SECONDS",
     "exact: time for the proofs, after which the best so far is returned with its gap",
     &Options::time_limit},
    {"restarts", "", "N", "spcart: random starts beside the start, of which the best is kept",
     &Options::restarts},
    {"best-by", "", "objective|cpev", "criterion for the best start", &Options::best_by},
    {"refit", "", "N", "rounds of refitting the values on the support that was found",
     &Options::refit},
    {"refine", "", "N", "rounds of letting the support move to where it explains more",
     &Options::refine},
    {"effort", "", "none|normal|thorough|SECONDS",
     "how long to search for loadings that explain more than the method's own. Default: normal "
     "with "
     "--nonzeros, --sparsity or --keep, else none",
     &Options::effort},
    {"overlap", "", "F",
     "search: how much components may overlap, as the mean |cos| over their pairs, from 0 "
     "(orthogonal) to 1 (whatever explains most)",
     &Options::overlap},
    {"tolerance", "", "X", "stop when the loadings change by less", &Options::tolerance},
    {"max-iterations", "", "N", "maximum number of iterations", &Options::max_iterations},
    {"certify", "", "SECONDS",
     "prove how much more other components with as few variables could explain, within 10 seconds "
     "or as many as are given",
     &Options::certify, "10"},
    {"order", "", "variance|none", "components by explained variance, or in the method's own order",
     &Options::order},
    {"solver", "", "auto|gram|outer|krylov|slepc", "how the principal components are computed",
     &Options::solver},
    {"seed", "", "N", "of all random choices", &Options::seed},
    {"threads", "", "N", "number of threads; 0 is as many as OpenMP offers: one per core",
     &Options::threads},
});

std::string value_of(const Options& options, std::string_view option) {
  return std::ranges::find(kRecords, option, &OptionRecord::name)->get(options);
}

std::string_view word(const MethodRecord& record) { return name(record.method); }
std::string_view word(TruncationType type) { return name(type); }
std::string_view word(Start start) { return name(start); }

void at_least(std::string_view option, Index value, Index least) {
  if (value < least) reject(option, value, "it must be at least {}", least);
}

/// "spcart, st and tpower": names of the items that satisfy a condition.
template <class Range, class Condition>
std::string names_of(const Range& range, Condition satisfies) {
  std::vector<std::string_view> names;
  for (const auto& item : range)
    if (satisfies(item)) names.push_back(word(item));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 < names.size() ? ", " : " and ", names[i]);
  return text;
}

void check_choices(const Options& options) {
  const MethodRecord& record = record_of(options.method);
  const std::string_view method = name(options.method);
  const auto all = [](auto) { return true; };
  if (record.truncations.empty()) {
    const std::string truncating =
        names_of(method_records(), [](const auto& r) { return !r.truncations.empty(); });
    for (const char* option : {"truncation", "lambda", "nonzeros", "sparsity", "keep"})
      if (const std::string value = value_of(options, option); !value.empty())
        reject(option, value, "method {} truncates nothing; methods that do are {}", method,
               truncating);
    if (options.refine > 0)
      reject("refine", options.refine, "method {} truncates nothing; methods that do are {}",
             method, truncating);
    if (effort_of(options).level != Effort::Level::none)
      reject("effort", value_of(options, "effort"),
             "method {} truncates nothing; methods that do are {}", method, truncating);
  }
  if (options.truncation && !has(record, *options.truncation))
    reject("truncation", name(*options.truncation), "method {} has {}; methods that have it are {}",
           method, names_of(record.truncations, all),
           names_of(method_records(), [&](const auto& r) { return has(r, *options.truncation); }));
  const auto starts_there = [&](const MethodRecord& r) {
    return std::ranges::find(r.starts, *options.start) != r.starts.end();
  };
  if (options.start && !starts_there(record))
    reject("start", name(*options.start), "method {} {}; methods that start there are {}", method,
           record.starts.empty() ? std::string("has no choice of start")
                                 : "has " + names_of(record.starts, all),
           names_of(method_records(), starts_there));
  const auto starts_at_random = [](const MethodRecord& r) {
    return std::ranges::find(r.starts, Start::random) != r.starts.end();
  };
  if (options.restarts > 0 && !starts_at_random(record))
    reject("restarts", options.restarts, "method {} has no random start; methods that have are {}",
           method, names_of(method_records(), starts_at_random));
  for (const char* option : {"post-fit", "ridge", "bound", "orthogonality", "correlation",
                             "direction", "deflation", "time-limit"}) {
    const auto takes = [&](const MethodRecord& r) {
      return std::ranges::find(r.options, option) != r.options.end();
    };
    if (const std::string value = value_of(options, option); !value.empty() && !takes(record))
      reject(option, value, "method {} does not take it; methods that do are {}", method,
             names_of(method_records(), takes));
  }
}

void check_lambda(const Options& options, const Truncation& truncation, Index p) {
  const MethodRecord& record = record_of(options.method);
  if (!record.lambda || truncation.type == TruncationType::count) return check(truncation, p);
  const LambdaRange range = record.lambda(truncation.type, p);
  // At the sparse end nothing would be left; at the dense end nothing is zero, which may be wanted.
  const bool below =
      range.sparser_upwards ? truncation.lambda < range.most : truncation.lambda <= range.most;
  if (!(truncation.lambda >= range.least && below))
    reject("lambda", truncation.lambda, "for method {} it must be at least {:.4g} and {} {:.4g}",
           name(options.method), range.least, range.sparser_upwards ? "below" : "at most",
           range.most);
}

void check_regression(const Options& options, const DataMatrix& a) {
  constexpr double kMostRidge = 1e12;
  const bool infinite = options.ridge ? std::isinf(*options.ridge) : a.rows() < a.cols();
  if (options.ridge && !infinite && *options.ridge > kMostRidge)
    reject("ridge", *options.ridge, "it must be at most {}, or inf", kMostRidge);
  if (options.bound && infinite)
    reject("bound", *options.bound, "it goes with a finite ridge{}",
           options.ridge ? "" : ", which is not the default for so few samples");
  if (options.bound && truncation_of(options, a.cols())->type != TruncationType::soft)
    reject("bound", *options.bound, "it goes with truncation soft");
}

void check_positive(std::string_view option, const std::optional<double>& value) {
  if (value && !(*value > 0)) reject(option, *value, "it must be above 0");
}

void check_not_negative(std::string_view option, const std::optional<double>& value) {
  if (value && !(*value >= 0)) reject(option, *value, "it must be at least 0");
}

}  // namespace

std::string_view name(Order value) { return name_in(kOrderNames, value); }
template <>
Order parse<Order>(std::string_view text) {
  return parse_name(kOrderNames, "order", text);
}

std::string_view name(BestBy value) { return name_in(kBestByNames, value); }
template <>
BestBy parse<BestBy>(std::string_view text) {
  return parse_name(kBestByNames, "best-by", text);
}

void OptionRecord::set(Options& options, std::string_view text) const {
  std::visit([&](auto member) { set_value(options.*member, name, text); }, field);
}

std::string OptionRecord::get(const Options& options) const {
  return std::visit([&](auto member) { return text_of(options.*member); }, field);
}

std::span<const OptionRecord> option_records() {
  static const auto records = [] {
    static std::string help;
    auto all = kRecords;
    auto* method = std::ranges::find(all, "method", &OptionRecord::name);
    help = fmt::format("{}: {}", method->help, method_names());
    method->help = help;
    return all;
  }();
  return records;
}

Effort effort_of(const Options& options) {
  const bool has_target =
      (options.nonzeros || options.sparsity || options.keep) && !record_of(options.method).proves;
  return options.effort.value_or(Effort{has_target ? Effort::Level::normal : Effort::Level::none});
}

std::optional<Truncation> truncation_of(const Options& options, Index p) {
  const MethodRecord& record = record_of(options.method);
  if (record.truncations.empty()) return std::nullopt;
  const bool counts = options.nonzeros && has(record, TruncationType::count);
  const TruncationType type =
      options.truncation.value_or(counts ? TruncationType::count : record.truncations.front());
  const double default_value = lambda_range(record, type, p).default_value;
  if (type != TruncationType::count)
    return Truncation{type, options.lambda.value_or(default_value)};

  // A number of zeros need not be searched for.
  const auto most = static_cast<double>(p - 1);
  if (options.nonzeros) return Truncation{type, static_cast<double>(p - *options.nonzeros)};
  if (options.sparsity)
    return Truncation{
        type, std::clamp(std::round(*options.sparsity * static_cast<double>(p)), 0.0, most)};
  return Truncation{type, options.lambda.value_or(default_value)};
}

void check_target(const Options& options, Index p) {
  std::string_view given;
  for (const std::string_view option : {"lambda", "nonzeros", "sparsity", "keep"}) {
    if (value_of(options, option).empty()) continue;
    if (!given.empty())
      throw Error({{std::string(given), value_of(options, given)},
                   {std::string(option), value_of(options, option)}},
                  "give one of them");
    given = option;
  }
  if (options.nonzeros && (*options.nonzeros < 1 || *options.nonzeros > p))
    reject("nonzeros", *options.nonzeros, "it must be from 1 to {}, the number of variables", p);
  if (options.sparsity && !(*options.sparsity >= 0 && *options.sparsity < 1))
    reject("sparsity", *options.sparsity, "it must be at least 0 and below 1");
  if (options.keep && !(*options.keep > 0 && *options.keep <= 1))
    reject("keep", *options.keep, "it must be above 0 and at most 1");
}

void check(const Options& options, const DataMatrix& a) {
  if (a.samples() && *a.samples() < 2)
    throw Error("the table has one sample: variance needs at least two");
  const Index most = std::min(a.samples().value_or(a.rows()), a.cols());
  if (options.variance) {
    if (!(*options.variance > 0 && *options.variance <= 1))
      reject("variance", *options.variance, "it must be above 0 and at most 1");
  } else if (options.components < 1 || options.components > most) {
    const auto rule = a.samples() ? fmt::format("the smaller of {} samples and {} variables",
                                                *a.samples(), a.cols())
                                  : std::string("the number of variables");
    reject("components", options.components, "it must be from 1 to {}, {}", most, rule);
  }
  check_choices(options);
  check_target(options, a.cols());
  if (const auto truncation = truncation_of(options, a.cols()))
    check_lambda(options, *truncation, a.cols());
  at_least("restarts", options.restarts, 0);
  at_least("refit", options.refit, 0);
  at_least("refine", options.refine, 0);
  at_least("max-iterations", options.max_iterations, 1);
  check(effort_of(options), options.overlap);
  checked_threads(options.threads);
  check_not_negative("ridge", options.ridge);
  check_not_negative("bound", options.bound);
  check_positive("orthogonality", options.orthogonality);
  check_positive("correlation", options.correlation);
  check_positive("time-limit", options.time_limit);
  if (options.certify) check(CertifyOptions{*options.certify});
  check_regression(options, a);
  if (!(options.tolerance >= 0 && std::isfinite(options.tolerance)))
    reject("tolerance", options.tolerance, "it must be a number of at least 0");
}

}  // namespace spcart
