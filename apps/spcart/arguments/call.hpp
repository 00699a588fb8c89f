#pragma once

#include <string>
#include <string_view>

#include "arguments/data_arguments.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

/// A word as a shell takes it for one.
std::string shell_word(std::string_view word);

/// Keeps the words with which the program was called.
void keep_call(int argc, char** argv);

/// The call as it can be given to a shell again: "spcart fit ...".
std::string this_call();

/// The call of a command on the same data, read and prepared likewise, with such options.
std::string call_on(std::string_view command, const DataArguments& data, std::string_view options);

/// The call that fits the same data, read and prepared likewise, with such options.
std::string fit_call(const DataArguments& data, std::string_view options);

/// The options that are not as by default, as flags.
std::string flags_of(const Options& options);

}  // namespace spcart::command
