#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <memory>
#include <vector>

#include "arguments/report_arguments.hpp"
#include "arguments/run_arguments.hpp"
#include "arguments/suggestion.hpp"
#include "catalogue.hpp"
#include "commands/commands.hpp"
#include "document.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/text.hpp"
#include "run.hpp"
#include "spcart/error.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

using reproduce::ClaimResult;
using reproduce::Experiment;
using reproduce::Outcome;

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string out, json;
  ReportArguments report;
  bool quick = false, list = false;
  RunArguments run;
};

/// Files of --out, each with the flag that Outputs knows it by.
constexpr std::string_view kReport = "report.html";
constexpr std::array<std::string_view, 4> kFiles = {"reproduction.json", "claims.json",
                                                    "reproduction.md", kReport};

/// The folder of --out: created before the work, and removed again if it stays empty.
class OutFolder {
 public:
  explicit OutFolder(std::string path) : path_(std::move(path)) {
    if (path_.empty()) return;
    std::error_code failed;
    made_ = std::filesystem::create_directories(path_, failed);
    if (failed || !std::filesystem::is_directory(path_))
      throw Error(
          "out", path_,
          fmt::format("the folder cannot be made: {}", failed ? failed.message() : "it is a file"));
  }
  ~OutFolder() {
    std::error_code ignored;  // it is not empty if everything succeeded
    if (made_) std::filesystem::remove(path_, ignored);
  }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  std::vector<OutputArgument> files() const {
    std::vector<OutputArgument> files;
    if (!path_.empty())
      for (const std::string_view name : kFiles)
        if (name != kReport || has_report_page())
          files.push_back({name, fmt::format("{}/{}", path_, name)});
    return files;
  }

 private:
  std::string path_;
  bool made_ = false;
};

std::vector<Experiment> chosen(const ReproduceArguments& arguments) {
  const std::vector<std::string> known = reproduce::experiment_names();
  for (const std::string& name : arguments.names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = closest(name, known);
    throw Error(meant.empty()
                    ? fmt::format("no experiment is called '{}'; there are {}", name,
                                  fmt::join(known, ", "))
                    : fmt::format("no experiment is called '{}': did you mean {}?", name, meant));
  }
  std::vector<Experiment> experiments;
  for (const std::string& name : known)
    if (arguments.names.empty() ||
        std::ranges::find(arguments.names, name) != arguments.names.end())
      experiments.push_back(reproduce::declared_experiment(name, arguments.quick));
  return experiments;
}

void list(const std::vector<Experiment>& experiments) {
  TextTable table("ll");
  for (const Experiment& experiment : experiments)
    table.add({experiment.name,
               fmt::format("{} ({} claims)", experiment.title, experiment.claims.size())});
  print(table.text());
}

std::string heading(const Outcome& outcome) {
  return wrapped(fmt::format("{} {}, {}; {:.1f} s", bold(outcome.experiment->title + '.'),
                             outcome.data, outcome.experiment->name, outcome.seconds),
                 terminal().width) +
         "\n\n";
}

/// What the paper says, what was measured, and whether the claim holds.
std::string claims_table(const Outcome& outcome) {
  TextTable table("ll");
  for (const ClaimResult& claim : outcome.claims) {
    std::string words =
        fmt::format("{}\npaper: {}\nhere: {}", claim.claim, claim.paper, claim.measured);
    if (!claim.note.empty()) words += "\nnote: " + claim.note;
    table.add({claim.holds ? "holds" : bold("differs"), std::move(words)});
  }
  return table.text() + '\n';
}

std::filesystem::path data_folder() {
  const char* folder = std::getenv("SPCART_DATA");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return folder ? folder : "";
}

std::vector<Outcome> run_all(const std::vector<Experiment>& experiments, bool quiet, bool silent) {
  std::vector<Outcome> outcomes;
  static std::list<std::string> stages;  // the line of progress points to them until the end
  for (const Experiment& experiment : experiments) {
    {
      const Activity activity(quiet);
      activity.enter(stages.emplace_back("reproducing " + experiment.name).c_str());
      outcomes.push_back(reproduce::run(experiment, data_folder(), activity.tick()));
    }
    if (!silent) print(heading(outcomes.back()) + claims_table(outcomes.back()));
  }
  return outcomes;
}

void run(const ReproduceArguments& arguments) {
  const std::vector<Experiment> experiments = chosen(arguments);
  if (arguments.list) return list(experiments);
  arguments.report.check();
  const ThreadScope threads(arguments.run.thread_count());
  const OutFolder folder(arguments.out);
  std::vector<OutputArgument> files = folder.files();
  files.push_back({"--json", arguments.json});
  files.push_back({"--report", arguments.report.report});
  Outputs outputs(files, {});
  const bool silent = arguments.run.quiet || outputs.uses_stdout();

  const std::vector<Outcome> outcomes = run_all(experiments, arguments.run.quiet, silent);
  const auto circumstances = reproduce::circumstances(arguments.quick);
  const std::string document = reproduce::to_json(outcomes, circumstances);
  outputs.set("--json", document);
  outputs.set("reproduction.json", document);
  for (const std::string_view page : {std::string_view("--report"), kReport})
    if (outputs.wants(page)) outputs.set(page, report_page(document));
  outputs.set("claims.json", reproduce::claims_json(outcomes));
  outputs.set("reproduction.md", reproduce::to_markdown(outcomes, circumstances));
  outputs.write();
  if (silent) return;
  print(reproduce::in_words(outcomes) + '\n');
}

}  // namespace

Command add_reproduce(CLI::App& program) {
  CLI::App& app = add_command(
      program,
      {.name = "reproduce",
       .summary = "Run the paper's experiments and say, claim by claim, what holds",
       .usage = "[NAME...] [--quick] [--out DIR] [options]",
       .detail =
           "Every table and figure of the paper's experiments, and a few of ours. Image "
           "patches and gene data are read from the folder that SPCART_DATA names; without "
           "it built-in data sets stand in, and the output says so. --out writes the records, "
           "figures and claims as JSON, the claims alone, and a page in Markdown.",
       .examples = {"spcart reproduce --list", "spcart reproduce pitprops synthetic",
                    "spcart reproduce --quick --out results",
                    "SPCART_DATA=~/data spcart reproduce --out results"}});
  auto arguments = std::make_shared<ReproduceArguments>();
  app.add_option("NAME", arguments->names, "experiments to run (default: all)")->group("Options");
  app.add_flag("--quick", arguments->quick, "all of it in small: less data, fewer settings")
      ->group("Options");
  app.add_flag("--list", arguments->list, "name the experiments, and run none")->group("Options");
  app.add_option("--out", arguments->out,
                 "write reproduction.json, claims.json, reproduction.md and, if the program has "
                 "the report page, report.html into this folder")
      ->type_name("DIR")
      ->group("Output (- is standard output)");
  app.add_option("--json", arguments->json, "write the JSON alone")
      ->type_name("F")
      ->group("Output (- is standard output)");
  arguments->report.add_report(app);
  arguments->run.add_to(app);
  return {&app, [arguments] { run(*arguments); }};
}

}  // namespace spcart::command
