#include "commands/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "arguments/call.hpp"
#include "arguments/suggestion.hpp"
#include "process/interrupt.hpp"
#include "rendering/error_text.hpp"
#include "rendering/print.hpp"
#include "rendering/text.hpp"
#include "spcart/error.hpp"
#include "spcart/version.hpp"

namespace spcart::command {
namespace {

enum ExitStatus { kDone = 0, kFailed = 1, kWrongCall = 2 };

int fail(ExitStatus status, std::string_view message) {
  print_error(fmt::format("spcart: error: {}\n", printable(message)));
  return status;
}

/// The program with all its commands.
class Program {
 public:
  Program(const CommandText& text, std::span<const AddCommand> commands) {
    describe(app_, text);
    app_.set_version_flag("--version", fmt::format("{} {}", text.name, kVersion),
                          "show the version")
        ->group("Options");
    for (const AddCommand& add : commands) commands_.push_back(add(app_));
    for (const Command& command : commands_) {
      command.app->allow_extras();
      for (CLI::Option* option : command.app->get_options())
        if (option->nonpositional() && option->get_items_expected_max() > 0) check_value(*option);
    }
    app_.allow_extras();
  }

  void run(int argc, char** argv) {
    if (argc == 1) return print(app_.help());
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return print(app_.help());
    } catch (const CLI::CallForVersion& version) {
      return print(fmt::format("{}\n", version.what()));
    } catch (const CLI::ParseError& wrong) {
      reject_unknown_arguments();
      throw Error(with_hint(in_words(wrong)));
    }
    reject_unknown_arguments();
    for (const Command& command : commands_)
      if (command.app->parsed()) return command.run();
    throw Error(with_hint("no command is given"));
  }

 private:
  /// CLI11 takes whatever follows an option as its value.
  static void check_value(CLI::Option& option) {
    option.check(
        [](const std::string& value) -> std::string {
          if (value.starts_with("--"))
            return fmt::format("it needs a value, and '{}' is an option", value);
          return value.empty() ? "its value is empty" : "";
        },
        "");
  }

  static std::string in_words(const CLI::ParseError& wrong) {
    std::string text = wrong.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) == nullptr) return text;
    const bool too_many = text.find("received") != std::string::npos;
    return text.substr(0, text.find(':')) + (too_many ? " is given twice" : " needs a value");
  }

  const Command* chosen() const {
    const auto found =
        std::ranges::find_if(commands_, [](const Command& c) { return c.app->parsed(); });
    return found == commands_.end() ? nullptr : &*found;
  }

  std::string with_hint(std::string_view message) const {
    const Command* command = chosen();
    return fmt::format("{} (see '{} {}--help')", message, app_.get_name(),
                       command ? command->app->get_name() + ' ' : "");
  }

  /// CLI11 collects unknown arguments: a mistyped flag deserves more than a list of them.
  void reject_unknown_arguments() const {
    const Command* command = chosen();
    std::vector<std::string> unknown = (command ? *command->app : app_).remaining();
    std::erase(unknown, "--");
    if (unknown.empty()) return;
    const std::string& word = unknown.front();
    std::string meant = with_equals_sign(command);
    if (meant.empty()) meant = closest(word.substr(0, word.find('=')), known_words(command));
    const char* kind = word.starts_with('-') ? "option" : command ? "argument" : "command";
    throw Error(with_hint(
        meant.empty() ? fmt::format("unknown {} '{}'", kind, word)
                      : fmt::format("unknown {} '{}': did you mean {}?", kind, word, meant)));
  }

  /// "--certify=2" if a number follows an option that takes one only after an equals sign.
  static std::string with_equals_sign(const Command* command) {
    if (command == nullptr) return "";
    for (const CLI::Option* option : command->app->get_options()) {
      if (option->count() == 0 || !takes_optional_value(*option)) continue;
      const std::string flag = "--" + option->get_lnames().front(), next = word_after(flag);
      if (!next.empty() && next.find_first_not_of("0123456789.") == std::string::npos)
        return fmt::format("{}={}", flag, next);
    }
    return "";
  }

  std::vector<std::string> known_words(const Command* command) const {
    std::vector<std::string> words;
    if (command == nullptr)
      for (const Command& known : commands_) words.push_back(known.app->get_name());
    for (const CLI::Option* option : (command ? *command->app : app_).get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    return words;
  }

  CLI::App app_;
  std::vector<Command> commands_;
};

/// Prevents files or pipes of ours from becoming standard input, output or error if the caller has
/// closed them. Their use still fails, because each is opened in the wrong direction.
void occupy_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(standard, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int run_program(const CommandText& text, std::span<const AddCommand> commands, int argc,
                char** argv) {
  keep_call(argc, argv);
  try {
    Program(text, commands).run(argc, argv);
    return kDone;
  } catch (const Cancelled&) {
    report_interruption();
    return kFailed;
  } catch (const Error& error) {
    return fail(kWrongCall, error_text(error));
  } catch (const std::bad_alloc&) {
    return fail(kFailed,
                "there is not enough memory for this; fewer components or a sparse or "
                "smaller type of data need less");
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}

void arrange_process() {
  occupy_standard_descriptors();
  // As in "spcart fit ... | head -1".
  std::signal(SIGPIPE, SIG_DFL);
}

}  // namespace spcart::command
