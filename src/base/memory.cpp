#include "spcart/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "base/reject.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The number that a file of the system begins with; none if it has no such file or reads "max".
std::uint64_t number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : kNoLimit;
}

std::uint64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return kilobytes * 1024;
  }
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The lowest limit of a group and of the groups that contain it.
std::uint64_t limit_above(const fs::path& root, const fs::path& group, const char* file) {
  std::uint64_t limit = kNoLimit;
  for (fs::path folder = root / group.relative_path();; folder = folder.parent_path()) {
    limit = std::min(limit, number_in(folder / file));
    if (folder == root || folder == folder.parent_path()) return limit;
  }
}

/// Lines are "hierarchy:controllers:group". The second version has one line without controllers;
/// the first has a hierarchy for memory.
std::uint64_t group_limit() {
  std::uint64_t limit = kNoLimit;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty())
      limit = std::min(limit, limit_above("/sys/fs/cgroup", group, "memory.max"));
    else if (controllers == "memory")
      limit = std::min(limit, limit_above("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return limit;
}

/// Of "", "b", "k", "kb", "kib", "m", ... in upper or lower case.
std::optional<double> size_of_unit(std::string_view text) {
  std::string unit(text);
  std::ranges::transform(unit, unit.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (unit.empty() || unit == "b") return 1;
  constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t prefix = kPrefixes.find(unit[0]);
  const std::string rest = unit.substr(1);
  if (prefix == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) return {};
  return std::pow(rest == "ib" ? 1024.0 : 1000.0, static_cast<double>(prefix) + 1);
}

std::uint64_t bytes_of(double count) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(count, 0.0, kMost));
}

std::uint64_t working_memory(Index variables, std::uint64_t per_variable) {
  // The program with the buffers of its kernels and of a file, and one panel; then what each
  // variable needs.
  constexpr double kProgram = 64e6;
  return bytes_of(kProgram + static_cast<double>(variables) * static_cast<double>(per_variable));
}

}  // namespace

std::uint64_t available_memory() { return std::min(system_memory(), group_limit()); }

std::uint64_t work_per_variable(Index components) {
  // A row of the Krylov basis, of the loadings and of what both are computed from, and a name.
  constexpr double kColumns = 12, kOfVariable = 160;
  return bytes_of(kColumns * (static_cast<double>(components) + 4) * 8 + kOfVariable);
}

std::uint64_t least_working_memory(Index variables, Index components) {
  return working_memory(variables, work_per_variable(components));
}

std::uint64_t gram_memory(Index variables) {
  constexpr std::uint64_t kCopies = 4;  // as measured, as kept, and those of the eigensolver
  const auto p = static_cast<std::uint64_t>(variables);
  return kCopies * p * p * sizeof(double);
}

std::uint64_t room_for_table(std::uint64_t memory, Index variables, std::uint64_t work_per_variable,
                             std::uint64_t available) {
  constexpr double kOfAvailable = 0.7;
  if (memory == 0) return static_cast<std::uint64_t>(kOfAvailable * static_cast<double>(available));
  const std::uint64_t least = working_memory(variables, work_per_variable);
  if (least > memory)
    reject("memory", bytes_in_words(memory),
           "work on {} variables takes at least {}, less with fewer components", variables,
           bytes_in_words(least));
  const std::uint64_t left = memory - least, gram = gram_memory(variables);
  return gram < left ? left - gram : left;
}

std::uint64_t room_for_buffers(std::uint64_t memory, Index variables,
                               std::uint64_t work_per_variable) {
  // Only files whose storage order is not the order of use benefit from more than the minimum.
  constexpr std::uint64_t kLeast = std::uint64_t{3} << 23, kMost = std::uint64_t{1} << 28;
  const std::uint64_t limit = memory > 0 ? memory : available_memory();
  const std::uint64_t needed =
      working_memory(variables, work_per_variable) + gram_memory(variables);
  return limit > needed ? std::clamp((limit - needed) / 2, kLeast, kMost) : kLeast;
}

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  const char* last = text.data() + text.size();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::optional<double> unit = size_of_unit({end, static_cast<std::size_t>(last - end)});
  if (error == std::errc::invalid_argument || !unit || std::isnan(number))
    reject(option, text,
           "it must be a number of bytes, or one with a unit as in 500M, 1.5G or 2GiB");
  const double bytes = number * *unit;
  if (bytes < 1) reject(option, text, "it must be at least 1 byte");
  if (error != std::errc{} || bytes > 9e18) reject(option, text, "it is too large");
  return static_cast<std::uint64_t>(bytes);
}

std::string bytes_in_words(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace spcart
