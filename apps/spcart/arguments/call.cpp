#include "arguments/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace spcart::command {
namespace {

namespace fs = std::filesystem;

std::vector<std::string>& words() {
  static std::vector<std::string> kept;
  return kept;
}

}  // namespace

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void keep_call(int argc, char** argv) { words().assign(argv, argv + argc); }

std::string this_call() {
  std::string call = words().empty() ? "spcart" : fs::path(words().front()).filename().string();
  for (std::size_t i = 1; i < words().size(); ++i) call += ' ' + shell_word(words()[i]);
  return call;
}

std::string word_after(std::string_view word) {
  const auto found = std::ranges::find(words(), word);
  return found == words().end() || found + 1 == words().end() ? "" : *(found + 1);
}

std::string call_on(std::string_view command, const DataArguments& data, std::string_view options) {
  std::string call = fmt::format("spcart {} {} {}", command, shell_word(data.source), options);
  const DataArguments defaults;
  const auto add = [&call](std::string_view flag, const std::string& value,
                           const std::string& standard) {
    if (value != standard) call += fmt::format(" {} {}", flag, shell_word(value));
  };
  const auto add_flag = [&call](std::string_view flag, bool given) {
    if (given) call += fmt::format(" {}", flag);
  };
  add_flag("--covariance", data.covariance);
  add_flag("--no-center", data.no_center);
  add_flag("--scale", data.scale);
  add_flag("--remove-row-mean", data.remove_row_mean);
  add("--missing", data.missing, defaults.missing);
  add("--header", data.header, defaults.header);
  add("--row-labels", data.row_labels, defaults.row_labels);
  add("--decimal", data.decimal, defaults.decimal);
  for (const std::string& text : data.na) add("--na", text, "");
  add_flag("--strict", data.strict);
  add_flag("--transpose", data.transpose);
  add("--names", data.names, "");
  for (const std::string& list : data.include) add("--include", list, "");
  for (const std::string& list : data.exclude) add("--exclude", list, "");
  add("--precision", data.precision, defaults.precision);
  return call;
}

std::string fit_call(const DataArguments& data, std::string_view options) {
  return call_on("fit", data, options);
}

std::string flags_of(const Options& options) {
  std::string flags;
  for (const OptionRecord& record : option_records()) {
    const std::string value = record.get(options);
    if (value == record.get(Options{}) && record.name != "components") continue;
    // A value that may be left out must follow an equals sign.
    flags += fmt::format("{}{}{}{}", flags.empty() ? "" : " ",
                         record.shorthand.empty() ? fmt::format("--{}", record.name)
                                                  : fmt::format("-{}", record.shorthand),
                         record.implied.empty() ? ' ' : '=', shell_word(value));
  }
  return flags;
}

}  // namespace spcart::command
