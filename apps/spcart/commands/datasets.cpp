#include "spcart/datasets.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "spcart/error.hpp"
#include "spcart/output.hpp"

namespace spcart::command {
namespace {

struct DatasetsArguments {
  std::string name, csv;
};

std::string spaced(std::string_view parameters) {
  std::string text;
  for (const char c : parameters) text += c == ',' ? ", " : std::string(1, c);
  return text;
}

void list() {
  TextTable table("ll");
  for (const DatasetRecord& record : dataset_records()) {
    std::string words(record.description);
    if (!record.parameters.empty()) words += "\nParameters: " + spaced(record.parameters);
    table.add({fmt::format("@{}", record.name), std::move(words)});
  }
  print(
      fmt::format("Built-in data sets, to be used wherever a command asks for DATA:\n\n{}\n"
                  "Parameters follow a colon: spcart fit @random:n=1000,p=50,seed=7 -r 3\n",
                  table.text()));
}

void run(const DatasetsArguments& arguments) {
  if (arguments.name.empty()) {
    if (!arguments.csv.empty()) throw Error("--csv needs the NAME of a built-in data set");
    return list();
  }
  const Activity activity(false);
  Outputs outputs({{"--csv", arguments.csv.empty() ? "-" : arguments.csv}}, {});
  activity.enter("making the data");
  const Table table = load_dataset(arguments.name);
  outputs.set("--csv", to_csv(to_matrix(table), table.variables, table.samples));
  activity.enter("writing");
  outputs.write();
}

}  // namespace

Command add_datasets(CLI::App& program) {
  CLI::App& app =
      add_command(program, {.name = "datasets",
                            .summary = "List the built-in data sets, or write one of them as CSV",
                            .usage = "[NAME] [--csv F]",
                            .detail = {},
                            .examples = {"spcart datasets", "spcart datasets pitprops",
                                         "spcart datasets spiked:n=200,seed=3 --csv spiked.csv"}});
  auto arguments = std::make_shared<DatasetsArguments>();
  app.add_option("NAME", arguments->name,
                 "the data set to write, with its parameters after a colon")
      ->group("Options");
  app.add_option("--csv", arguments->csv, "where to write it (default: standard output)")
      ->type_name("F")
      ->group("Options");
  return {&app, [arguments] { run(*arguments); }};
}

}  // namespace spcart::command
