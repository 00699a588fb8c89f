#include "spcart/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "arguments/call.hpp"
#include "arguments/data_source.hpp"
#include "arguments/numbers.hpp"
#include "arguments/option_arguments.hpp"
#include "arguments/report_arguments.hpp"
#include "arguments/report_fields.hpp"
#include "arguments/run_arguments.hpp"
#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/scree_picture.hpp"
#include "rendering/text.hpp"
#include "spcart/common_options.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/output.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct ChooseArguments {
  DataArguments data;
  OptionArguments options;
  std::string most, permutations, folds, repeats, components, nonzeros;
  ReportArguments report;
  std::string json;
  bool quiet = false;
};

ChooseOptions parsed(const ChooseArguments& arguments) {
  auto options =
      with_common(ChooseOptions{.components = parse_list("components", arguments.components),
                                .nonzeros = parse_list("nonzeros", arguments.nonzeros)},
                  arguments.options.options());
  const auto set = [](const char* option, const std::string& text, Index& value) {
    if (!text.empty()) value = parse_number<Index>(option, text);
  };
  set("most", arguments.most, options.most);
  set("permutations", arguments.permutations, options.permutations);
  set("folds", arguments.folds, options.folds);
  set("repeats", arguments.repeats, options.repeats);
  return options;
}

void add_arguments(CLI::App& app, ChooseArguments& arguments) {
  const ChooseOptions defaults;
  const auto add = [&app](const char* flag, std::string& text, const char* value,
                          const std::string& help) {
    app.add_option(flag, text, help)->type_name(value)->group("Choice");
  };
  add("--most", arguments.most, "N",
      fmt::format("principal components that are looked at (default: {})", defaults.most));
  add("--permutations", arguments.permutations, "B",
      fmt::format("tables with permuted columns that variances are compared with (default: {})",
                  defaults.permutations));
  add("--folds", arguments.folds, "K",
      fmt::format("parts in which samples and variables are held out (default: {})",
                  defaults.folds));
  add("--repeats", arguments.repeats, "M",
      "random partitions over which cross-validation is repeated (default: from 1 to 100, more "
      "for smaller tables)");
  add("-r,--components", arguments.components, "N,N,...",
      "numbers of components to validate (default: up to two more than rise above permuted data)");
  add("--nonzeros", arguments.nonzeros, "K,K,...",
      "numbers of variables in a component to validate (default: growing by half or more, "
      "from 1 to all)");
  arguments.options.add_to(
      app, {"effort", "overlap", "tolerance", "max-iterations", "solver", "seed", "threads"});
  arguments.data.add_reading(app)->required();
  arguments.data.add_preparation(app);
  const char* group = "Output (- is standard output)";
  app.add_option("--json", arguments.json, "write the choice and its reasons as JSON")
      ->type_name("F")
      ->group(group);
  arguments.report.add_report(app);
  app.add_flag("--quiet", arguments.quiet, "no table, no progress, no warnings: only errors")
      ->group(group);
}

/// The call that fits the recommended components to the same data.
std::string next_call(const ChooseArguments& arguments, const Recommendation& answer, Index p) {
  const Options options = arguments.options.options();
  Options wanted{.components = answer.components};
  if (answer.nonzeros < p) {
    wanted.nonzeros = answer.nonzeros;
    wanted.effort = options.effort;
    wanted.overlap = options.overlap;
  } else {
    wanted.method = Method::pca;
  }
  return fit_call(arguments.data, flags_of(wanted));
}

std::string paragraph(const std::string& text) {
  return "  " + wrapped(text, terminal().width - 2, 2) + '\n';
}

