#include "spcart/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

#include "arguments/call.hpp"
#include "arguments/data_source.hpp"
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
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/output.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

struct CompareArguments {
  DataArguments data;
  OptionArguments options;
  std::string methods = "all";
  std::string sparsity, nonzeros;
  ReportArguments report;
  std::string json, csv;
  bool quiet = false;
};

void append(std::vector<Contender>& result, std::string_view word) {
  if (word == "all") {
    const std::vector<Contender> all = all_contenders();
    result.insert(result.end(), all.begin(), all.end());
    return;
  }
  try {
    result.push_back(parse_contender(word));
  } catch (const Error& error) {
    throw Error("methods", word, error.rule());
  }
}

std::vector<Contender> contenders(std::string_view text) {
  std::vector<Contender> result;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    append(result, word);
    if (word.size() == text.size()) return result;
    text.remove_prefix(word.size() + 1);
  }
}

double parsed_sparsity(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value < 1))
    throw Error("sparsity", text, "it must be a number of at least 0 and below 1");
  return value;
}

Index nonzeros(const CompareArguments& arguments, Index p) {
  if (!arguments.nonzeros.empty() && !arguments.sparsity.empty())
    throw Error({{"sparsity", arguments.sparsity}, {"nonzeros", arguments.nonzeros}},
                "give one of them");
  if (!arguments.nonzeros.empty()) {
    Options options;
    std::ranges::find(option_records(), "nonzeros", &OptionRecord::name)
        ->set(options, arguments.nonzeros);
    return *options.nonzeros;
  }
  const double sparsity = arguments.sparsity.empty() ? 0.85 : parsed_sparsity(arguments.sparsity);
  return std::max<Index>(std::lround((1 - sparsity) * static_cast<double>(p)), 1);
}

/// A figure of the comparison, and which end of it is better.
struct Column {
  const char* title;
  const char* key;  ///< in CSV
  double (*value)(const ComparisonRow&);
  bool more_is_better;
  int digits;
};
constexpr std::array kColumns = {
    Column{"SP", "sparsity",
           [](const ComparisonRow& row) { return row.result.criteria.sparsity.mean; }, true, 4},
    Column{"STD", "sparsity_std",
           [](const ComparisonRow& row) { return row.result.criteria.sparsity.std; }, false, 4},
    Column{"worst SP", "sparsity_min",
           [](const ComparisonRow& row) { return row.result.criteria.sparsity.min; }, true, 4},
    Column{"CPEV", "cpev", [](const ComparisonRow& row) { return row.result.criteria.cpev; }, true,
           4},
    Column{"NOR", "nonorthogonality",
           [](const ComparisonRow& row) { return row.result.criteria.nonorthogonality; }, false, 4},
    Column{"seconds", "seconds", [](const ComparisonRow& row) { return row.seconds; }, false, 4},
    Column{"searched", "cpev_searched",
           [](const ComparisonRow& row) {
             return row.searched ? row.searched->cpev : row.result.criteria.cpev;
           },
           true, 4},
    Column{"NOR", "nonorthogonality_searched",
           [](const ComparisonRow& row) {
             return row.searched ? row.searched->nonorthogonality
                                 : row.result.criteria.nonorthogonality;
           },
           false, 4},
};

/// Figures for another number of nonzeros are not comparable.
bool takes_part(const ComparisonRow& row) { return row.note.empty(); }

std::string figure(const Column& column, const ComparisonRow& row) {
  return fmt::format("{:.{}f}", column.value(row), column.digits);
}

/// The best figure of a column, as it is printed: equal texts are equally good.
std::string best(const Column& column, const std::vector<ComparisonRow>& rows) {
  const ComparisonRow* found = nullptr;
  for (const ComparisonRow& row : rows) {
    if (!takes_part(row)) continue;
    const double sign = column.more_is_better ? 1 : -1;
    if (!found || sign * column.value(row) > sign * column.value(*found)) found = &row;
  }
  return found ? figure(column, *found) : "";
}

