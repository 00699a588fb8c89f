#include "spcart/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "arguments/basis_arguments.hpp"
#include "arguments/call.hpp"
#include "arguments/data_source.hpp"
#include "arguments/numbers.hpp"
#include "arguments/option_arguments.hpp"
#include "arguments/report_arguments.hpp"
#include "arguments/report_fields.hpp"
#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/component_table.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/text.hpp"
#include "spcart/common_options.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/output.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct PathArguments {
  DataArguments data;
  OptionArguments options;
  std::vector<std::string> truncations = {"hard"};
  std::string components = "2", points, keep = "0.95";
  BasisArguments basis;
  ReportArguments report;
  std::string at, json, csv, loadings;
  bool quiet = false;
};

double keep_of(const PathArguments& arguments) {
  return parse_number<double>("keep", arguments.keep);
}

PathOptions path_options(const PathArguments& arguments) {
  auto options =
      with_common(PathOptions{.truncations = {},
                              .components = parse_list("components", arguments.components),
                              .points = {},
                              .keep = keep_of(arguments)},
                  arguments.options.options());
  options.certify = arguments.options.options().certify;
  if (!arguments.points.empty()) options.points = parse_number<Index>("points", arguments.points);
  for (const std::string& word : arguments.truncations) {
    if (word == "all")
      options.truncations.insert(options.truncations.end(),
                                 {TruncationType::hard, TruncationType::soft, TruncationType::count,
                                  TruncationType::energy});
    else
      options.truncations.push_back(parse<TruncationType>(word));
  }
  return options;
}

Index nonzeros(const PathPoint& point) {
  const auto& each = point.criteria.nonzeros;
  return std::accumulate(each.begin(), each.end(), Index{0});
}

/// A bar of the share of PCA's variance: the shape of the trade-off at a glance.
std::string share_bar(double share) {
  constexpr int kWidth = 20;
  const int full = static_cast<int>(std::lround(share * kWidth));
  std::string text;
  for (int i = 0; i < kWidth; ++i)
    text += i < full ? (terminal().utf8 ? "━" : "#") : (terminal().utf8 ? "─" : ".");
  return text;
}

std::string mark(const Path& path, std::size_t k, double keep) {
  std::string text;
  if (k == path.knee) text += "knee";
  if (path.keep == k) text += fmt::format("{}keeps {:g} %", text.empty() ? "" : ", ", 100 * keep);
  if (const auto empty = std::ranges::count(path.points[k].criteria.nonzeros, 0); empty > 0)
    text += fmt::format("{}{} empty", text.empty() ? "" : ", ", empty);
  return text.empty() ? "" : bold("< " + text);
}

std::string table(const Path& path, double keep) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < path.points.size(); first = last) {
    const PathPoint& group = path.points[first];
    const bool bounded = group.bound.has_value();
    TextTable table(bounded ? "rrrrrrrrrll" : "rrrrrrrrll");
    std::vector<std::string> header = {"lambda", "nonzeros", "SP", "STD", "worst SP", "CPEV"};
    if (bounded) header.emplace_back("orth. bound");
    header.insert(header.end(), {"of PCA's", "NOR", "", ""});
    table.add_header(header);
    for (;
         last < path.points.size() && path.points[last].truncation.type == group.truncation.type &&
         path.points[last].components == group.components;
         ++last) {
      const PathPoint& point = path.points[last];
      const Criteria& c = point.criteria;
      std::vector<std::string> row = {
          fmt::format("{:.4g}", point.truncation.lambda), fmt::format("{}", nonzeros(point)),
          fmt::format("{:.4f}", c.sparsity.mean),         fmt::format("{:.4f}", c.sparsity.std),
          fmt::format("{:.4f}", c.sparsity.min),          fmt::format("{:.4f}", c.cpev)};
      if (bounded)  // rounded up: it must hold as it is shown
        row.push_back(fmt::format("{:.4f}", std::ceil(1e4 * *point.bound) / 1e4));
      row.insert(row.end(),
                 {percent_down(c.share_of_pca()), fmt::format("{:.4f}", c.nonorthogonality),
                  share_bar(c.share_of_pca()), mark(path, last, keep)});
      table.add(std::move(row));
    }
    text += fmt::format("{}, {} component{}; PCA explains {:.4f}\n\n{}\n",
                        bold(name(group.truncation.type)), group.components,
                        group.components == 1 ? "" : "s", group.criteria.cpev_pca, table.text());
    if (bounded)
      text +=
          "  " +
          wrapped(
              "orth. bound: proved, no orthogonal components with as many nonzeros in each have a "
              "larger CPEV; those that overlap may",
              terminal().width - 2, 2) +
          "\n\n";
  }
  return text;
}