std::string sentence(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// The two answers side by side.
std::string answers_table(const Choice& choice) {
  const auto percent = [](double fraction) {
    return std::isnan(fraction) ? std::string("not tried")
                                : fmt::format("{:.1f} %", 100 * fraction);
  };
  const Recommendation &read = choice.to_read, &predict = choice.to_predict;
  TextTable table("lrr");
  table.add_header({"", "to read", "to predict"});
  const auto add = [&](const char* what, const auto& text_of) {
    table.add({what, text_of(read), text_of(predict)});
  };
  add("components", [](const auto& answer) { return fmt::format("{}", answer.components); });
  add("variables in each", [](const auto& answer) { return fmt::format("{}", answer.nonzeros); });
  add("variance explained by regression on the scores",
      [&](const auto& answer) { return percent(answer.explained); });
  add("of what as many principal components explain",
      [&](const auto& answer) { return percent(answer.explained / answer.explained_by_pca); });
  add("error at held-out entries, of that of means",
      [&](const auto& answer) { return percent(answer.error); });
  return table.text();
}

std::string answer_in_words(const ChooseArguments& arguments, const char* purpose,
                            const Recommendation& answer, Index p) {
  const std::string words = fmt::format(
      "{}: {} component{} of {}", purpose, answer.components, answer.components == 1 ? "" : "s",
      answer.nonzeros < p
          ? fmt::format("{} variable{}", answer.nonzeros, answer.nonzeros == 1 ? "" : "s")
          : "all variables");
  std::vector<std::string> parts = {answer.when};
  parts.insert(parts.end(), answer.reasons.begin(), answer.reasons.end());
  return fmt::format("{}  next: {}\n",
                     paragraph(fmt::format("{}: {}.", bold(words), sentence(parts))),
                     bold(printable(next_call(arguments, answer, p))));
}

std::string recommendations(const ChooseArguments& arguments, const Choice& choice, Index p) {
  if (choice.components == 0)
    return paragraph(fmt::format("{}: {}.", bold("no structure"), sentence(choice.reasons)));
  std::string text = fmt::format("{}\n{}\n{}", answers_table(choice),
                                 answer_in_words(arguments, "to read", choice.to_read, p),
                                 answer_in_words(arguments, "to predict", choice.to_predict, p));
  if (!choice.difference.empty()) text += '\n' + paragraph(choice.difference + '.');
  return text;
}

/// Reads DATA, of which the samples must be available.
Data read_samples(const ChooseArguments& arguments, DataSource& source,
                  const PrepareOptions& planned, const Activity& activity) {
  Data data = source.read(arguments.data, planned, activity);
  if (data.table.covariance)
    throw Error(
        "choosing needs samples, and this is a covariance matrix; give the table that it is of")
        .in(data.title);
  if (!data.table.has_samples_at_hand())
    throw Error(
        "choosing needs the samples in memory, and the table is left in its file; allow more by "
        "--memory or take a part of the samples")
        .in(data.title);
  return data;
}

std::string report(const ChooseArguments& arguments, const Data& data, const Choice& choice) {
  std::vector<std::string> calls;
  if (choice.components > 0)
    for (const Recommendation* answer : {&choice.to_predict, &choice.to_read})
      calls.push_back(next_call(arguments, *answer, data.table.cols()));
  return report_page(with_report_fields(to_json(choice), report_fields(data, calls, {})));
}

void run(const ChooseArguments& arguments, DataSource& source) {
  const ChooseOptions options = parsed(arguments);
  arguments.report.check();
  Outputs outputs({{"--json", arguments.json}, {"--report", arguments.report.report}},
                  arguments.data.files());
  const ThreadScope threads(checked_threads(options.threads));
  Data data;
  Choice choice;
  {
    const Activity activity(arguments.quiet);
    const PrepareOptions planned =
        arguments.data.prepare_options(std::max<Index>(options.most, 1), options.solver);
    data = read_samples(arguments, source, planned, activity);
    source.prepare(data, planned, activity);
    with_title(data, [&] { choice = choose(*data.matrix, options, activity.observer()); });
    activity.enter("writing");
    if (outputs.wants("--json")) outputs.set("--json", to_json(choice));
    if (outputs.wants("--report")) outputs.set("--report", report(arguments, data, choice));
    outputs.write();
  }
  if (arguments.quiet) return;
  if (!outputs.uses_stdout())
    print(fmt::format("{}: {}\n\n{}\n{}\n{}", bold(arguments.data.title()), shape(data.table),
                      scree_picture(choice), held_out_table(choice, options.folds),
                      recommendations(arguments, choice, data.table.cols())));
  print_warnings(choice.warnings, data.notes);
}

}  // namespace

Command add_choose(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "choose",
       .summary = "Recommend a number of components and of their variables",
       .usage = "DATA [--folds K] [--permutations B] [options]",
       .detail =
           "Variances of principal components are compared with those of tables whose columns "
           "are permuted (parallel analysis) and with a stick that is broken at random. Then "
           "sparse components of several numbers and sizes predict entries that were held "
           "out. Two answers stand side by side: to read, the components that stand out, of as few "
           "variables as explain most of what PCA does; to predict, the fewest and smallest "
           "components within one standard error of the least error. There is none if nothing "
           "rises above noise.",
       .examples = {"spcart choose @spiked", "spcart choose samples.csv --scale --json choice.json",
                    "spcart choose samples.csv -r 2,4,6,8 --nonzeros 5,10,20 --folds 10"}});
  auto arguments = std::make_shared<ChooseArguments>();
  add_arguments(app, *arguments);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
