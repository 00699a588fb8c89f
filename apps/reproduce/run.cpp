#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

#include "source.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart::reproduce {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Whether the time of the principal components is part of the time of a method. The other methods
/// start from a variable.
bool starts_from_pca(const Options& options) {
  switch (options.method) {
    case Method::rsvd_gp:
    case Method::tpower:
      return options.start == Start::pca;
    case Method::gpower:
    case Method::pathspca:
      return false;
    default:
      return true;
  }
}

/// The nonzeros of each loading as the paper writes them: "5-10; 1-4,9-10".
std::string variables_pattern(const Loadings& x) {
  std::string text;
  for (Index i = 0; i < x.cols(); ++i) {
    std::string runs;
    for (Loadings::InnerIterator it(x, i); it;) {
      const Index first = it.row();
      Index last = first;
      while (++it && it.row() == last + 1) ++last;
      runs += fmt::format("{}{}", runs.empty() ? "" : ",", first + 1);
      if (last > first) runs += fmt::format("-{}", last + 1);
    }
    text += (i > 0 ? "; " : "") + runs;
  }
  return text;
}

std::string cardinalities_pattern(const Criteria& criteria) {
  const auto most = std::ranges::max(criteria.nonzeros);
  return fmt::format("{}", fmt::join(criteria.nonzeros, most > 9 ? "; " : ""));
}

/// The mean over the first loadings of the part of each that is within as many principal
/// components.
double share_within(const Matrix& x, const Matrix& v) {
  constexpr Index kFirst = 10;
  const Index count = std::min(kFirst, x.cols());
  return (v.leftCols(count).transpose() * x.leftCols(count)).colwise().squaredNorm().mean();
}

/// For each column of `from`, |cos| with the column of `to` that is nearest to it; their mean.
double mean_nearest_cosine(const Matrix& from, const Matrix& to) {
  return (to.transpose() * from).cwiseAbs().colwise().maxCoeff().mean();
}

/// Mean over loadings of the squared differences of neighbouring pixels.
double roughness(const Matrix& loadings, std::pair<Index, Index> shape) {
  const auto [height, width] = shape;
  double sum = 0;
  for (const auto& column : loadings.colwise()) {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
        image(column.data(), height, width);
    sum += (image.rightCols(width - 1) - image.leftCols(width - 1)).squaredNorm() +
           (image.bottomRows(height - 1) - image.topRows(height - 1)).squaredNorm();
  }
  return sum / static_cast<double>(loadings.cols());
}

/// One data set of an experiment: its basis is computed once and used by every run.
class Bench {
 public:
  Bench(const Experiment& experiment, const Table& table, const Tick& tick)
      : experiment_(experiment),
        a_(make_matrix(table, {.remove_row_mean = experiment.data.remove_row_mean})),
        tick_(tick) {
    const DataMatrix& a = *a_;
    const Index most = std::min(a.rows(), a.cols());
    const auto explaining = [&](double fraction) {
      if (basis_.vectors.cols() < most) basis_ = principal_basis(a, most, {}, tick_);
      return std::min(components_explaining(basis_, fraction), most);
    };
    Index components = 1;
    for (const Series& series : experiment.series) {
      settings_.push_back(settings_of(series, a.cols(), explaining));
      for (const Options& options : settings_.back()) {
        check(options, a);
        components = std::max(components, options.components);
      }
    }
    if (basis_.vectors.cols() < components) basis_ = principal_basis(a, components, {}, tick_);
  }

  std::size_t runs() const {
    std::size_t count = 0;
    for (const auto& settings : settings_) count += settings.size();
    return count;
  }

  /// Calls `done` after each run.
  void run(Outcome& outcome, const std::function<void()>& done) {
    for (std::size_t s = 0; s < settings_.size(); ++s) {
      const Series& series = experiment_.series[s];
      before_ = Matrix();
      for (const Options& options : settings_[s]) {
        if (series.by_iteration)
          add_iterations(series, options, outcome);
        else
          add_fit(series, options, outcome);
        done();
      }
    }
  }

 private:
  void add_iterations(const Series& series, const Options& options, Outcome& outcome) const {
    const auto known = basis_.gram ? with_gram(*a_, *basis_.gram) : nullptr;
    for (Record& record : iterations(known ? *known : *a_, basis_, options, tick_)) {
      record.series = series.label;
      outcome.records.push_back(std::move(record));
    }
  }