std::string csv(const Path& path) {
  const bool bounded = path.points.front().bound.has_value();
  std::string text = fmt::format(
      "truncation,lambda,components,nonzeros,sparsity,sparsity_std,sparsity_min,cpev,cpev_pca,"
      "share_of_pca,nonorthogonality,iterations,status{}\n",
      bounded ? ",bound" : "");
  for (const PathPoint& point : path.points) {
    const Criteria& c = point.criteria;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", name(point.truncation.type),
                        point.truncation.lambda, point.components, nonzeros(point), c.sparsity.mean,
                        c.sparsity.std, c.sparsity.min, c.cpev, c.cpev_pca, c.share_of_pca(),
                        c.nonorthogonality, point.iterations, name(point.status),
                        point.bound ? fmt::format(",{}", *point.bound) : "");
  }
  return text;
}

/// The call that shows and saves a point: the search there also uses the neighbouring points, so
/// that a fit alone may give another result.
std::string call_of(const PathArguments& arguments, const PathPoint& point) {
  Options options = arguments.options.options();
  options.components = point.components;
  options.truncation = point.truncation.type;
  if (options.truncation == TruncationType::hard) options.truncation.reset();
  std::string flags = flags_of(options);
  if (!arguments.points.empty()) flags += fmt::format(" --points {}", arguments.points);
  flags += fmt::format(" --at {} --loadings loadings.csv", nonzeros(point));
  return call_on("path", arguments.data, flags);
}

