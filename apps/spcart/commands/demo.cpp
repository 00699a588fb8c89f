#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "arguments/call.hpp"
#include "arguments/data_arguments.hpp"
#include "arguments/report_arguments.hpp"
#include "arguments/report_fields.hpp"
#include "commands/commands.hpp"
#include "process/outputs.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/picture.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/text.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/names.hpp"
#include "spcart/output.hpp"
#include "spcart/pca.hpp"

namespace spcart::command {
namespace {

/// A setting of the paper's tables.
struct Setting {
  const char* file;  ///< name of its result, without the suffix
  TruncationType type;
  std::optional<double> lambda;
  const char* lambda_text;
};

/// A row of the table on the synthetic data: the setting and the paper's result.
struct SyntheticRow {
  Setting setting;
  const char* pattern;  ///< variables of the first loading; of the second
  double cpev;
};
constexpr std::array kSynthetic = {
    SyntheticRow{{"synthetic-hard", TruncationType::hard, {}, "1/sqrt(p)"}, "5-10; 1-4", .9848},
    SyntheticRow{{"synthetic-soft", TruncationType::soft, {}, "1/sqrt(p)"}, "5-10; 1-4", .9728},
    SyntheticRow{{"synthetic-count", TruncationType::count, 4., "4"}, "5-10; 1-4,9-10", .9968},
    SyntheticRow{{"synthetic-energy", TruncationType::energy, .1, "0.1"}, "5-10; 1-4", .9848},
};

/// A row of the table on the Pitprops data.
struct PitpropsRow {
  Setting setting;
  Index nonzeros;
  double std, nor, cpev;
};
constexpr std::array kPitprops = {
    PitpropsRow{{"pitprops-hard", TruncationType::hard, {}, "1/sqrt(p)"}, 18, .0688, .0181, .8013},
    PitpropsRow{{"pitprops-count", TruncationType::count, 10., "10"}, 18, 0, .0428, .7514},
};

constexpr const char* kPatchesFile = "patches";

/// Results that also have a page.
constexpr std::array kPages = {"pitprops-hard.html", "patches.html"};

Data prepared(Table table, std::string title, const Preparation& preparation = {}) {
  Data data;
  data.table = std::move(table);
  data.title = std::move(title);
  data.matrix = make_matrix(data.table, preparation);
  return data;
}

Options paper_options(const Setting& setting, Index r) {
  Options options;
  options.components = r;
  options.truncation = setting.type;
  options.lambda = setting.lambda;
  options.start = Start::identity;
  options.order = Order::none;
  return options;
}

/// The nonzeros of each loading as the paper writes them: "5-10; 1-4,9-10".
std::string pattern(const Loadings& loadings) {
  std::string text;
  for (Index i = 0; i < loadings.cols(); ++i) {
    std::string runs;
    Index first = -1, last = -2;
    const auto close_run = [&] {
      if (first < 0) return;
      runs += fmt::format("{}{}", runs.empty() ? "" : ",", first + 1);
      if (last > first) runs += fmt::format("-{}", last + 1);
    };
    for (Loadings::InnerIterator it(loadings, i); it; ++it) {
      if (it.row() != last + 1) {
        close_run();
        first = it.row();
      }
      last = it.row();
    }
    close_run();
    text += (i > 0 ? "; " : "") + runs;
  }
  return text;
}

std::string in_words(const Setting& setting) {
  return fmt::format("{} {}", name(setting.type), setting.lambda_text);
}

/// Our figure with the paper's beside it.
std::string beside(double ours, double paper) {
  return fmt::format("{:.4f} {}", ours, dim(fmt::format("({:.4f})", paper)));
}

/// A section's first lines.
std::string introduction(std::string_view title, std::string_view words) {
  return wrapped(fmt::format("{} {}", bold(title), words), terminal().width) + "\n\n";
}

class Demo {
 public:
  explicit Demo(const std::string& folder) : outputs_(output_arguments(folder), {}) {}

  void run() {
    show_synthetic();
    show_pitprops();
    show_patches();
    outputs_.write();
  }

 private:
  static std::vector<OutputArgument> output_arguments(const std::string& folder) {
    if (folder.empty()) return {};
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
      throw Error("out", folder, fmt::format("the folder cannot be made: {}", failed.message()));
    std::vector<OutputArgument> arguments;
    const auto add = [&](const char* file) {
      arguments.push_back({file, fmt::format("{}/{}.json", folder, file)});
    };
    for (const SyntheticRow& row : kSynthetic) add(row.setting.file);
    for (const PitpropsRow& row : kPitprops) add(row.setting.file);
    add(kPatchesFile);
    if (has_report_page())
      for (const char* page : kPages)
        arguments.push_back({page, fmt::format("{}/{}", folder, page)});
    return arguments;
  }

  Result fit_and_keep(const char* file, const Data& data, const Options& options,
                      const Annotations& annotations = {}) {
    const Activity activity(false);
    Result result = fit(*data.matrix, options, activity.observer());
    const std::string json = to_json(result, data.table.variables);
    if (const std::string page = fmt::format("{}.html", file); outputs_.wants(page)) {
      DataArguments arguments;
      arguments.source = data.title;
      arguments.remove_row_mean = result.preparation.remove_row_mean;
      outputs_.set(page, report_page(with_report_fields(
                             json, report_fields(fit_call(arguments, flags_of(options)), data,
                                                 result, annotations))));
    }
    outputs_.set(file, json);
    return result;
  }