  void add_fit(const Series& series, const Options& options, Outcome& outcome) {
    const Observer observer = [this](const Progress& progress) {
      if (tick_) tick_(progress.fraction);
      return true;
    };
    const Options found = with_lambda(options, observer);
    Result best;
    for (Index repeat = 0; repeat < series.repeats; ++repeat) {
      Result result = fit(*a_, basis_, found, observer);
      if (repeat == 0 || own_seconds(result) < own_seconds(best)) best = std::move(result);
    }
    Record record = record_of(best, initialisation(options));
    record.series = series.label;
    if (options.start == Start::random) record.values["seed"] = static_cast<double>(options.seed);
    outcome.records.push_back(std::move(record));
    keep_picture(series, best, outcome);
    before_ = Matrix(best.loadings);
  }

  /// The same at the lambda that meets the target, if it must be searched for: the search is not
  /// part of the time of a fit.
  Options with_lambda(Options options, const Observer& observer) const {
    if (!options.sparsity && !options.nonzeros && !options.keep) return options;
    options.effort = Effort{Effort::Level::none};  // the methods themselves are reproduced
    Options bare = options;
    bare.refit = bare.refine = 0;
    const Result search = fit(*a_, basis_, options.keep ? options : bare, observer);
    options.sparsity.reset();
    options.nonzeros.reset();
    options.keep.reset();
    options.truncation = search.truncation->type;
    options.lambda = search.truncation->lambda;
    return options;
  }

  static double own_seconds(const Result& result) {
    return result.timing.rotate + result.timing.refit + result.timing.refine;
  }

  /// Seconds before the first iteration. Runs share the basis, but each is charged for what it
  /// uses.
  double initialisation(const Options& options) {
    if (starts_from_pca(options)) {
      const Index r = options.components;
      if (!pca_seconds_.contains(r))
        pca_seconds_[r] = shortest([&] { principal_basis(*a_, r, {}, tick_); });
      return pca_seconds_[r];
    }
    if (!basis_.gram) return 0;
    if (!gram_seconds_) gram_seconds_ = shortest([&] { a_->gram(tick_); });
    return *gram_seconds_;
  }

  static double shortest(const std::function<void()>& work) {
    constexpr int kRepeats = 3;
    double seconds = HUGE_VAL;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const auto begin = Clock::now();
      work();
      seconds = std::min(seconds, seconds_since(begin));
    }
    return seconds;
  }

  Record record_of(const Result& result, double initialisation) const;
  void add_likeness(const Loadings& x, Record& record) const;

  void keep_picture(const Series& series, const Result& result, Outcome& outcome) const {
    if (!experiment_.pictures) return;
    const auto& [labels, first, last] = *experiment_.pictures;
    if (std::ranges::find(labels, series.label) == labels.end()) return;
    const Index r = result.loadings.cols(), head = std::min(first, r),
                tail = std::min(last, r - head);
    Matrix shown(result.loadings.rows(), head + tail);
    shown << Matrix(result.loadings.leftCols(head)), Matrix(result.loadings.rightCols(tail));
    outcome.pictures.push_back({series.label, shown.sparseView(0, 0)});
  }

  const Experiment& experiment_;
  std::unique_ptr<DataMatrix> a_;
  const Tick& tick_;
  Basis basis_;
  std::vector<std::vector<Options>> settings_;  ///< of each series
  std::map<Index, double> pca_seconds_;         ///< by components
  std::optional<double> gram_seconds_;
  Matrix before_;  ///< loadings of the run before, in the same series
};