std::string counted(Index count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The points to continue with, and how.
std::string advice(const PathArguments& arguments, const Path& path) {
  const auto line = [&](std::string_view what, const PathPoint& point) {
    return fmt::format("  {} {} of {}, {} of PCA's variance:\n    {}\n", what,
                       counted(nonzeros(point), "nonzero"), point.components * path.variables,
                       percent_down(point.criteria.share_of_pca()),
                       printable(call_of(arguments, point)));
  };
  std::string text = line("The knee:", path.points[path.knee]);
  if (path.keep)
    text += line(fmt::format("The fewest that keep {:g} %:", 100 * keep_of(arguments)),
                 path.points[*path.keep]);
  return text;
}

/// What can be checked before the points are known.
void check_at(const std::string& at) {
  const bool number = !at.empty() && at.find_first_not_of("0123456789") == std::string::npos;
  if (!at.empty() && at != "knee" && at != "keep" && !number)
    throw Error("at", at, "it must be knee, keep or a number of nonzeros");
}

/// The point that --at names, among those with the most components; the knee by default.
const PathPoint& chosen(const PathArguments& arguments, const Path& path) {
  const std::string& at = arguments.at;
  if (at.empty() || at == "knee") return path.points[path.knee];
  if (at == "keep") {
    if (!path.keep)
      throw Error("at", "keep",
                  fmt::format("no point keeps {:g} % of PCA's variance", 100 * keep_of(arguments)));
    return path.points[*path.keep];
  }
  const PathPoint* best = nullptr;
  std::string rows;
  for (const PathPoint& point : path.points) {
    if (point.components != path.points.back().components) continue;
    const std::string number = fmt::format("{}", nonzeros(point));
    rows += fmt::format("{}{}", rows.empty() ? "" : ", ", number);
    if (number == at && (!best || point.criteria.cpev > best->criteria.cpev)) best = &point;
  }
  if (!best)
    throw Error("at", at,
                fmt::format("it must be knee, keep or the nonzeros of a point: {}", rows));
  return *best;
}

std::string chosen_table(const PathArguments& arguments, const Data& data, const Path& path) {
  if (arguments.at.empty()) return "";
  const PathPoint& point = chosen(arguments, path);
  return fmt::format(
      "\n  {} of {}:\n\n{}", counted(nonzeros(point), "nonzero"), point.components * path.variables,
      component_table(point.loadings, point.criteria, data.table.variables, false, nullptr));
}

void add_arguments(CLI::App& app, PathArguments& arguments) {
  app.add_option("-r,--components", arguments.components,
                 "numbers of components, with commas between (default: 2)")
      ->type_name("N,M,...")
      ->group("Path");
  app.add_option("--truncation", arguments.truncations,
                 "truncation types to follow, with commas between, or all (default: hard)")
      ->delimiter(',')
      ->type_name("hard|soft|count|energy|all")
      ->group("Path");
  app.add_option("--points", arguments.points,
                 "lambdas of each type (default: 40, or all of count if there are fewer)")
      ->type_name("N")
      ->group("Path");
  app.add_option("--keep", arguments.keep,
                 "mark the fewest nonzeros that keep this share of PCA's variance (default: 0.95)")
      ->type_name("F")
      ->group("Path");
  app.add_option("--at", arguments.at,
                 "show the components of one point: knee, keep or its number of nonzeros")
      ->type_name("knee|keep|N")
      ->group("Path");
  arguments.options.add_to(app, {"effort", "overlap", "tolerance", "max-iterations", "certify",
                                 "solver", "seed", "threads"});
  arguments.data.add_reading(app)->required();
  arguments.data.add_covariance(app);
  arguments.data.add_preparation(app);
  const char* group = "Output (- is standard output)";
  app.add_option("--json", arguments.json, "write the points as JSON")
      ->type_name("F")
      ->group(group);
  app.add_option("--csv", arguments.csv, "write the points as CSV")->type_name("F")->group(group);
  app.add_option("--loadings", arguments.loadings,
                 "write the loadings of the point that --at names (default: the knee) as CSV, one "
                 "line per variable")
      ->type_name("F")
      ->group(group);
  arguments.basis.add_to(app);
  arguments.report.add_report(app);
  app.add_flag("--quiet", arguments.quiet, "no table, no progress, no warnings: only errors")
      ->group(group);
}

std::string report(const PathArguments& arguments, const Data& data, const Path& path) {
  std::vector<std::string> calls;
  for (const PathPoint& point : path.points) calls.push_back(call_of(arguments, point));
  return report_page(with_report_fields(
      to_json(path),
      report_fields(data, calls, variance_shares(path.singular_values, path.total_variance))));
}

void run(const PathArguments& arguments, DataSource& source) {
  const PathOptions options = path_options(arguments);
  check_at(arguments.at);
  arguments.report.check();
  std::vector<std::string> inputs = arguments.data.files();
  inputs.push_back(arguments.basis.basis);
  Outputs outputs({{"--json", arguments.json},
                   {"--csv", arguments.csv},
                   {"--loadings", arguments.loadings},
                   {"--save-basis", arguments.basis.save},
                   {"--report", arguments.report.report}},
                  inputs);
  const ThreadScope threads(checked_threads(options.threads));
  const Index most = options.components.empty() ? 1 : std::ranges::max(options.components);
  Data data;
  Path path;
  {
    const Activity activity(arguments.quiet);
    PrepareOptions planned = arguments.data.prepare_options(most, options.solver);
    planned.without_pca = !arguments.basis.basis.empty();
    data = source.read(arguments.data, planned, activity);
    source.prepare(data, planned, activity);
    with_title(data, [&] {
      const Basis basis = arguments.basis.basis_of(
          data, outputs, [&] { return basis_for(*data.matrix, options, activity.observer()); });
      path = spcart::path(*data.matrix, basis, options, activity.observer());
    });
    chosen(arguments, path);  // a point that does not exist is reported before anything is written
    activity.enter("writing");
    if (outputs.wants("--json")) outputs.set("--json", to_json(path));
    if (outputs.wants("--csv")) outputs.set("--csv", csv(path));
    if (outputs.wants("--loadings"))
      outputs.set("--loadings",
                  loadings_csv(chosen(arguments, path).loadings, data.table.variables));
    if (outputs.wants("--report")) outputs.set("--report", report(arguments, data, path));
    outputs.write();
  }
  if (arguments.quiet) return;
  if (!outputs.uses_stdout())
    print(fmt::format("{}: {}\n\n{}{}{}\n  {} in {:.2f} s, PCA included ({:.2f} s)\n",
                      bold(arguments.data.title()), shape(data.table), table(path, options.keep),
                      advice(arguments, path), chosen_table(arguments, data, path),
                      counted(static_cast<Index>(path.points.size()), "point"), path.seconds,
                      path.pca_seconds));
  print_warnings(path.warnings, data.notes);
}

}  // namespace

Command add_path(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "path",
       .summary = "Follow the trade-off between zeros and variance, from PCA to one variable each",
       .usage = "DATA [-r N,...] [--truncation TYPE,...] [--points N] [options]",
       .detail = "The best answer that is known at each number of nonzeros, from one PCA: rotation "
                 "and truncation from the point before and from the varimax start, then a search "
                 "(--effort none leaves it out). SP, STD and worst SP are mean, spread and minimum "
                 "of the fraction of zeros in a loading, CPEV is the variance explained, NOR the "
                 "mean overlap of two loadings. The knee lies farthest above the line between the "
                 "ends of the path, with nonzeros on a logarithmic scale.",
       .examples = {"spcart path @pitprops -r 6",
                    "spcart path samples.csv -r 5 --truncation all --keep 0.9 --csv path.csv",
                    "spcart path samples.csv -r 5 --at keep --loadings loadings.csv",
                    "spcart path counts.mtx.gz -r 5,10,20 --points 20 --report path.html"}});
  auto arguments = std::make_shared<PathArguments>();
  add_arguments(app, *arguments);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
