#include "arguments/run_arguments.hpp"

#include <algorithm>

#include "spcart/fit.hpp"
#include "spcart/threads.hpp"

namespace spcart::command {
namespace {

const OptionRecord& threads_record() {
  return *std::ranges::find(option_records(), "threads", &OptionRecord::name);
}

}  // namespace

void RunArguments::add_to(CLI::App& app) {
  const OptionRecord& record = threads_record();
  app.add_option("--threads", threads, std::string(record.help))
      ->type_name(std::string(record.value))
      ->group("Output");
  app.add_flag("--quiet", quiet, "no table, no progress, no warnings: only errors")
      ->group("Output");
}

Index RunArguments::thread_count() const {
  Options options;
  if (!threads.empty()) threads_record().set(options, threads);
  return checked_threads(options.threads);
}

}  // namespace spcart::command
