#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/output.hpp"

namespace spcart::command {

/// A flag that names an output, and its value: a file, "-" or nothing.
struct OutputArgument {
  std::string_view flag;
  std::string path;
};

/// The outputs of one call, checked before the work and written after all of it.
class Outputs {
 public:
  /// Throws Error if an output could not be written, is named twice or is one of the inputs.
  Outputs(const std::vector<OutputArgument>& arguments, const std::vector<std::string>& inputs);

  bool wants(std::string_view flag) const;
  bool uses_stdout() const;

  /// The text of a requested output.
  void set(std::string_view flag, std::string text);

  /// Writes all or, if one of them fails, as little as possible: files get their names only when
  /// every one is written. Standard output, which may be a pipe that ends the process, is last.
  void write();

 private:
  struct Output {
    std::string flag;
    OutputFile file;
    std::optional<std::string> text;

    bool to_stdout() const { return file.path() == "-"; }
  };

  std::vector<Output> outputs_;
};

}  // namespace spcart::command