std::string lambda_text(const Result& result) {
  return result.truncation ? fmt::format("{:.4g}", result.truncation->lambda) : "";
}

std::string truncation_text(const Result& result) {
  return result.truncation ? std::string(name(result.truncation->type)) : "";
}

std::string method_text(const Contender& contender) {
  return fmt::format("{}{}{}", name(contender.method), contender.start ? ":" : "",
                     contender.start ? name(*contender.start) : "");
}

std::string table(const std::vector<ComparisonRow>& rows) {
  TextTable table("llr" + std::string(kColumns.size(), 'r') + 'l');
  std::vector<std::string> header = {"method", "truncation", "lambda"};
  // A blank after each title is above the marks.
  for (const Column& column : kColumns) header.push_back(fmt::format("{} ", column.title));
  header.emplace_back();
  table.add_header(header);
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells = {method_text(row.contender), truncation_text(row.result),
                                      lambda_text(row.result)};
    for (const Column& column : kColumns) {
      const std::string text = figure(column, row);
      const bool marked = takes_part(row) && text == best(column, rows);
      cells.push_back(marked ? bold(text + '*') : text + ' ');
    }
    cells.push_back(row.note);
    table.add(cells);
  }
  return table.text();
}

std::string csv(const std::vector<ComparisonRow>& rows) {
  std::string text = "method,truncation,start,lambda,nonzeros";
  for (const Column& column : kColumns) text += fmt::format(",{}", column.key);
  text += ",status,note\n";
  for (const ComparisonRow& row : rows) {
    const Result& result = row.result;
    text += fmt::format("{},{},{},{},{}", name(row.contender.method), truncation_text(result),
                        result.start ? name(*result.start) : "",
                        result.truncation ? fmt::format("{}", result.truncation->lambda) : "",
                        result.loadings.nonZeros());
    for (const Column& column : kColumns) text += fmt::format(",{}", column.value(row));
    text += fmt::format(",{},\"{}\"\n", name(row.result.status), row.note);
  }
  return text;
}

void add_arguments(CLI::App& app, CompareArguments& arguments) {
  app.add_option(
         "--methods", arguments.methods,
         "which to compare, with commas between: all, or names as of fit --method, each with "
         "its truncation and start behind colons if need be (default: all)")
      ->type_name("A,B:soft,...")
      ->group("Comparison");
  app.add_option("--sparsity", arguments.sparsity,
                 "fraction of zeros that all shall have (default: 0.85)")
      ->type_name("F")
      ->group("Comparison");
  app.add_option("--nonzeros", arguments.nonzeros,
                 "instead: variables in a component, on average over the components")
      ->type_name("K")
      ->group("Comparison");
  // Options that every method has: the others belong to the comparison, or to one method.
  arguments.options.add_to(app, {"components", "refit", "refine", "effort", "overlap", "tolerance",
                                 "max-iterations", "solver", "seed", "threads"});
  arguments.data.add_reading(app)->required();
  arguments.data.add_covariance(app);
  arguments.data.add_preparation(app);
  const char* group = "Output (- is standard output)";
  app.add_option("--json", arguments.json, "write the rows as JSON")->type_name("F")->group(group);
  app.add_option("--csv", arguments.csv, "write the rows as CSV")->type_name("F")->group(group);
  arguments.report.add_report(app);
  app.add_flag("--quiet", arguments.quiet, "no table, no progress, no warnings: only errors")
      ->group(group);
}

/// A warning in every row is about the data: it is given once.
std::vector<std::string> warnings(const std::vector<ComparisonRow>& rows) {
  std::vector<std::string> all;
  const auto said_of = [](const ComparisonRow& row, const std::string& warning) {
    return std::ranges::find(row.result.warnings, warning) != row.result.warnings.end();
  };
  for (const ComparisonRow& row : rows)
    for (const std::string& warning : row.result.warnings) {
      const bool of_all = std::ranges::all_of(
          rows, [&](const ComparisonRow& other) { return said_of(other, warning); });
      if (!of_all)
        all.push_back(fmt::format("{} {}: {}", name(row.contender.method),
                                  truncation_text(row.result), warning));
      else if (&row == &rows.front())
        all.push_back(warning);
    }
  return all;
}

