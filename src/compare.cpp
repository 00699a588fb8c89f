#include "spcart/compare.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

/// Bisection ends when lambda is known to this part of itself: counts may jump over the target.
constexpr double kResolution = 1e-6, kLeast = 1e-9;

Options options_of(const Contender& contender, const CompareOptions& compared) {
  Options options = compared.common;
  options.method = contender.method;
  options.truncation = contender.truncation;
  options.start = contender.start;
  options.lambda.reset();
  options.nonzeros.reset();
  if (record_of(contender.method).truncations.empty()) options.refit = options.refine = 0;
  return options;
}

TruncationType type_of(const Contender& contender) {
  return contender.truncation.value_or(record_of(contender.method).truncations.front());
}

/// Fits one contender again and again, and keeps the result that is nearest to the target.
class Search {
 public:
  Search(const DataMatrix& a, const Basis& basis, const Options& options, Index target,
         const Observer& observer)
      : a_(a), basis_(basis), options_(options), target_(target), observer_(observer) {}

  /// How many nonzeros too many there are. What follows a method adds none and is left for the end.
  Index excess(double lambda) {
    Options bare = options_;
    bare.lambda = lambda;
    bare.refit = bare.refine = 0;
    Result result = fit(a_, basis_, bare, observer_);
    const Index excess = result.loadings.nonZeros() - target_;
    ++fits_;
    if (fits_ == 1 || std::abs(excess) < std::abs(best_excess_)) {
      best_excess_ = excess;
      best_ = std::move(result);
    }
    return excess;
  }

  void finish() {
    if (options_.refit == 0 && options_.refine == 0) return;
    options_.lambda = best_.truncation->lambda;
    best_ = fit(a_, basis_, options_, observer_);
    best_excess_ = best_.loadings.nonZeros() - target_;
  }

  void bisect(const LambdaRange& range) {
    double dense = range.sparser_upwards ? range.least : range.most;
    double sparse = range.sparser_upwards ? range.most : range.least;
    if (excess(dense) <= 0) return;
    while (std::abs(sparse - dense) > kResolution * std::max(std::abs(sparse), kLeast)) {
      const double middle = (dense + sparse) / 2;
      const Index more = excess(middle);
      if (more == 0) return;
      (more > 0 ? dense : sparse) = middle;
    }
  }

  Compared take(const Contender& contender) {
    Compared compared{
        .contender = contender, .result = std::move(best_), .fits = fits_, .note = {}};
    if (best_excess_ != 0)
      compared.note = fmt::format("{} nonzeros, not {}", target_ + best_excess_, target_);
    return compared;
  }

 private:
  const DataMatrix& a_;
  const Basis& basis_;
  Options options_;
  Index target_;
  const Observer& observer_;
  Result best_;
  Index best_excess_ = 0, fits_ = 0;
};

Compared run(const DataMatrix& a, const Basis& basis, const Contender& contender,
             const CompareOptions& compared, const Observer& observer) {
  const Options options = options_of(contender, compared);
  const MethodRecord& record = record_of(contender.method);
  if (record.truncations.empty())
    return {.contender = contender,
            .result = fit(a, basis, options, observer),
            .note = "it truncates nothing"};
  const TruncationType type = type_of(contender);
  Search search(a, basis, options, compared.nonzeros * options.components, observer);
  if (type == TruncationType::count)
    search.excess(static_cast<double>(a.cols() - compared.nonzeros));
  else
    search.bisect(lambda_range(record, type, a.cols()));
  search.finish();
  return search.take(contender);
}

}  // namespace

Contender parse_contender(std::string_view text) {
  std::string_view word = text.substr(0, text.find(':'));
  Contender contender{.method = parse<Method>(word)};
  while (word.size() < text.size()) {
    text.remove_prefix(word.size() + 1);
    word = text.substr(0, text.find(':'));
    const bool start = is_name<Start>(word);
    if (start ? contender.start.has_value() : contender.truncation.has_value())
      throw Error(fmt::format("methods: '{}' is one {} too many for {}", word,
                              start ? "start" : "truncation", name(contender.method)));
    if (start)
      contender.start = parse<Start>(word);
    else
      contender.truncation = parse<TruncationType>(word);
  }
  return contender;
}

std::vector<Contender> all_contenders() {
  std::vector<Contender> all;
  for (const MethodRecord& record : method_records()) all.push_back({.method = record.method});
  return all;
}

std::vector<Compared> compare(const DataMatrix& a, const CompareOptions& options,
                              const Observer& observer) {
  if (options.contenders.empty()) throw Error("methods: there is none to compare");
  if (options.nonzeros < 1 || options.nonzeros > a.cols())
    throw Error(fmt::format("nonzeros = {}: it must be from 1 to {}, the number of variables",
                            options.nonzeros, a.cols()));
  for (const Contender& contender : options.contenders) check(options_of(contender, options), a);

  const ThreadScope scope(options.common.threads);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const Tick tick = [&](double fraction) {
    if (observer && !observer({"pca", fraction})) throw Cancelled();
  };
  const Basis basis =
      principal_basis(a, options.common.components,
                      {.solver = options.common.solver, .seed = options.common.seed}, tick);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();

  std::vector<Compared> rows;
  for (const Contender& contender : options.contenders) {
    rows.push_back(run(a, basis, contender, options, observer));
    rows.back().result.timing.pca = seconds;
    rows.back().result.timing.total += seconds;
    rows.back().seconds = rows.back().result.timing.total;
  }
  return rows;
}

}  // namespace spcart
