#include "process/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "process/interrupt.hpp"
#include "spcart/error.hpp"

namespace spcart::command {
namespace {

namespace fs = std::filesystem;

/// Standard output has other names besides "-".
std::string one_name(const std::string& path) {
  const std::string plain = fs::path(path).lexically_normal().string();
  const bool standard =
      plain == "/dev/stdout" || plain == "/dev/fd/1" || plain == "/proc/self/fd/1";
  return standard ? "-" : path;
}

bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (a == "-" || b == "-") return a == b;
  if (fs::equivalent(a, b, failed)) return fs::is_regular_file(a, failed);
  return fs::weakly_canonical(a, failed) == fs::weakly_canonical(b, failed);
}

void check_against(std::string_view flag, const fs::path& path, std::string_view other_flag,
                   const fs::path& other) {
  if (!same_place(path, other)) return;
  if (path == "-")
    throw Error(fmt::format("{} and {} are both '-': only one can go to standard output",
                            other_flag, flag));
  throw Error(fmt::format("{} and {} name the same file '{}'", other_flag, flag, path.string()));
}

}  // namespace

Outputs::Outputs(const std::vector<OutputArgument>& arguments,
                 const std::vector<std::string>& inputs) {
  for (const auto& [flag, given] : arguments) {
    if (given.empty()) continue;
    const std::string path = one_name(given);
    for (const std::string& input : inputs)
      if (path != "-" && same_place(path, input))
        throw Error(fmt::format("{} '{}' is an input itself", flag, path));
    for (const Output& earlier : outputs_)
      check_against(flag, path, earlier.flag, earlier.file.path());
    outputs_.push_back({std::string(flag), OutputFile(path), std::nullopt});
  }
}

bool Outputs::wants(std::string_view flag) const {
  return std::ranges::any_of(outputs_, [=](const Output& output) { return output.flag == flag; });
}

bool Outputs::uses_stdout() const { return std::ranges::any_of(outputs_, &Output::to_stdout); }

void Outputs::set(std::string_view flag, std::string text) {
  const auto found = std::ranges::find(outputs_, flag, &Output::flag);
  if (found != outputs_.end()) found->text = std::move(text);
}

void Outputs::write() {
  std::vector<Output*> ready;
  for (Output& output : outputs_) {
    if (!output.text) continue;
    output.file.prepare(*output.text);
    ready.push_back(&output);
  }
  // Writing a device can still fail, renaming a written file hardly can.
  std::ranges::stable_sort(ready, {}, [](const Output* output) {
    return output->to_stdout() ? 2 : output->file.is_direct() ? 0 : 1;
  });
  for (Output* output : ready) {
    output->file.commit();
    note_written(output->to_stdout() ? "standard output" : output->file.path().string());
  }
}

}  // namespace spcart::command
