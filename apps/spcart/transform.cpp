#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "commands.hpp"
#include "data_arguments.hpp"
#include "help.hpp"
#include "outputs.hpp"
#include "print.hpp"
#include "progress.hpp"
#include "run_arguments.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct TransformArguments {
  DataArguments data;
  RunArguments run;
  std::string model, scores = "-";
};

using Names = std::vector<std::string>;

/// The first few of the names that are not among the others, and how many there are besides.
std::string absent(const Names& names, const std::unordered_map<std::string, Index>& among) {
  constexpr std::size_t kShown = 5;
  std::string list;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (!among.contains(name) && ++count <= kShown)
      list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name);
  return count > kShown ? fmt::format("{} and {} more", list, count - kShown) : list;
}

std::unordered_map<std::string, Index> positions(const Names& names, const char* owner) {
  std::unordered_map<std::string, Index> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!found.emplace(names[i], static_cast<Index>(i)).second)
      throw Error(
          fmt::format("{} has two variables named '{}', so that variables cannot be "
                      "matched by name",
                      owner, names[i]));
  return found;
}

/// The row of the model for each variable of the data.
std::vector<Index> matched(const Names& data, const Names& model) {
  const auto in_data = positions(data, "DATA");
  const auto in_model = positions(model, "the model");
  if (const std::string missing = absent(model, in_data); !missing.empty())
    throw Error(fmt::format("DATA lacks variables of the model: {}", missing));
  if (const std::string extra = absent(data, in_model); !extra.empty())
    throw Error(fmt::format(
        "DATA has variables that the model does not know: {} (leave them out by --exclude)",
        extra));
  std::vector<Index> rows;
  for (const std::string& name : data) rows.push_back(in_model.at(name));
  return rows;
}

/// Brings the model's variables into the order of the data's.
void reorder(Model& model, const std::vector<Index>& rows) {
  const auto pick = [&rows](std::optional<Vector>& values) {
    if (values && values->size() > 0) values = Vector((*values)(rows));
  };
  pick(model.preparation.means);
  pick(model.preparation.scales);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> order(
      static_cast<Index>(rows.size()));
  std::ranges::copy(rows, order.indices().data());
  model.loadings = Loadings(order.transpose() * model.loadings);
}

void match_variables(Model& model, const Table& table) {
  const auto count = static_cast<Index>(model.variables.size());
  if (table.variables == model.variables) return;
  if (has_names(table.variables) && has_names(model.variables))
    return reorder(model, matched(table.variables, model.variables));
  if (table.cols() != count)
    throw Error(fmt::format("DATA has {} variables, but the model has {}", table.cols(), count));
}

void run(const TransformArguments& arguments) {
  if (arguments.data.source == "-" && arguments.model == "-")
    throw Error("DATA and --model are both '-': only one can come from standard input");
  Outputs outputs({{"--scores", arguments.scores}}, arguments.data.source);
  const ThreadScope threads(arguments.run.thread_count());
  Data data;
  {
    const Activity activity(arguments.run.quiet);
    activity.enter("reading the model");
    Model model = read_model(arguments.model);
    data = read(arguments.data, activity);
    if (data.table.covariance)
      throw Error(fmt::format("{} is a covariance matrix: it has no samples to transform",
                              arguments.data.title()));
    match_variables(model, data.table);
    prepare(data, model.preparation, activity);
    activity.enter("computing scores");
    outputs.set("--scores", scores_csv(scores(*data.matrix, model.loadings), data.table.samples));
    activity.enter("writing");
  }
  outputs.write();
  if (!arguments.run.quiet) print_warnings(data.warnings);
}

}  // namespace

Command add_transform(CLI::App& program) {
  CLI::App& app = add_command(
      program,
      {.name = "transform",
       .summary = "Compute the scores of samples, also new ones, on the components of a result",
       .usage = "DATA --model R.json [options]",
       .detail = "DATA is centred and scaled as the model's own data was. Where both have names, "
                 "variables are matched by name, in any order; else by position.",
       .examples = {"spcart fit samples.csv -r 3 --json model.json",
                    "spcart transform new.csv --model model.json --scores scores.csv"}});
  auto arguments = std::make_shared<TransformArguments>();
  app.add_option("--model", arguments->model, "JSON of a result, as fit --json writes it")
      ->type_name("F")
      ->required()
      ->group("Model");
  arguments->data.add_reading(app)->required();
  app.add_option("--scores", arguments->scores,
                 "write the scores there as CSV (default: standard output)")
      ->type_name("F")
      ->group("Output");
  arguments->run.add_to(app);
  return {&app, [arguments] { run(*arguments); }};
}

}  // namespace spcart::command
