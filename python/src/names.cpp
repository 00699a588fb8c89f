#include "names.hpp"

#include <algorithm>
#include <array>

namespace spcart::python {
namespace {

struct Name {
  std::string_view core, python;
  bool everywhere = false;  ///< in messages: also where no value follows
};

constexpr auto kNames = std::to_array<Name>({
    {"components", "n_components"},
    {"lambda", "lam", true},
    {"tolerance", "tol"},
    {"max-iterations", "max_iter"},
    {"seed", "random_state"},
    {"threads", "n_threads"},
    {"post-fit", "post_fit"},
    {"best-by", "best_by"},
    {"bootstrap", "resamples"},
    {"nan", "NaN", true},
});

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

std::string_view core_name(std::string_view python_name) {
  const auto found = std::ranges::find(kNames, python_name, &Name::python);
  return found == kNames.end() ? python_name : found->core;
}

std::string_view python_name(std::string_view core_name) {
  const auto found = std::ranges::find(kNames, core_name, &Name::core);
  return found == kNames.end() ? core_name : found->python;
}

std::string in_python(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const auto end = std::ranges::find_if_not(message, in_word);
    const std::string_view word(message.begin(), end), rest(end, message.end());
    const auto found = std::ranges::find_if(kNames, [&](const Name& name) {
      return name.core == word && (name.everywhere || rest.starts_with(" = "));
    });
    text += found == kNames.end() ? word : found->python;
    const std::size_t gap = std::min<std::size_t>(rest.size(), 1);
    text += rest.substr(0, gap);
    message = rest.substr(gap);
  }
  return text;
}

}  // namespace spcart::python