/// The call that reproduces a row.
std::string call_of(const CompareArguments& arguments, const ComparisonRow& row) {
  Options options = row.result.options;
  options.nonzeros.reset();
  if (const auto& truncation = row.result.truncation) {
    options.truncation = truncation->type;
    options.lambda = truncation->lambda;
  }
  return fit_call(arguments.data, flags_of(options));
}

std::string report(const CompareArguments& arguments, const Data& data,
                   const std::vector<ComparisonRow>& rows) {
  std::vector<std::string> calls;
  calls.reserve(rows.size());
  for (const ComparisonRow& row : rows) calls.push_back(call_of(arguments, row));
  const Vector pca =
      variance_shares(rows.front().result.singular_values, data.matrix->squared_norm());
  return report_page(with_report_fields(to_json(rows), report_fields(data, calls, pca)));
}

void run(const CompareArguments& arguments, DataSource& source) {
  arguments.report.check();
  CompareOptions options{.contenders = contenders(arguments.methods),
                         .common = arguments.options.options()};
  Outputs outputs(
      {{"--json", arguments.json}, {"--csv", arguments.csv}, {"--report", arguments.report.report}},
      arguments.data.files());
  const ThreadScope threads(checked_threads(options.common.threads));
  Data data;
  std::vector<ComparisonRow> rows;
  {
    const Activity activity(arguments.quiet);
    const PrepareOptions planned =
        arguments.data.prepare_options(options.common.components, options.common.solver);
    data = source.read(arguments.data, planned, activity);
    source.prepare(data, planned, activity);
    options.nonzeros = nonzeros(arguments, data.matrix->cols());
    with_title(data, [&] { rows = compare(*data.matrix, options, activity.observer()); });
    activity.enter("writing");
    if (outputs.wants("--json")) outputs.set("--json", to_json(rows));
    if (outputs.wants("--csv")) outputs.set("--csv", csv(rows));
    if (outputs.wants("--report")) outputs.set("--report", report(arguments, data, rows));
    outputs.write();
  }
  if (arguments.quiet) return;
  if (!outputs.uses_stdout())
    print(
        fmt::format("{}: {}, {} components, {} nonzeros in all; PCA explains {:.4f}\n\n{}\n"
                    "  * best of its column among those with this many nonzeros\n",
                    bold(arguments.data.title()), shape(data.table), options.common.components,
                    options.nonzeros * options.common.components,
                    rows.front().result.criteria.cpev_pca, table(rows)));
  print_warnings(warnings(rows), data.notes);
}

}  // namespace

Command add_compare(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "compare",
       .summary = "Fit several methods at the same sparsity and evaluate them alike",
       .usage = "DATA [-r N] [--methods A,B,...] [--sparsity F | --nonzeros K] [options]",
       .detail =
           "Lambda of each method is tuned until all loadings together have as many nonzeros "
           "as asked for. SP, STD and worst SP are mean, spread and minimum of the fraction "
           "of zeros in a loading, CPEV is the variance explained, NOR the mean overlap of "
           "two loadings; seconds are of one fit, without the search for lambda. The last two "
           "columns are CPEV and NOR of what a search makes of each (--effort none leaves "
           "them as they were).",
       .examples = {
           "spcart compare @pitprops -r 6 --nonzeros 3",
           "spcart compare samples.csv -r 5 --methods spcart,rsvd-gp,gpower --sparsity 0.9",
           "spcart compare samples.csv --methods spcart:count:identity,tpower --json rows.json"}});
  auto arguments = std::make_shared<CompareArguments>();
  add_arguments(app, *arguments);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
