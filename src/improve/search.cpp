#include "spcart/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "base/reject.hpp"
#include "improve/search_chain.hpp"
#include "improve/searcher.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

/// Minimum operations of a chain at normal effort, and the factor for thorough.
constexpr double kNormalWork = 3e7, kThorough = 40;
constexpr int kMostChains = 4;

constexpr double kMostSeconds = 1e6;

constexpr std::array<std::pair<std::string_view, Effort::Level>, 3> kEfforts = {
    {{"none", Effort::Level::none},
     {"normal", Effort::Level::normal},
     {"thorough", Effort::Level::thorough}}};

void check(const DataMatrix& a, std::span<const Loadings> starts, const SearchOptions& options) {
  if (starts.empty()) throw Error("search: there is nothing to start from");
  for (const Loadings& x : starts)
    if (x.rows() != a.cols() || x.cols() != static_cast<Index>(options.nonzeros.size()))
      throw Error(fmt::format("search: a start is {} x {} for {} variables and {} components",
                              x.rows(), x.cols(), a.cols(), options.nonzeros.size()));
  for (const Index k : options.nonzeros)
    if (k < 1 || k > a.cols())
      reject("nonzeros", k, "it must be from 1 to {}, the number of variables", a.cols());
  check(options.effort, options.overlap);
}

/// Loadings restricted to the known variables.
std::vector<SparseVector> known_part(const Loadings& x, const std::vector<Index>& variables) {
  std::vector<SparseVector> all;
  for (Index t = 0; t < x.cols(); ++t) {
    SparseVector& part = all.emplace_back();
    std::vector<double> values;
    for (Loadings::InnerIterator e(x, t); e; ++e) {
      if (e.value() == 0) continue;
      const Index j = variables.empty()
                          ? e.row()
                          : std::ranges::lower_bound(variables, e.row()) - variables.begin();
      part.support.push_back(j);
      values.push_back(e.value());
    }
    part.values = Vector::Map(values.data(), static_cast<Index>(values.size()));
  }
  return all;
}

Loadings loadings_of(const std::vector<SparseVector>& x, const std::vector<Index>& variables,
                     Index p) {
  Loadings found(p, static_cast<Index>(x.size()));
  std::vector<Eigen::Triplet<double, Index>> entries;
  for (std::size_t t = 0; t < x.size(); ++t)
    for (Index i = 0; i < x[t].size(); ++i) {
      const Index j = x[t].support[static_cast<std::size_t>(i)];
      entries.emplace_back(variables.empty() ? j : variables[static_cast<std::size_t>(j)],
                           static_cast<Index>(t), x[t].values[i]);
    }
  found.setFromTriplets(entries.begin(), entries.end());
  return normalized(found);
}

Merit merit_of(const SecondMoments& s, const std::vector<SparseVector>& x) {
  Components all(s, static_cast<Index>(x.size()));
  for (std::size_t t = 0; t < x.size(); ++t) all.put_in(static_cast<Index>(t), x[t]);
  return {all.explained(), all.overlap()};
}

std::vector<Index> variables_of(std::span<const Loadings> many) {
  std::vector<Index> variables;
  for (const Loadings& x : many)
    for (Index t = 0; t < x.cols(); ++t)
      for (Loadings::InnerIterator e(x, t); e; ++e) variables.push_back(e.row());
  std::ranges::sort(variables);
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

/// Approximate number of operations of a sweep over all components.
double sweep_work(const SecondMoments& s, const std::vector<Index>& nonzeros) {
  const auto r = static_cast<double>(nonzeros.size()), m = static_cast<double>(s.size());
  double sum = 0;
  for (const Index k : nonzeros) sum += 8 * (s.cost_of_product(k) + 2 * r * (m + 2 * r));
  return sum;
}

/// How many chains there are, and what each may use: few if a sweep is expensive, so that two
/// threads take as long for one chain as for all.
struct ChainPlan {
  Index chains = 1;
  double work = 0;                ///< of each chain
  std::optional<double> seconds;  ///< likewise
};
ChainPlan plan_of(const SecondMoments& s, const SearchOptions& options, Effort::Level level) {
  constexpr double kSweepsOfChain = 8;  // that each of several chains should be able to make
  constexpr double kFewSweeps = 3, kMostAlone = 6e7;
  double work = kNormalWork * options.scale;
  if (level != Effort::Level::normal) work *= kThorough;
  ChainPlan plan;
  plan.chains = static_cast<Index>(
      std::clamp(kMostChains * work / (kSweepsOfChain * sweep_work(s, options.nonzeros)), 1.0,
                 1.0 * kMostChains));
  // A single chain makes some sweeps, unless that takes long.
  if (plan.chains <= 2)
    work = std::max(1.5 * work, std::min(kFewSweeps * sweep_work(s, options.nonzeros), kMostAlone));
  plan.work = work;
  if (options.effort.level == Effort::Level::seconds) {
    if (level == Effort::Level::seconds) plan.work = std::numeric_limits<double>::infinity();
    const Index in_turn = (plan.chains + threads() - 1) / threads();
    plan.seconds = options.effort.seconds * options.scale / static_cast<double>(in_turn);
  }
  return plan;
}

/// The limit of a chain that begins now.
Limit begun(const ChainPlan& plan) {
  Limit limit{.work = plan.work};
  if (plan.seconds) limit.end = time_after(*plan.seconds);
  return limit;
}

/// Whether components have no more nonzeros than allowed.
bool fits(const std::vector<SparseVector>& x, const SearchGoal& goal) {
  Index sum = 0, most = 0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    if (goal.counts == Counts::each && x[t].size() > goal.nonzeros[t]) return false;
    sum += x[t].size();
    most += goal.nonzeros[t];
  }
  return sum <= most;
}

}  // namespace

