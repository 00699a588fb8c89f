#include "spcart/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

#include "call.hpp"
#include "commands.hpp"
#include "data_arguments.hpp"
#include "help.hpp"
#include "option_arguments.hpp"
#include "outputs.hpp"
#include "print.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "report_arguments.hpp"
#include "report_fields.hpp"
#include "run_arguments.hpp"
#include "scree_picture.hpp"
#include "spcart/error.hpp"
#include "spcart/io.hpp"
#include "spcart/threads.hpp"
#include "text.hpp"

namespace spcart::command {
namespace {

struct ChooseArguments {
  DataArguments data;
  OptionArguments options;
  std::string most, permutations, folds, components, nonzeros;
  ReportArguments report;
  std::string json;
  bool quiet = false;
};

bool is_common(const OptionRecord& record) {
  constexpr std::array kCommon = {"tolerance", "max-iterations", "solver", "seed", "threads"};
  return std::ranges::find(kCommon, record.name) != kCommon.end();
}

Index parsed_number(const char* option, std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{} = {}: it must be a whole number", option, text));
  return value;
}

std::vector<Index> parsed_list(const char* option, std::string_view text) {
  std::vector<Index> values;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    values.push_back(parsed_number(option, word));
    if (word.size() == text.size()) break;
    text.remove_prefix(word.size() + 1);
    if (text.empty()) throw Error(fmt::format("{}: nothing follows the last comma", option));
  }
  return values;
}

ChooseOptions parsed(const ChooseArguments& arguments) {
  const Options common = arguments.options.options();
  ChooseOptions options{.components = parsed_list("components", arguments.components),
                        .nonzeros = parsed_list("nonzeros", arguments.nonzeros),
                        .tolerance = common.tolerance,
                        .max_iterations = common.max_iterations,
                        .solver = common.solver,
                        .seed = common.seed,
                        .threads = common.threads};
  const auto set = [](const char* option, const std::string& text, Index& value) {
    if (!text.empty()) value = parsed_number(option, text);
  };
  set("most", arguments.most, options.most);
  set("permutations", arguments.permutations, options.permutations);
  set("folds", arguments.folds, options.folds);
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
  add("-r,--components", arguments.components, "N,N,...",
      "numbers of components to validate (default: up to two more than rise above permuted data)");
  add("--nonzeros", arguments.nonzeros, "K,K,...",
      "numbers of variables in a component to validate (default: growing by half, from 1 to all)");
  arguments.options.add_to(app, is_common);
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

/// The call that fits what was chosen to the same data.
std::string next_call(const DataArguments& data, const Choice& choice, Index p) {
  return fit_call(data,
                  fmt::format("-r {} {}", choice.components,
                              choice.nonzeros < p ? fmt::format("--nonzeros {}", choice.nonzeros)
                                                  : "--method pca"));
}

std::string recommendation(const ChooseArguments& arguments, const Choice& choice, Index p) {
  std::string reasons;
  for (const std::string& reason : choice.reasons)
    reasons += (reasons.empty() ? ": " : "; ") + reason;
  if (choice.components == 0)
    return "  " + wrapped(bold("no structure") + reasons + ".", terminal().width - 2, 2) + '\n';
  const std::string words = fmt::format(
      "{} component{} of {}", choice.components, choice.components == 1 ? "" : "s",
      choice.nonzeros < p
          ? fmt::format("{} variable{}", choice.nonzeros, choice.nonzeros == 1 ? "" : "s")
          : "all variables");
  return fmt::format("  {}\n\n  next: {}\n",
                     wrapped(bold(words) + reasons + ".", terminal().width - 2, 2),
                     bold(printable(next_call(arguments.data, choice, p))));
}

/// Reads DATA, of which the samples must be at hand.
Data read_samples(const ChooseArguments& arguments, Index most, const Activity& activity) {
  Data data = read(arguments.data, activity, most);
  if (data.table.covariance)
    throw Error(fmt::format(
        "{}: choosing needs samples, and this is a covariance matrix; give the table that it is of",
        data.title));
  if (data.table.in_file())
    throw Error(
        fmt::format("{}: choosing needs the samples in memory, and the table is left in "
                    "its file; allow more by --memory or take a part of the samples",
                    data.title));
  return data;
}

std::string report(const ChooseArguments& arguments, const Data& data, const Choice& choice) {
  std::vector<std::string> calls;
  if (choice.components > 0) calls.push_back(next_call(arguments.data, choice, data.table.cols()));
  return report_page(with_report_fields(to_json(choice), report_fields(data, calls, {})));
}

void run(const ChooseArguments& arguments) {
  ChooseOptions options = parsed(arguments);
  arguments.report.check();
  Outputs outputs({{"--json", arguments.json}, {"--report", arguments.report.report}},
                  {arguments.data.source});
  const ThreadScope threads(checked_threads(options.threads));
  Data data;
  Choice choice;
  {
    const Activity activity(arguments.quiet);
    data = read_samples(arguments, std::max<Index>(options.most, 1), activity);
    options.solver = solver_for(arguments.data, data, options.most, options.solver);
    prepare(data, arguments.data.preparation(), options.solver, activity);
    with_title(data, [&] { choice = choose(*data.matrix, options, activity.observer()); });
    choice.warnings.insert(choice.warnings.begin(), data.warnings.begin(), data.warnings.end());
    activity.enter("writing");
    if (outputs.wants("--json")) outputs.set("--json", to_json(choice));
    if (outputs.wants("--report")) outputs.set("--report", report(arguments, data, choice));
    outputs.write();
  }
  if (arguments.quiet) return;
  if (!outputs.uses_stdout())
    print(fmt::format("{}: {}\n\n{}\n{}\n{}", bold(arguments.data.title()), shape(data.table),
                      scree_picture(choice), held_out_table(choice, options.folds),
                      recommendation(arguments, choice, data.table.cols())));
  print_warnings(choice.warnings);
}

}  // namespace

Command add_choose(CLI::App& program) {
  CLI::App& app = add_command(
      program,
      {.name = "choose",
       .summary = "Recommend a number of components and of their variables",
       .usage = "DATA [--folds K] [--permutations B] [options]",
       .detail =
           "Variances of principal components are compared with those of tables whose columns "
           "are permuted (parallel analysis) and with a stick that is broken at random. Then "
           "sparse components of several numbers and sizes predict entries that were held "
           "out; the fewest and smallest within one standard error of the least error are "
           "recommended, or none where nothing rises above noise.",
       .examples = {"spcart choose @spiked", "spcart choose samples.csv --scale --json choice.json",
                    "spcart choose samples.csv -r 2,4,6,8 --nonzeros 5,10,20 --folds 10"}});
  auto arguments = std::make_shared<ChooseArguments>();
  add_arguments(app, *arguments);
  return {&app, [arguments] { run(*arguments); }};
}

}  // namespace spcart::command