  void show_synthetic();
  void show_pitprops();
  void show_patches();

  Outputs outputs_;
};

void Demo::show_synthetic() {
  const Data data = prepared(load_dataset("synthetic"), "@synthetic");
  TextTable rows("lll");
  rows.add_header({"truncation", "variables of PC1; PC2 (paper)", "CPEV (paper)"});
  for (const auto& [setting, paper_pattern, cpev] : kSynthetic) {
    const Result result = fit_and_keep(setting.file, data, paper_options(setting, 2));
    rows.add(
        {in_words(setting),
         fmt::format("{} {}", pattern(result.loadings), dim(fmt::format("({})", paper_pattern))),
         beside(result.criteria.cpev, cpev)});
  }
  print(introduction("1. @synthetic.",
                     "Ten variables made by three hidden factors: 1-4 show the first, 5-8 the "
                     "second, 9 and 10 a mixture of both. Two sparse components find them again.") +
        rows.text() + '\n');
}

void Demo::show_pitprops() {
  const Data data = prepared(load_dataset("pitprops"), "@pitprops");
  TextTable rows("lllll");
  rows.add_header({"truncation", "NZ (paper)", "STD (paper)", "NOR (paper)", "CPEV (paper)"});
  for (const auto& [setting, paper_nonzeros, std, nor, cpev] : kPitprops) {
    const Criteria found = fit_and_keep(setting.file, data, paper_options(setting, 6)).criteria;
    const auto nonzeros = std::accumulate(found.nonzeros.begin(), found.nonzeros.end(), Index{0});
    rows.add({in_words(setting),
              fmt::format("{} {}", nonzeros, dim(fmt::format("({})", paper_nonzeros))),
              beside(found.sparsity.std, std), beside(found.nonorthogonality, nor),
              beside(found.cpev, cpev)});
  }
  print(introduction("2. @pitprops.",
                     "Thirteen measures of pit props, the classic of sparse PCA: six components of "
                     "about three variables each.") +
        rows.text() + '\n');
}

/// The first few loadings as pictures, under a line of words.
std::string pictures(const std::string& title, const Matrix& loadings, Index side) {
  constexpr int kIndent = 2;
  constexpr Index kMost = 6;
  const Index count = std::min({pictures_in_row(side, kIndent), loadings.cols(), kMost});
  return fmt::format("  {}\n{}\n", title, picture_row(loadings.leftCols(count), side, kIndent));
}

Table make_patches(Index side) {
  const Activity activity(false);
  activity.enter("making the data");
  return load_dataset(fmt::format("patches:size={}", side));
}

void Demo::show_patches() {
  constexpr Index kSide = 13, kComponents = 16;
  const Data data = prepared(make_patches(kSide), "@patches", {.remove_row_mean = true});
  const Table& table = data.table;
  Options options;
  options.components = kComponents;
  options.refit = 5;
  const Result result =
      fit_and_keep(kPatchesFile, data, options, {.image = std::array{kSide, kSide}, .labels = {}});
  const Matrix pca = principal_basis(*data.matrix, kComponents).vectors;
  const Criteria& found = result.criteria;
  const double pixels = (1 - found.sparsity.mean) * static_cast<double>(table.cols());
  print(
      introduction("3. @patches.",
                   fmt::format("{} patches of {} x {} pixels, cut from pictures of discs that "
                               "hide one another; {} components.",
                               table.rows(), kSide, kSide, kComponents)) +
      pictures(fmt::format("PCA: all {} pixels each, {:.1f} % of the variance", table.cols(),
                           100 * found.cpev_pca),
               pca, kSide) +
      pictures(fmt::format("SPCArt: {:.0f} pixels each, {:.1f} % of the variance", pixels,
                           100 * found.cpev),
               Matrix(result.loadings), kSide) +
      wrapped("What to see: each of PCA's waves spreads over the whole patch; SPCArt's components "
              "are spots and edges, each in its own place.",
              terminal().width) +
      "\n\n");
}

void show_next_steps(const std::string& folder) {
  if (!folder.empty()) {
    const std::string shown = printable(folder);
    print(fmt::format("The results are in {}/*.json.\n", shown));
    print(has_report_page()
              ? fmt::format("To look at: {}/{} and {}/{}.\n\n", shown, kPages[0], shown, kPages[1])
              : "No pages to look at: this spcart was built without npm.\n\n");
  }
  const std::string self = printable(program_invocation_name);  // as it can be called again
  print(bold("Try next:") + '\n');
  for (const char* arguments :
       {has_report_page() ? "fit @pitprops -r 6 --report pitprops.html" : "fit @pitprops -r 6",
        "fit @patches -r 20 --remove-row-mean --nonzeros 20 --refit 5",
        "fit YOUR.csv -r 5 --scale --json result.json"})
    print(fmt::format("  {} {}\n", self, arguments));
}

}  // namespace

Command add_demo(CLI::App& program) {
  CLI::App& app = add_command(
      program, {.name = "demo",
                .summary = "Fit the built-in data sets and show the results beside the paper's",
                .usage = "[--out DIR]",
                .detail = {},
                .examples = {"spcart demo", "spcart demo --out results"}});
  auto folder = std::make_shared<std::string>();
  app.add_option("--out", *folder,
                 "write the JSON of each result, and pages to look at, into this folder")
      ->type_name("DIR")
      ->group("Options");
  return {&app, [folder] {
            Demo(*folder).run();
            show_next_steps(*folder);
          }};
}

}  // namespace spcart::command
