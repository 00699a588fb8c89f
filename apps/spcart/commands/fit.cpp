#include "spcart/fit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "arguments/basis_arguments.hpp"
#include "arguments/call.hpp"
#include "arguments/data_source.hpp"
#include "arguments/option_arguments.hpp"
#include "arguments/report_arguments.hpp"
#include "arguments/report_fields.hpp"
#include "arguments/run_arguments.hpp"
#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/bounds_table.hpp"
#include "rendering/certificate_text.hpp"
#include "rendering/component_table.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/stability_note.hpp"
#include "rendering/text.hpp"
#include "spcart/bootstrap.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/output.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct FitArguments {
  DataArguments data;
  OptionArguments options;
  BasisArguments basis;
  ReportArguments report;
  std::string bootstrap, json, loadings, scores;
  bool bounds = false, all = false, quiet = false;
};

void add_arguments(CLI::App& app, FitArguments& arguments) {
  arguments.options.add_to(app);
  app.add_option(
         "--bootstrap", arguments.bootstrap,
         "fit as many resamples of the samples as well, at least 2, and show how often each "
         "variable is selected")
      ->type_name("B")
      ->group("Fit");
  arguments.data.add_reading(app)->required();
  arguments.data.add_covariance(app);
  arguments.data.add_labels(app);
  arguments.data.add_labels_column(app);
  arguments.data.add_preparation(app);
  const auto add_output = [&app](const char* flag, std::string& path, const char* help) {
    app.add_option(flag, path, help)->type_name("F")->group("Output (- is standard output)");
  };
  add_output("--json", arguments.json, "write everything about the result as JSON");
  add_output("--loadings", arguments.loadings, "write the loadings as CSV, one line per variable");
  add_output("--scores", arguments.scores, "write the samples' scores as CSV, one line per sample");
  arguments.basis.add_to(app);
  arguments.report.add_report(app);
  arguments.report.add_annotations(app);
  app.add_flag("--bounds", arguments.bounds,
               "show what the theory guarantees beside what was measured")
      ->group("Output (- is standard output)");
  app.add_flag("--all", arguments.all, "show all variables of every component in the table")
      ->group("Output (- is standard output)");
  app.add_flag("--quiet", arguments.quiet, "no table, no progress, no warnings: only errors")
      ->group("Output (- is standard output)");
}

/// B of --bootstrap, 0 if it is not given.
Index resamples(const FitArguments& arguments) {
  const std::string& text = arguments.bootstrap;
  if (text.empty()) return 0;
  Index count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 2)
    throw Error("bootstrap", text, "it must be a whole number of at least 2");
  return count;
}

void check_resampling(const Data& data) {
  if (data.table.covariance)
    throw Error("--bootstrap needs samples, but DATA is a covariance matrix");
  if (!data.table.has_samples_at_hand())
    throw Error(
        fmt::format("--bootstrap needs the samples in memory, and {} is left in its file; "
                    "allow more by --memory or take a part of the samples",
                    data.title));
}

void set_texts(Outputs& outputs, const Result& result, const Stability* stability, const Data& data,
               const Annotations& annotations, const Tick& tick) {
  if (outputs.wants("--json"))
    outputs.set("--json", to_json(result, data.table.variables, stability));
  if (outputs.wants("--report"))
    outputs.set("--report", report_page(with_report_fields(
                                to_json(result, data.table.variables, stability),
                                report_fields(this_call(), data, result, annotations, tick))));
  if (outputs.wants("--loadings"))
    outputs.set("--loadings", loadings_csv(result.loadings, data.table.variables));
  if (outputs.wants("--scores"))
    outputs.set("--scores",
                scores_csv(spcart::scores(*data.matrix, result.loadings), data.table.samples));
}

std::string title(const FitArguments& arguments, const Result& result, const Table& table) {
  const Index r = result.loadings.cols();
  std::string text = fmt::format("{}: {}, {} {}component{} by {}", bold(arguments.data.title()),
                                 shape(table), r, result.truncation ? "sparse " : "",
                                 r == 1 ? "" : "s", name(result.options.method));
  if (result.truncation) text += ", " + in_words(*result.truncation, result.options.method);
  return wrapped(text, terminal().width) + "\n\n";
}

