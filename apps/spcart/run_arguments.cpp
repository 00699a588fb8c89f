#include "run_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spcart/error.hpp"
#include "spcart/fit.hpp"

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

Index checked_threads(Index count) {
  constexpr Index kMost = 1024;
  if (count < 0 || count > kMost)
    throw Error(fmt::format("threads = {}: it must be from 0 to {}", count, kMost));
  return count;
}

}  // namespace spcart::command
