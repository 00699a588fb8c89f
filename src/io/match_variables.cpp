#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/text.hpp"
#include "spcart/io.hpp"

namespace spcart {
namespace {

using Names = std::span<const std::string>;
using IndexByName = std::unordered_map<std::string_view, Index>;

IndexByName index_by_name(Names names) {
  IndexByName indices;
  for (std::size_t i = 0; i < names.size(); ++i) indices.emplace(names[i], static_cast<Index>(i));
  return indices;
}

/// The first few of the names that are not among the others, and how many more there are.
std::string absent(Names names, const IndexByName& among) {
  constexpr std::size_t kShown = 5;
  std::string list;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (!among.contains(name) && ++count <= kShown)
      list += fmt::format("{}'{}'", list.empty() ? "" : ", ", io::printable(name));
  return count > kShown ? fmt::format("{} and {} more", list, count - kShown) : list;
}

void reject_duplicates(Names names, const IndexByName& indices, std::string_view whose,
                       std::string_view owner) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (indices.at(names[i]) != static_cast<Index>(i))
      io::fail({owner}, "cannot be matched with the data: {} two variables named '{}'", whose,
               io::printable(names[i]));
}

bool are_default(Names names) {
  return std::ranges::equal(names, default_names(static_cast<Index>(names.size())));
}

std::vector<Index> by_position(std::size_t count) {
  std::vector<Index> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<Index>(i));
  return order;
}

}  // namespace

std::vector<Index> match_variables(std::span<const std::string> data,
                                   std::span<const std::string> others, std::string_view owner) {
  if (std::ranges::equal(data, others)) return by_position(data.size());
  const IndexByName in_data = index_by_name(data), in_others = index_by_name(others);
  const std::string missing = absent(data, in_others), superfluous = absent(others, in_data);
  const bool same = missing.empty() && superfluous.empty();
  if (!same && (are_default(data) || are_default(others))) {
    if (data.size() == others.size()) return by_position(data.size());
    io::fail({owner}, "has {} variables, and the data has {}", others.size(), data.size());
  }
  if (!superfluous.empty()) io::fail({owner}, "has variables that the data lacks: {}", superfluous);
  if (!missing.empty())
    io::fail({owner}, "lacks variables of the data: {} (--exclude leaves them out)", missing);
  reject_duplicates(data, in_data, "the data has", owner);
  reject_duplicates(others, in_others, "it has", owner);
  std::vector<Index> order;
  for (const std::string& name : data) order.push_back(in_others.at(name));
  return order;
}

}  // namespace spcart
