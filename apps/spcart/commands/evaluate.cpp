#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "arguments/data_source.hpp"
#include "arguments/option_arguments.hpp"
#include "arguments/run_arguments.hpp"
#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/certificate_text.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "spcart/certificate.hpp"
#include "spcart/criteria.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/output.hpp"
#include "spcart/pca.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct EvaluateArguments {
  DataArguments data;
  RunArguments run;
  OptionArguments options;
  std::string loadings, json;
};

Criteria evaluate(const Data& data, const Loadings& x, const Activity& activity) {
  const DataMatrix& a = *data.matrix;
  activity.enter("finding principal components");
  const Index r = std::min({x.cols(), a.rows(), a.cols()});
  Basis basis;
  with_title(data, [&] { basis = principal_basis(a, r, {}, activity.tick()); });
  activity.enter("evaluating the loadings");
  return spcart::evaluate(a, x, basis.cpev(), activity.tick());
}

std::string criteria_table(const Criteria& criteria, Index r) {
  TextTable table("lrl");
  const auto add = [&table](const char* name, double value, std::string definition) {
    table.add({name, fmt::format("{:.4f}", value), std::move(definition)});
  };
  add("CPEV", criteria.cpev, "variance within the span of the loadings, as a fraction of all");
  add("CPEV of PCA", criteria.cpev_pca,
      fmt::format("the same of {} principal component{}: the most there is", r, r == 1 ? "" : "s"));
  add("share of PCA", criteria.share_of_pca(), "the first divided by the second");
  add("EV", criteria.ev, "sum of the variances of the components; overlaps count twice");
  add("NOR", criteria.nonorthogonality, "mean |cosine| between two loadings; 0 is orthogonal");
  add("worst NOR", criteria.worst_nonorthogonality, "the largest of them");
  add("sparsity", criteria.sparsity.mean, "mean fraction of zeros in a loading");
  add("sparsity, std", criteria.sparsity.std, "its sample standard deviation over the loadings");
  add("sparsity, min", criteria.sparsity.min, "of the densest loading");
  return table.text();
}

std::string components(const Criteria& criteria) {
  TextTable table("lrr");
  table.add_header({"", "adjusted variance", "nonzeros"});
  for (std::size_t i = 0; i < criteria.nonzeros.size(); ++i)
    table.add({fmt::format("PC{}", i + 1),
               fmt::format("{:.2f} %", 100 * criteria.adjusted_variance(static_cast<Index>(i))),
               fmt::format("{}", criteria.nonzeros[i])});
  return table.text();
}

void run(const EvaluateArguments& arguments, DataSource& source) {
  if (arguments.data.source == "-" && arguments.loadings == "-")
    throw Error("DATA and --loadings are both '-': only one can come from standard input");
  const std::optional<double> seconds = arguments.options.options().certify;
  if (seconds) check(CertifyOptions{*seconds});
  std::vector<std::string> inputs = arguments.data.files();
  inputs.push_back(arguments.loadings);
  Outputs outputs({{"--json", arguments.json}}, inputs);
  const ThreadScope threads(arguments.run.thread_count());
  Data data;
  Loadings x;
  Criteria criteria;
  std::optional<Certificate> certificate;
  {
    const Activity activity(arguments.run.quiet);
    data = source.read(arguments.data, arguments.data.prepare_options(), activity);
    x = read_loadings(arguments.loadings, data.table.variables);
    source.prepare(data, arguments.data.prepare_options(x.cols()), activity);
    criteria = evaluate(data, x, activity);
    if (seconds) {
      activity.enter("proving what is possible");
      certificate =
          certify(*data.matrix, x, criteria.cpev_pca, {.seconds = *seconds}, activity.tick());
    }
    activity.enter("writing");
    if (outputs.wants("--json"))
      outputs.set("--json", to_json(criteria, certificate ? &*certificate : nullptr));
    outputs.write();
  }
  if (arguments.run.quiet) return;
  if (!outputs.uses_stdout())
    print(fmt::format("{}: {} loading{} evaluated on {}, {}\n\n{}\n{}{}",
                      bold(file_title(arguments.loadings)), x.cols(), x.cols() == 1 ? "" : "s",
                      arguments.data.title(), shape(data.table), criteria_table(criteria, x.cols()),
                      components(criteria), certificate ? certificate_text(*certificate) : ""));
  print_warnings(data.table.notes, data.notes);
}

}  // namespace

Command add_evaluate(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "evaluate",
       .summary = "Evaluate loadings from any source: explained variance, sparsity, orthogonality",
       .usage = "DATA --loadings F [options]",
       .detail = "Prepare DATA as it was for the loadings (--scale, --no-center, ...). Columns of "
                 "the loadings are given unit length first.",
       .examples = {"spcart evaluate @pitprops --loadings loadings.csv",
                    "spcart evaluate samples.csv --scale --loadings result.json --json -"}});
  auto arguments = std::make_shared<EvaluateArguments>();
  app.add_option("--loadings", arguments->loadings,
                 "the loadings: JSON of a result, or a table with one row per variable and one "
                 "column per component")
      ->type_name("F")
      ->required()
      ->group("Loadings");
  arguments->options.add_to(app, {"certify"}, "Loadings");
  arguments->data.add_reading(app)->required();
  arguments->data.add_covariance(app);
  arguments->data.add_preparation(app);
  app.add_option("--json", arguments->json, "write the criteria as JSON (- is standard output)")
      ->type_name("F")
      ->group("Output");
  arguments->run.add_to(app);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
