#include "arguments/numbers.hpp"

#include <fmt/format.h>

#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart::command {

std::vector<Index> parse_list(std::string_view option, std::string_view text) {
  std::vector<Index> values;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    values.push_back(parse_number<Index>(option, word));
    if (word.size() == text.size()) break;
    text.remove_prefix(word.size() + 1);
    if (text.empty()) throw Error(option, "", "nothing follows the last comma");
  }
  return values;
}

}  // namespace spcart::command
