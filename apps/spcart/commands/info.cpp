#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arguments/data_arguments.hpp"
#include "commands/commands.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/text.hpp"
#include "spcart/datasets.hpp"
#include "spcart/io.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"
#include "spcart/threads.hpp"
#include "spcart/version.hpp"

namespace spcart::command {
namespace {

std::string blas_version() {
  using Describe = const char* (*)();
  const auto describe = reinterpret_cast<Describe>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
  return describe ? describe() : "not OpenBLAS";
}

void show_program() {
  TextTable table("ll");
  table.add({"BLAS", blas_version()});
  table.add({"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                                  EIGEN_MINOR_VERSION)});
  table.add({"threads", fmt::format("{}", threads())});
  table.add({"reports", has_report_page() ? "yes" : "no: it was built without their page"});
  print(fmt::format("{}\n{}", bold(fmt::format("spcart {}", kVersion)), table.text()));
}

/// The first few names, and how many there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", clipped(printable(names[i]), 32));
  if (names.size() > kShown) text += fmt::format(", ... ({} in all)", names.size());
  return text;
}

std::string values_in_words(const Table& table, const TableSummary& seen) {
  const double cells = static_cast<double>(table.rows()) * static_cast<double>(table.cols());
  return fmt::format("{:g} to {:g}, {:.3g} % zeros", seen.least, seen.greatest,
                     100 * (1 - static_cast<double>(seen.nonzeros) / cells));
}

std::string constant_variables(const Table& table) {
  const auto scaled = make_matrix(table, {.scale = true});
  std::vector<std::string> names;
  for (const Index j : scaled->constant_columns())
    names.push_back(table.variables[static_cast<std::size_t>(j)]);
  return names.empty() ? "none" : some_of(names);
}

std::string constant_columns(const std::vector<ColumnSummary>& columns) {
  std::vector<std::string> names;
  for (const ColumnSummary& column : columns)
    if (column.use == ColumnSummary::Use::variable && column.deviation == 0)
      names.push_back(column.name);
  return names.empty() ? "none" : some_of(names);
}

TextTable facts(const Inspection& inspection) {
  const Table& table = inspection.table;
  const TableSummary seen = summarize(table);
  TextTable facts("ll");
  facts.add({"shape", shape(table)});
  const auto* file = std::get_if<FileView>(&table.values);
  const bool packed = file != nullptr && file->scalar == FileScalar::genotype;
  facts.add({"stored", fmt::format("{} {}, {}{}", seen.sparse ? "sparse" : "dense",
                                   packed ? "genotypes of 2 bits" : name(seen.scalar),
                                   bytes_in_words(static_cast<std::uint64_t>(seen.bytes)),
                                   table.in_file() ? " in a file" : "")});
  facts.add({"values", values_in_words(table, seen)});
  facts.add({"variables", has_names(table.variables)
                              ? some_of(table.variables)
                              : fmt::format("no names; {} are used", some_of(table.variables))});
  if (!table.covariance)
    facts.add({"samples", table.samples.empty() ? "no names" : some_of(table.samples)});
  facts.add({"constant", inspection.columns.empty() ? constant_variables(table)
                                                    : constant_columns(inspection.columns)});
  for (const std::string& note : table.notes) facts.add({"note", printable(note)});
  return facts;
}

std::string use_in_words(const ColumnSummary& column, Missing missing) {
  using Use = ColumnSummary::Use;
  switch (column.use) {
    case Use::text:
      return fmt::format("set aside: text, such as '{}'", clipped(printable(column.example), 24));
    case Use::empty:
      return "set aside: it has no value";
    case Use::excluded:
      return "left out";
    case Use::sample:
      return "names of the samples";
    case Use::label:
      return "labels of the samples";
    case Use::variable:
      break;
  }
  if (column.rejected > 0) {
    const std::string example = clipped(printable(column.example), 24);
    return fmt::format("variable, but {} cell{} rejected{}", column.rejected,
                       column.rejected == 1 ? " is" : "s are",
                       example.empty() ? ": infinite" : fmt::format(", such as '{}'", example));
  }
  if (column.missing > 0 && missing == Missing::error)
    return "variable; --missing drop or mean is needed";
  return column.identifier ? "variable, which may be an identifier" : "variable";
}

/// One line per column, of the first ones.
std::string columns_text(const std::vector<ColumnSummary>& columns, Missing missing) {
  constexpr std::size_t kShown = 40;
  TextTable table("rlrrrl");
  table.add_header({"", "column", "missing", "mean", "deviation", "use"});
  for (std::size_t j = 0; j < std::min(columns.size(), kShown); ++j) {
    const ColumnSummary& column = columns[j];
    const bool numbers = column.use == ColumnSummary::Use::variable;
    table.add({fmt::format("{}", j + 1), clipped(printable(column.name), 32),
               column.missing > 0 ? fmt::format("{}", column.missing) : "",
               numbers ? fmt::format("{:.4g}", column.mean) : "",
               numbers ? fmt::format("{:.4g}", column.deviation) : "",
               use_in_words(column, missing)});
  }
  std::string text = table.text();
  if (columns.size() > kShown) text += fmt::format("  and {} more\n", columns.size() - kShown);
  return text;
}

Inspection inspection_of(const DataArguments& arguments, const ReadOptions& options,
                         const Tick& tick) {
  if (arguments.source.starts_with('@')) return {load_dataset(arguments.source), {}};
  return inspect_table(arguments.source, options, tick);
}

void run(const DataArguments& arguments) {
  if (arguments.source.empty()) return show_program();
  std::string text;
  std::vector<std::string> hints;
  {
    const Activity activity(false);
    activity.enter("reading the data");
    const ReadOptions options = arguments.read_options(arguments.prepare_options());
    Inspection found = inspection_of(arguments, options, activity.tick());
    activity.enter("looking at the data");
    if (found.table.covariance) found.columns.clear();
    if (found.table.cols() > 0) text = facts(found).text();
    if (!found.columns.empty()) text += '\n' + columns_text(found.columns, found.missing);
    if (!found.table.covariance && looks_like_covariance(found.table))
      hints.push_back(covariance_hint(arguments.title()));
  }
  print(fmt::format("{}\n{}", bold(arguments.title()), text));
  print_warnings(hints);
}

}  // namespace

Command add_info(CLI::App& program) {
  CLI::App& app = add_command(
      program,
      {.name = "info",
       .summary = "Tell what is read from a file, or about this program",
       .usage = "[DATA] [options]",
       .detail = "One line per column says what a fit would do with it. Without DATA: the versions "
                 "and the number of threads.",
       .examples = {"spcart info", "spcart info samples.csv", "spcart info counts.mtx.gz"}});
  auto arguments = std::make_shared<DataArguments>();
  arguments->add_reading(app);
  arguments->add_labels(app);
  arguments->add_covariance(app);
  return {&app, [arguments] { run(*arguments); }};
}

}  // namespace spcart::command