void run(const FitArguments& arguments, DataSource& source) {
  const Options options = arguments.options.options();
  const BootstrapOptions bootstrapped{.resamples = resamples(arguments), .seed = options.seed};
  arguments.report.check();
  if (!arguments.data.labels_column.empty() && arguments.report.report.empty())
    throw Error("labels-column", arguments.data.labels_column,
                "labels are shown in a report, give --report F too");
  if (!arguments.data.labels.empty() && arguments.data.source.starts_with('@') &&
      arguments.report.report.empty())
    throw Error("labels", arguments.data.labels, "they are shown in a report, give --report F too");
  std::vector<std::string> inputs = arguments.data.files();
  inputs.push_back(arguments.basis.basis);
  Outputs outputs({{"--json", arguments.json},
                   {"--loadings", arguments.loadings},
                   {"--scores", arguments.scores},
                   {"--save-basis", arguments.basis.save},
                   {"--report", arguments.report.report}},
                  inputs);
  const ThreadScope threads(checked_threads(options.threads));
  Data data;
  Result result;
  std::optional<Stability> stability;
  {
    const Activity activity(arguments.quiet);
    PrepareOptions planned = arguments.data.prepare_options(options.components, options.solver);
    planned.without_pca = !arguments.basis.basis.empty();
    data = source.read(arguments.data, planned, activity);
    if (outputs.wants("--scores") && data.table.covariance)
      throw Error("--scores needs samples, but DATA is a covariance matrix");
    if (bootstrapped.resamples > 0) check_resampling(data);
    const Annotations annotations = arguments.report.annotations(data.table, arguments.data.labels);
    source.prepare(data, planned, activity);
    with_title(data, [&] {
      const Basis basis = arguments.basis.basis_of(
          data, outputs, [&] { return basis_for(*data.matrix, options, activity.observer()); });
      result = spcart::fit(*data.matrix, basis, options, activity.observer());
    });
    if (bootstrapped.resamples > 0)
      with_title(data, [&] {
        stability = bootstrap(*data.matrix, result, bootstrapped, activity.observer());
      });
    activity.enter("writing");
    set_texts(outputs, result, stability ? &*stability : nullptr, data, annotations,
              activity.tick());
    outputs.write();
  }
  if (arguments.quiet) return;
  if (!outputs.uses_stdout())
    print(title(arguments, result, data.table) +
          component_table(result.loadings, result.criteria, data.table.variables, arguments.all,
                          stability ? &*stability : nullptr) +
          '\n' + totals(result) + proofs_text(result.proofs) +
          (result.certificate ? certificate_text(*result.certificate) : "") +
          (stability ? stability_note(*stability, result.loadings, data.table.variables) : "") +
          (arguments.bounds ? '\n' + bounds_table(result.bounds) : ""));
  print_warnings(result.warnings, data.notes);
}

}  // namespace

Command add_fit(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "fit",
       .summary = "Find sparse principal components: few variables each, nearly all that "
                  "PCA explains",
       .usage = "DATA [-r N] [options]",
       .detail = {},
       .examples = {"spcart fit @pitprops -r 6",
                    "spcart fit samples.csv -r 5 --nonzeros 10 --scale",
                    "spcart fit @pitprops -r 3 --nonzeros 5 --certify",
                    "spcart fit counts.mtx.gz -r 20 --refit 5 --json result.json",
                    "spcart fit large.npy -r 20 --save-basis large.basis",
                    "spcart fit large.npy -r 10 --keep 0.9 --basis large.basis",
                    "spcart fit @patches -r 20 --remove-row-mean --image 13x13 --report fit.html",
                    "gunzip -c table.csv.gz | spcart fit - -r 3 --loadings loadings.csv"}});
  auto arguments = std::make_shared<FitArguments>();
  add_arguments(app, *arguments);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
