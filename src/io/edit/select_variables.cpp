#include "io/edit/select_variables.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "io/text.hpp"

namespace spcart::io {

namespace {

using Names = std::vector<std::string>;

/// Whether the name matches a pattern in which * is any text and ? any character.
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, after = 0;
  while (n < name.size()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(name.substr(n)), 1);
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n += length;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The variables of one list: names, indices from 1, ranges of either (3-7, 3:7, a:b), patterns.
class Selector {
 public:
  Selector(const Names& names, std::string_view file, std::string_view purpose)
      : names_(names), file_(file), purpose_(purpose), chosen_(names.size(), false) {}

  void add(const std::string& list) {
    const std::string text = to_utf8(list);
    if (add_name(text)) return;
    std::string_view rest = text;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      add_item(trim(rest.substr(0, comma)));
      if (more) rest.remove_prefix(comma + 1);
    }
  }

  const std::vector<bool>& chosen() const { return chosen_; }

 private:
  bool add_name(std::string_view name) {
    bool found = false;
    for (std::size_t j = 0; j < names_.size(); ++j)
      if (names_[j] == name) chosen_[j] = found = true;
    return found;
  }

  void add_item(std::string_view item) {
    if (add_name(item) || add_pattern(item) || add_range(item)) return;
    fail({file_}, "has no variable '{}' to {}", printable(item), purpose_);
  }

  bool add_pattern(std::string_view pattern) {
    if (pattern.find_first_of("*?") == std::string_view::npos) return false;
    bool found = false;
    for (std::size_t j = 0; j < names_.size(); ++j)
      if (matches(names_[j], pattern)) chosen_[j] = found = true;
    return found;
  }

  bool add_range(std::string_view item) {
    if (const auto one = index_of(item)) {
      chosen_[*one] = true;
      return true;
    }
    for (std::size_t at = item.find_first_of("-:"); at != std::string_view::npos;
         at = item.find_first_of("-:", at + 1)) {
      const auto first = end_of_range(item.substr(0, at), item[at]);
      const auto last = end_of_range(item.substr(at + 1), item[at]);
      if (!first || !last) continue;
      if (*first > *last)
        fail({file_}, "the range '{}' of variables to {} ends before it begins", printable(item),
             purpose_);
      std::fill(chosen_.begin() + static_cast<std::ptrdiff_t>(*first),
                chosen_.begin() + static_cast<std::ptrdiff_t>(*last) + 1, true);
      return true;
    }
    return false;
  }

  std::optional<std::size_t> index_of(std::string_view text) const {
    const auto number = number_in(text);
    if (!number || *number == 0 || *number > names_.size()) return std::nullopt;
    return *number - 1;
  }

  /// A name, which may contain a hyphen, ends a range after a colon only.
  std::optional<std::size_t> end_of_range(std::string_view text, char sign) const {
    if (sign == ':')
      if (const auto named = std::ranges::find(names_, trim(text)); named != names_.end())
        return static_cast<std::size_t>(named - names_.begin());
    return index_of(trim(text));
  }

  const Names& names_;
  std::string_view file_, purpose_;
  std::vector<bool> chosen_;
};

}  // namespace

std::vector<bool> selected_variables(const Names& names, const ReadOptions& options,
                                     std::string_view file) {
  Selector included(names, file, "include"), excluded(names, file, "leave out");
  for (const std::string& list : options.include) included.add(list);
  for (const std::string& list : options.exclude) excluded.add(list);
  std::vector<bool> keep(names.size(), true);
  if (!options.include.empty()) keep = included.chosen();
  for (std::size_t j = 0; j < keep.size(); ++j) keep[j] = keep[j] && !excluded.chosen()[j];
  if (std::ranges::find(keep, true) == keep.end()) fail({file}, "no variables are left");
  return keep;
}

bool is_named(const Names& lists, std::string_view name) {
  return std::ranges::any_of(lists, [&](const std::string& list) {
    std::string_view rest = list;
    if (to_utf8(rest) == name) return true;
    for (;;) {
      const std::size_t comma = rest.find(',');
      if (to_utf8(trim(rest.substr(0, comma))) == name) return true;
      if (comma == std::string_view::npos) return false;
      rest.remove_prefix(comma + 1);
    }
  });
}

}  // namespace spcart::io
