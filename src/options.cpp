#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

template <class T>
T number(std::string_view option, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("{} = {}: the number is out of range", option, text));
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{} = {}: it must be a {}number", option, text,
                            std::is_integral_v<T> ? "whole " : ""));
  return value;
}

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

constexpr auto kRecords = std::to_array<OptionRecord>({
    {"components", "r", "N", "number of components",
     [](Options& o, std::string_view text) { o.components = number<Index>("components", text); },
     [](const Options& o) { return fmt::format("{}", o.components); }},
    {"method", "", "spcart", "how sparse loadings are found",
     [](Options& o, std::string_view text) { o.method = parse<Method>(text); },
     [](const Options& o) { return std::string(name(o.method)); }},
    {"truncation", "", "hard|soft|count|energy",
     "what becomes zero: entries below lambda (hard, soft), the lambda smallest (count), those "
     "with "
     "lambda of the energy (energy); also l0, l1, sp, en. Default: hard, or count with --nonzeros",
     [](Options& o, std::string_view text) { o.truncation = parse<TruncationType>(text); },
     [](const Options& o) { return o.truncation ? std::string(name(*o.truncation)) : ""; }},
    {"lambda", "", "X",
     "strength of the truncation. Default for p variables: 1/sqrt(p) (hard, soft), 0.85 p zeros "
     "(count), 0.15 (energy)",
     [](Options& o, std::string_view text) { o.lambda = number<double>("lambda", text); },
     [](const Options& o) { return text_of(o.lambda); }},
    {"nonzeros", "", "K", "variables in each component (truncation count)",
     [](Options& o, std::string_view text) { o.nonzeros = number<Index>("nonzeros", text); },
     [](const Options& o) { return text_of(o.nonzeros); }},
    {"start", "", "varimax|identity|random", "first rotation; identity is the paper's",
     [](Options& o, std::string_view text) { o.start = parse<Start>(text); },
     [](const Options& o) { return std::string(name(o.start)); }},
    {"refit", "", "N", "rounds of refitting the values on the support that was found",
     [](Options& o, std::string_view text) { o.refit = number<Index>("refit", text); },
     [](const Options& o) { return fmt::format("{}", o.refit); }},
    {"tolerance", "", "X", "stop when the loadings change by less",
     [](Options& o, std::string_view text) { o.tolerance = number<double>("tolerance", text); },
     [](const Options& o) { return fmt::format("{}", o.tolerance); }},
    {"max-iterations", "", "N", "stop after so many rotations",
     [](Options& o, std::string_view text) {
       o.max_iterations = number<Index>("max-iterations", text);
     },
     [](const Options& o) { return fmt::format("{}", o.max_iterations); }},
    {"order", "", "variance|none", "components by explained variance, or in the method's own order",
     [](Options& o, std::string_view text) { o.order = parse<Order>(text); },
     [](const Options& o) { return std::string(name(o.order)); }},
    {"solver", "", "auto|gram|outer|krylov", "how the principal components are computed",
     [](Options& o, std::string_view text) { o.solver = parse<Solver>(text); },
     [](const Options& o) { return std::string(name(o.solver)); }},
    {"seed", "", "N", "of all random choices",
     [](Options& o, std::string_view text) { o.seed = number<std::uint64_t>("seed", text); },
     [](const Options& o) { return fmt::format("{}", o.seed); }},
    {"threads", "", "N", "number of threads; 0 is as many as OpenMP offers: one a core",
     [](Options& o, std::string_view text) { o.threads = number<Index>("threads", text); },
     [](const Options& o) { return fmt::format("{}", o.threads); }},
});

void at_least(std::string_view option, Index value, Index least) {
  if (value < least)
    throw Error(fmt::format("{} = {}: it must be at least {}", option, value, least));
}

}  // namespace

std::span<const OptionRecord> option_records() { return kRecords; }

Truncation truncation_of(const Options& options, Index p) {
  const auto implied = options.nonzeros ? TruncationType::count : TruncationType::hard;
  const TruncationType type = options.truncation.value_or(implied);
  if (!options.nonzeros) return {type, options.lambda.value_or(default_lambda(type, p))};

  const Index k = *options.nonzeros;
  if (options.lambda)
    throw Error(fmt::format("lambda = {} and nonzeros = {}: give one of them", *options.lambda, k));
  if (type != TruncationType::count)
    throw Error(fmt::format("nonzeros = {}: it goes with truncation count, not {}", k, name(type)));
  if (k < 1 || k > p)
    throw Error(
        fmt::format("nonzeros = {}: it must be from 1 to {}, the number of variables", k, p));
  return {type, static_cast<double>(p - k)};
}

void check(const Options& options, const DataMatrix& a) {
  if (a.samples() && *a.samples() < 2)
    throw Error("the table has one sample: variance needs at least two");
  const Index most = std::min(a.rows(), a.cols());
  if (options.components < 1 || options.components > most) {
    const auto rule =
        a.samples() ? fmt::format("the smaller of {} samples and {} variables", a.rows(), a.cols())
                    : std::string("the number of variables");
    throw Error(fmt::format("components = {}: it must be from 1 to {}, {}", options.components,
                            most, rule));
  }
  check(truncation_of(options, a.cols()), a.cols());
  at_least("refit", options.refit, 0);
  at_least("max-iterations", options.max_iterations, 1);
  at_least("threads", options.threads, 0);
  if (!(options.tolerance >= 0 && std::isfinite(options.tolerance)))
    throw Error(
        fmt::format("tolerance = {}: it must be a number of at least 0", options.tolerance));
  if (options.threads > 1024)
    throw Error(fmt::format("threads = {}: it must be at most 1024", options.threads));
}

}  // namespace spcart
