#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "arguments/data_source.hpp"
#include "arguments/run_arguments.hpp"
#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/output.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct TransformArguments {
  DataArguments data;
  RunArguments run;
  std::string model, scores = "-";
};

/// A covariance does not contain the means of its samples. What is not known of the old data must
/// not be measured on the new data instead: the scores would depend on which samples come together.
void leave_unknown_out(Preparation& preparation, std::vector<std::string>& warnings) {
  if (preparation.center && !preparation.means) {
    preparation.center = false;
    warnings.push_back(fmt::format(
        "the model comes from a covariance, which has no means: samples are taken as they are{}, "
        "not centred",
        preparation.scale && preparation.scales ? " and scaled" : ""));
  }
  if (preparation.scale && !preparation.scales) {
    preparation.scale = false;
    warnings.emplace_back("the model does not know its scales: samples are not scaled");
  }
}

void run(const TransformArguments& arguments, DataSource& source) {
  if (arguments.data.source == "-" && arguments.model == "-")
    throw Error("DATA and --model are both '-': only one can come from standard input");
  std::vector<std::string> inputs = arguments.data.files();
  inputs.push_back(arguments.model);
  Outputs outputs({{"--scores", arguments.scores}}, inputs);
  const ThreadScope threads(arguments.run.thread_count());
  Data data;
  {
    const Activity activity(arguments.run.quiet);
    activity.enter("reading the model");
    Model model = read_model(arguments.model);
    data = source.read(arguments.data, arguments.data.prepare_options(), activity);
    if (data.table.covariance)
      throw Error(fmt::format("{} is a covariance matrix: it has no samples to transform",
                              arguments.data.title()));
    reorder(model,
            match_variables(data.table.variables, model.variables, file_title(arguments.model)));
    leave_unknown_out(model.preparation, data.table.notes);
    source.prepare(data, {.preparation = model.preparation, .without_pca = true}, activity);
    activity.enter("computing scores");
    outputs.set("--scores", scores_csv(scores(*data.matrix, model.loadings), data.table.samples));
    activity.enter("writing");
  }
  outputs.write();
  if (!arguments.run.quiet) print_warnings(data.table.notes, data.notes);
}

}  // namespace

Command add_transform(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "transform",
       .summary = "Compute the scores of samples, also new ones, on the components of a result",
       .usage = "DATA --model R.json [options]",
       .detail = "DATA is centred and scaled as the model's own data was. Variables of the same "
                 "names are matched by name, in any order; if one side has none, by position.",
       .examples = {"spcart fit samples.csv -r 3 --json model.json",
                    "spcart transform new.csv --model model.json --scores scores.csv"}});
  auto arguments = std::make_shared<TransformArguments>();
  app.add_option("--model", arguments->model, "JSON of a result, as fit --json writes it")
      ->type_name("F")
      ->required()
      ->group("Model");
  arguments->data.add_reading(app)->required();
  arguments->data.add_labels(app);
  app.add_option("--scores", arguments->scores,
                 "write the scores there as CSV (default: standard output)")
      ->type_name("F")
      ->group("Output");
  arguments->run.add_to(app);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
