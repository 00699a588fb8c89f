#include "fit/search_stage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "improve/searcher.hpp"
#include "spcart/refine.hpp"

namespace spcart {
namespace {

/// Rounds of refining the starts of a search.
constexpr Index kRounds = 20;

/// Nonzeros that the search may use.
std::vector<Index> budget_of(const Result& result, Counts counts) {
  const Options& options = result.options;
  const Index r = options.components, p = result.variables;
  if (counts == Counts::each)
    return in_parts(r * (p - static_cast<Index>(result.truncation->lambda)), r);
  if (options.nonzeros) return in_parts(*options.nonzeros * r, r);
  if (options.sparsity)
    return in_parts(std::lround((1 - *options.sparsity) * static_cast<double>(p * r)), r);
  return in_parts(result.loadings.nonZeros(), r);
}

/// Whether starts other than the method's result are cheap: they take some dozen products of A'A
/// with r vectors.
bool are_products_cheap(const DataMatrix& a, Index r) {
  constexpr double kMost = 5e6;
  const auto p = static_cast<double>(a.cols());
  return std::min(p * p, 2 * a.entries()) * static_cast<double>(r) <= kMost;
}

bool has_empty(const Loadings& x) {
  for (Index i = 0; i < x.cols(); ++i)
    if (x.col(i).nonZeros() == 0) return true;
  return false;
}

class Stage {
 public:
  Stage(const DataMatrix& a, const Basis& basis, const Result& result, const Tick& tick)
      : a_(a),
        basis_(basis),
        result_(result),
        options_(result.options),
        counts_(counts_of(result.truncation->type)),
        tick_(tick),
        starts_(starts()),
        searcher_(a, promise_of(a, basis, options_.components), starts_, tick) {}

  Loadings run() const {
    if (options_.keep) return fewest();
    return searcher_.run(starts_, search_options(budget_of(result_, counts_), 1), tick_);
  }

 private:
  SearchOptions search_options(std::vector<Index> nonzeros, double scale) const {
    return {.nonzeros = std::move(nonzeros),
            .counts = counts_,
            .overlap = options_.overlap,
            .effort = effort_of(options_),
            .scale = scale,
            .seed = options_.seed};
  }

  /// The loadings to improve, and other starts.
  std::vector<Loadings> starts() const {
    std::vector<Loadings> all = {result_.loadings};
    const bool cheap = are_products_cheap(a_, options_.components);
    if (!cheap && effort_of(options_).level == Effort::Level::normal) return all;
    const Options power{.method = Method::tpower,
                        .components = options_.components,
                        .nonzeros = std::ranges::max(budget_of(result_, counts_)),
                        .effort = Effort{Effort::Level::none}};
    const Observer observer = [this](const Progress&) {
      if (tick_) tick_(0);
      return true;
    };
    all.push_back(fit(a_, basis_, power, observer).loadings);
    all.push_back(refine(a_, result_.loadings, counts_, kRounds, tick_));
    if (!Searcher::is_possible(a_, all)) all.resize(1);
    return all;
  }

  /// As few nonzeros as keep the share of PCA's variance, by bisection of their number.
  Loadings fewest() const {
    const Index r = options_.components;
    const double least =
        *options_.keep * basis_.singular_values.head(r).squaredNorm() / basis_.total_variance;
    const Index step = counts_ == Counts::each ? r : 1;
    Loadings best = result_.loadings;
    Index high = (best.nonZeros() + step - 1) / step, low = r / step - 1;
    std::vector<Loadings> starts = starts_;
    // Too few to keep the share, or for every component to have one.
    if (!(searcher_.explained(best) >= least) || has_empty(best)) {
      high = std::max(high, r / step);
      Loadings found = searcher_.run(starts, search_options(in_parts(high * step, r), 1), tick_);
      if (!(searcher_.explained(best) >= least)) return found;
      if (!(searcher_.explained(found) >= least)) return best;
      best = found;
      starts = {found};
    }
    const double steps = std::ceil(std::log2(std::max(high - low, Index{2})));
    const double part = effort_of(options_).level == Effort::Level::seconds ? 1 / steps : 0.25;
    const auto with = [&](Index count, std::span<const Loadings> from) {
      return searcher_.run(from, search_options(in_parts(count * step, r), part), tick_);
    };
    while (high - low > 1) {
      const Index middle = (low + high) / 2;
      Loadings found = with(middle, starts);
      if (searcher_.explained(found) >= least) {
        high = middle;
        best = found;
        starts = {found};
      } else {
        low = middle;
      }
    }
    return best;
  }

  const DataMatrix& a_;
  const Basis& basis_;
  const Result& result_;
  const Options& options_;
  Counts counts_;
  const Tick& tick_;
  std::vector<Loadings> starts_;
  Searcher searcher_;
};

}  // namespace

std::vector<Index> in_parts(Index total, Index parts) {
  std::vector<Index> each;
  for (Index t = 0; t < parts; ++t) each.push_back(std::max<Index>((total + t) / parts, 1));
  return each;
}

Vector promise_of(const DataMatrix& a, const Basis& basis, Index r) {
  const Matrix scaled = basis.vectors.leftCols(r) * basis.singular_values.head(r).asDiagonal();
  return scaled.rowwise().squaredNorm() + a.column_squared_norms() / static_cast<double>(a.cols());
}

bool can_search(const DataMatrix& a, const Loadings& x) {
  return Searcher::is_possible(a, std::span(&x, 1));
}

Loadings search_from(const DataMatrix& a, const Basis& basis, const Result& result,
                     const Tick& tick) {
  return Stage(a, basis, result, tick).run();
}

}  // namespace spcart
