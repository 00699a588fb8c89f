#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arguments/data_source.hpp"
#include "commands/commands.hpp"
#include "process/progress.hpp"
#include "rendering/help.hpp"
#include "rendering/print.hpp"
#include "rendering/report.hpp"
#include "rendering/text.hpp"
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

TextTable facts(const Table& table) {
  const TableSummary seen = summarize(table);
  TextTable facts("ll");
  facts.add({"shape", shape(table)});
  facts.add(
      {"stored", fmt::format("{} {}, {}{}", seen.sparse ? "sparse" : "dense", name(seen.scalar),
                             bytes_in_words(static_cast<std::uint64_t>(seen.bytes)),
                             table.in_file() ? " in a file" : "")});
  facts.add({"values", values_in_words(table, seen)});
  facts.add({"variables", has_names(table.variables)
                              ? some_of(table.variables)
                              : fmt::format("no names; {} are used", some_of(table.variables))});
  if (!table.covariance)
    facts.add({"samples", table.samples.empty() ? "no names" : some_of(table.samples)});
  facts.add({"constant", constant_variables(table)});
  for (const std::string& note : table.notes) facts.add({"note", printable(note)});
  return facts;
}

void run(const DataArguments& arguments, DataSource& source) {
  if (arguments.source.empty()) return show_program();
  Data data;
  std::string text;
  {
    const Activity activity(false);
    data = source.read(arguments, arguments.prepare_options(), activity);
    activity.enter("looking at the data");
    text = facts(data.table).text();
  }
  print(fmt::format("{}\n{}", bold(arguments.title()), text));
  print_warnings(data.hints);
}

}  // namespace

Command add_info(CLI::App& program, DataSource& source) {
  CLI::App& app = add_command(
      program,
      {.name = "info",
       .summary = "Tell what is read from a file, or about this program",
       .usage = "[DATA] [options]",
       .detail = "Without DATA: the versions and the number of threads.",
       .examples = {"spcart info", "spcart info samples.csv", "spcart info counts.mtx.gz"}});
  auto arguments = std::make_shared<DataArguments>();
  arguments->missing = "mean";  // info should report missing values, not fail on them
  arguments->add_reading(app);
  arguments->add_labels(app);
  arguments->add_covariance(app);
  return {&app, [arguments, &source] { run(*arguments, source); }};
}

}  // namespace spcart::command