Record Bench::record_of(const Result& result, double initialisation) const {
  const Criteria& c = result.criteria;
  const Loadings& x = result.loadings;
  Record record;
  auto& values = record.values;
  const auto r = static_cast<double>(x.cols()), nonzeros = static_cast<double>(x.nonZeros());
  if (result.truncation) values["lambda"] = result.truncation->lambda;
  values["components"] = r;
  values["variables"] = static_cast<double>(x.rows());
  if (result.samples) values["samples"] = static_cast<double>(*result.samples);
  values["sparsity"] = c.sparsity.mean;
  values["std"] = c.sparsity.std;
  values["worst"] = c.sparsity.min;
  values["nonzeros"] = nonzeros;
  values["cardinality"] = nonzeros / r;
  values["densest"] =
      static_cast<double>(1 + (std::ranges::max_element(c.nonzeros) - c.nonzeros.begin()));
  values["leading_nonzeros"] = static_cast<double>(c.nonzeros.front());
  values["cpev"] = c.cpev;
  values["cpev_pca"] = c.cpev_pca;
  values["share"] = c.share_of_pca();
  values["nor"] = c.nonorthogonality;
  values["ev"] = c.ev;
  values["ev_share"] = c.cpev_pca > 0 ? c.ev / c.cpev_pca : 0;
  values["leading_share"] = c.cpev > 0 ? c.cpev_gains[0] / c.cpev : 0;
  values["seconds"] = initialisation + own_seconds(result);
  // An iteration without anything else: no varimax, no refit.
  if (const auto iterations = static_cast<double>(result.iterations()); iterations > 0) {
    values["iterations"] = iterations;
    values["seconds_per_iteration"] = result.timing.rotate / iterations;
    values["objective"] = result.history.back().objective;
  }
  if (experiment_.pattern == PatternKind::variables) record.pattern = variables_pattern(x);
  if (experiment_.pattern == PatternKind::cardinalities) record.pattern = cardinalities_pattern(c);
  add_likeness(x, record);
  return record;
}

void Bench::add_likeness(const Loadings& x, Record& record) const {
  const Matrix dense(x);
  const auto v = basis_.vectors.leftCols(x.cols());
  record.values["leading_cosine"] = std::abs(dense.col(0).dot(v.col(0)));
  record.values["pca_share"] = share_within(dense, v);
  record.values["pca_cosine"] = mean_nearest_cosine(dense, v);
  if (before_.size() > 0 && before_.rows() == dense.rows())
    record.values["kept"] = mean_nearest_cosine(before_, dense);
  if (!experiment_.data.image || !experiment_.pictures) return;
  const Index first = std::min(experiment_.pictures->first, x.cols()),
              last = std::min(experiment_.pictures->last, x.cols());
  record.values["roughness_first"] = roughness(dense.leftCols(first), *experiment_.data.image);
  record.values["roughness_last"] = roughness(dense.rightCols(last), *experiment_.data.image);
}

/// Declared notes are about the real data and the whole experiment.
std::string note_of(const Claim& claim, const Outcome& outcome) {
  if (outcome.stand_in) return "measured on a stand-in for the data";
  return outcome.experiment->quick ? "measured in small (--quick)" : claim.note;
}

ClaimResult evaluated(const Claim& claim, const Outcome& outcome) {
  ClaimResult result{.experiment = outcome.experiment->name,
                     .claim = claim.claim,
                     .paper = claim.paper,
                     .measured = {},
                     .holds = true};
  for (const auto& check : claim.checks) {
    const CheckResult checked = check->evaluate(outcome.records);
    result.holds = result.holds && checked.holds;
    result.measured += (result.measured.empty() ? "" : "; ") + checked.measured;
  }
  if (!result.holds) result.note = note_of(claim, outcome);
  return result;
}

}  // namespace

Outcome run(const Experiment& experiment, const std::filesystem::path& folder, const Tick& tick) {
  const auto begin = Clock::now();
  const Source source = load(experiment.data, folder);
  Outcome outcome{.experiment = &experiment, .data = source.label, .stand_in = source.stand_in};
  if (experiment.data.image &&
      experiment.data.image->first * experiment.data.image->second != source.tables.front().cols())
    throw Error(fmt::format("experiment {}: images of {} x {} pixels are not {} variables",
                            experiment.name, experiment.data.image->first,
                            experiment.data.image->second, source.tables.front().cols()));

  double finished = 0;  // of the data sets, and of the runs of each
  const double part = 1 / static_cast<double>(source.tables.size());
  const Tick alive = [&](double) {
    if (tick) tick(std::min(finished, 1.0));
  };
  for (const Table& table : source.tables) {
    alive(0);
    Bench bench(experiment, table, alive);
    const double step = part / static_cast<double>(std::max<std::size_t>(bench.runs(), 1));
    bench.run(outcome, [&] { finished += step; });
  }
  for (const Claim& claim : experiment.claims) outcome.claims.push_back(evaluated(claim, outcome));
  outcome.seconds = seconds_since(begin);
  return outcome;
}

}  // namespace spcart::reproduce
