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
using Places = std::unordered_map<std::string_view, Index>;

Places places_of(Names names) {
  Places places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], static_cast<Index>(i));
  return places;
}

/// The first few of the names that are not among the others, and how many there are besides.
std::string absent(Names names, const Places& among) {
  constexpr std::size_t kShown = 5;
  std::string list;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (!among.contains(name) && ++count <= kShown)
      list += fmt::format("{}'{}'", list.empty() ? "" : ", ", io::printable(name));
  return count > kShown ? fmt::format("{} and {} more", list, count - kShown) : list;
}

void reject_twins(Names names, const Places& places, std::string_view whose,
                  std::string_view owner) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (places.at(names[i]) != static_cast<Index>(i))
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
  const Places in_data = places_of(data), in_others = places_of(others);
  const std::string missing = absent(data, in_others), superfluous = absent(others, in_data);
  const bool same = missing.empty() && superfluous.empty();
  if (!same && (are_default(data) || are_default(others))) {
    if (data.size() == others.size()) return by_position(data.size());
    io::fail({owner}, "has {} variables, and the data has {}", others.size(), data.size());
  }
  if (!superfluous.empty()) io::fail({owner}, "has variables that the data lacks: {}", superfluous);
  if (!missing.empty())
    io::fail({owner}, "lacks variables of the data: {} (--exclude leaves them out)", missing);
  reject_twins(data, in_data, "the data has", owner);
  reject_twins(others, in_others, "it has", owner);
  std::vector<Index> order;
  for (const std::string& name : data) order.push_back(in_others.at(name));
  return order;
}

}  // namespace spcart
