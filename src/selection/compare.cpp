#include "spcart/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/progress.hpp"
#include "base/reject.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

Options options_of(const Contender& contender, const CompareOptions& compared) {
  Options options = compared.common;
  options.method = contender.method;
  options.truncation = contender.truncation;
  options.start = contender.start;
  options.lambda.reset();
  options.nonzeros.reset();
  options.effort = Effort{Effort::Level::none};
  if (record_of(contender.method).truncations.empty()) options.refit = options.refine = 0;
  return options;
}

ComparisonRow run(const DataMatrix& a, const Basis& basis, const Contender& contender,
                  const CompareOptions& compared, const Observer& observer) {
  Options options = options_of(contender, compared);
  ComparisonRow row{.contender = contender, .result = {}, .note = {}};
  if (record_of(contender.method).truncations.empty()) {
    row.result = fit(a, basis, options, observer);
    row.note = "it truncates nothing";
    return row;
  }
  if (!options.truncation) options.truncation = record_of(contender.method).truncations.front();
  options.nonzeros = compared.nonzeros;
  Options bare = options;  // the steps after a method add no nonzeros
  bare.refit = bare.refine = 0;
  const Result search = fit(a, basis, bare, observer);
  row.fits = std::max<Index>(search.target->trials, 1);
  options.nonzeros.reset();
  options.lambda = search.truncation->lambda;
  row.result = fit(a, basis, options, observer);
  if (const Effort effort = compared.common.effort.value_or(Effort{});
      effort.level != Effort::Level::none) {
    Options searching = options;
    searching.effort = effort;
    row.searched = fit(a, basis, searching, observer).criteria;
  }
  const Index target = compared.nonzeros * compared.common.components;
  if (const Index found = row.result.loadings.nonZeros(); found != target)
    row.note = fmt::format("{} nonzeros, not {}", found, target);
  return row;
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
      reject("methods", word, "it is one {} too many for {}", start ? "start" : "truncation",
             name(contender.method));
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

std::vector<ComparisonRow> compare(const DataMatrix& a, const CompareOptions& options,
                                   const Observer& observer) {
  if (options.contenders.empty()) throw Error("methods", "", "there is none to compare");
  if (options.nonzeros < 1 || options.nonzeros > a.cols())
    reject("nonzeros", options.nonzeros, "it must be from 1 to {}, the number of variables",
           a.cols());
  for (const Contender& contender : options.contenders) check(options_of(contender, options), a);

  const ThreadScope scope(options.common.threads);
  const Basis basis = principal_basis(
      a, options.common.components, {.solver = options.common.solver, .seed = options.common.seed},
      tick_of(observer, "pca"));

  std::vector<ComparisonRow> rows;
  for (const Contender& contender : options.contenders) {
    ComparisonRow& row = rows.emplace_back(run(a, basis, contender, options, observer));
    const Timing& timing = row.result.timing;
    row.seconds = timing.total - timing.read - timing.prepare;
  }
  return rows;
}

}  // namespace spcart
