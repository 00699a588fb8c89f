#pragma once

#include <string>
#include <string_view>

#include "arguments/data_arguments.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

/// A word, quoted for a shell if necessary.
std::string shell_word(std::string_view word);

/// Keeps the words with which the program was called.
void keep_call(int argc, char** argv);

/// The call as it can be passed to a shell again: "spcart fit ...".
std::string this_call();

/// The word after this one in the call; empty if there is none.
std::string word_after(std::string_view word);

/// The call of a command on the same data, read and prepared in the same way, with these options.
std::string call_on(std::string_view command, const DataArguments& data, std::string_view options);

/// The call that fits the same data, read and prepared in the same way, with these options.
std::string fit_call(const DataArguments& data, std::string_view options);

/// The options that differ from their defaults, as flags.
std::string flags_of(const Options& options);

}  // namespace spcart::command