Searcher::Searcher(const DataMatrix& a, const Vector& promising, std::span<const Loadings> starts,
                   const Tick& tick)
    : variables_(a.cols()), s_(a, promising, variables_of(starts), tick) {}

bool Searcher::is_possible(const DataMatrix& a, std::span<const Loadings> starts) {
  return SecondMoments::can_hold(a, static_cast<Index>(variables_of(starts).size()));
}

bool Searcher::knows(const Loadings& x) const {
  return s_.variables().empty() ||
         std::ranges::includes(s_.variables(), variables_of(std::span(&x, 1)));
}

double Searcher::explained(const Loadings& x) const {
  return merit_of(s_, known_part(normalized(x), s_.variables())).explained / s_.total();
}

Loadings Searcher::run(std::span<const Loadings> starts, const SearchOptions& options,
                       const Tick& tick) const {
  std::vector<std::vector<SparseVector>> from;
  for (const Loadings& x : starts) from.push_back(known_part(normalized(x), s_.variables()));
  const SearchGoal goal{options.nonzeros, options.counts, options.overlap};
  Answer best{from.front(), merit_of(s_, from.front())};
  const Merit given = fits(from.front(), goal) ? best.merit : Merit{.overlap = 2};
  best.merit = given;
  SharedTick shared(tick);
  const auto run_chains = [&](const ChainPlan& plan) {
    std::vector<Answer> answers(static_cast<std::size_t>(plan.chains));
    parallel_for(plan.chains, threads() > 1 && plan.chains > 1, [&](Index i) {
      const ThreadScope alone(1);  // its products are small
      const auto k = static_cast<std::size_t>(i);
      Chain chain(s_, goal, seed_of(options.seed, i), begun(plan),
                  [&](double part) { shared(part); });
      // The last start first: with one chain there is time for the best guess only.
      answers[k] = chain.run(k < from.size() ? &from[from.size() - 1 - k] : nullptr);
    });
    for (Answer& answer : answers) {
      if (!fits(answer.x, goal)) continue;
      const bool less =
          given.overlap <= options.overlap && answer.merit.explained < given.explained;
      if (!less && answer.merit.better_than(best.merit, options.overlap)) best = std::move(answer);
    }
  };
  // More effort begins with the result of normal effort, so that it never ends with a worse one.
  const ChainPlan normal = plan_of(s_, options, Effort::Level::normal);
  run_chains(normal);
  if (options.effort.level != Effort::Level::normal) {
    from.push_back(best.x);
    run_chains(plan_of(s_, options, options.effort.level));
  }
  return loadings_of(best.x, s_.variables(), variables_);
}

Loadings search(const DataMatrix& a, std::span<const Loadings> starts, const Vector& promising,
                const SearchOptions& options, const Tick& tick) {
  check(a, starts, options);
  if (options.effort.level == Effort::Level::none || !Searcher::is_possible(a, starts))
    return normalized(starts.front());
  return Searcher(a, promising, starts, tick).run(starts, options, tick);
}

Effort parse_effort(std::string_view text) {
  for (const auto& [word, level] : kEfforts)
    if (text == word) return {level};
  Effort effort{Effort::Level::seconds};
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, effort.seconds);
  if (error != std::errc{} || last != end)
    reject("effort", text, "it must be none, normal, thorough or a number of seconds");
  return effort;
}

std::string name(const Effort& effort) {
  for (const auto& [word, level] : kEfforts)
    if (effort.level == level) return std::string(word);
  return fmt::format("{}", effort.seconds);
}

void check(const Effort& effort, double overlap) {
  if (effort.level == Effort::Level::seconds &&
      !(effort.seconds > 0 && effort.seconds <= kMostSeconds))
    reject("effort", effort.seconds, "a number of seconds must be above 0 and at most {:g}",
           kMostSeconds);
  if (!(overlap >= 0 && overlap <= 1)) reject("overlap", overlap, "it must be from 0 to 1");
}

}  // namespace spcart
