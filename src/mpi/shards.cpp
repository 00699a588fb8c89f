#include "mpi/shards.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <string_view>

#include "spcart/error.hpp"

namespace spcart::mpi {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A name in words and numbers: part-010.npy is "part-", "10", ".npy".
std::vector<std::string> pieces_of(std::string_view name) {
  std::vector<std::string> pieces;
  while (!name.empty()) {
    const bool number = is_digit(name.front());
    const auto end = std::ranges::find_if(name, [=](char c) { return is_digit(c) != number; });
    auto piece = name.substr(0, static_cast<std::size_t>(end - name.begin()));
    name.remove_prefix(piece.size());
    if (number) piece.remove_prefix(std::min(piece.find_first_not_of('0'), piece.size() - 1));
    pieces.emplace_back(piece);
  }
  return pieces;
}

bool comes_before(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto less = [](const std::string& x, const std::string& y) {
    if (is_digit(x.front()) && is_digit(y.front()) && x.size() != y.size())
      return x.size() < y.size();
    return x < y;
  };
  const auto left = pieces_of(a.string()), right = pieces_of(b.string());
  if (std::ranges::lexicographical_compare(left, right, less)) return true;
  if (std::ranges::lexicographical_compare(right, left, less)) return false;
  return a < b;
}

/// The difference of the numbers in which two names differ, second minus first; none if they differ
/// in anything else.
std::optional<unsigned long long> step_between(const std::filesystem::path& a,
                                               const std::filesystem::path& b) {
  constexpr std::size_t kDigits = 18;
  const auto left = pieces_of(a.string()), right = pieces_of(b.string());
  if (left.size() != right.size()) return {};
  std::optional<unsigned long long> step;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    const bool numbers = is_digit(left[i].front()) && is_digit(right[i].front());
    if (!numbers || step || std::max(left[i].size(), right[i].size()) > kDigits) return {};
    step = std::stoull(right[i]) - std::stoull(left[i]);
  }
  return step;
}

/// Expands a pattern with alternatives in braces. Not left to glob, which does not report an
/// alternative that no file matches.
std::vector<std::string> alternatives(const std::string& pattern) {
  const std::size_t open = pattern.find('{'), close = pattern.find('}', open);
  if (close == std::string::npos) return {pattern};
  std::vector<std::string> all;
  for (std::size_t first = open + 1; first <= close;) {
    const std::size_t last = std::min(pattern.find(',', first), close);
    const auto more = alternatives(pattern.substr(0, open) + pattern.substr(first, last - first) +
                                   pattern.substr(close + 1));
    all.insert(all.end(), more.begin(), more.end());
    first = last + 1;
  }
  return all;
}

std::vector<std::filesystem::path> matches(const std::string& pattern) {
  if (std::filesystem::exists(pattern)) return {pattern};
  glob_t found = {};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the surroundings meanwhile
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::filesystem::path> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (code == GLOB_ABORTED || code == GLOB_NOSPACE)
    throw Error("the folder cannot be read").in(pattern);
  return files;
}

void reject_gaps(const std::string& pattern, const std::vector<std::filesystem::path>& files) {
  for (std::size_t i = 0; i + 1 < files.size(); ++i) {
    const auto step = step_between(files[i], files[i + 1]);
    if (!step) return;  // they are not numbered consecutively
  }
  for (std::size_t i = 0; i + 1 < files.size(); ++i)
    if (step_between(files[i], files[i + 1]) != 1)
      throw Error(fmt::format("after {} comes {}: a file between them is missing (name them as "
                              "{{a,b,c}} if that is meant)",
                              files[i].filename().string(), files[i + 1].filename().string()))
          .in(pattern);
}

}  // namespace

bool is_pattern(const std::string& source) {
  return source.find_first_of("*?[{") != std::string::npos && !std::filesystem::exists(source);
}

std::vector<std::filesystem::path> matching_files(const std::string& pattern) {
  const std::vector<std::string> patterns = alternatives(pattern);
  std::vector<std::filesystem::path> files;
  for (const std::string& one : patterns) {
    const auto found = matches(one);
    if (found.empty()) throw Error("no file has such a name").in(one);
    files.insert(files.end(), found.begin(), found.end());
  }
  std::ranges::sort(files, comes_before);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (patterns.size() == 1) reject_gaps(pattern, files);
  return files;
}

std::vector<Piece> even_pieces(const std::vector<Index>& rows, int rank, int ranks) {
  const Index all = std::accumulate(rows.begin(), rows.end(), Index{0});
  const Index share = all / ranks, more = all % ranks;  // the first `more` ranks have one more
  const Index begin = share * rank + std::min<Index>(rank, more);
  const Index end = begin + share + (rank < more ? 1 : 0);
  std::vector<Piece> pieces;
  Index row = 0;
  for (std::size_t file = 0; file < rows.size(); row += rows[file++]) {
    const Index first = std::max(begin, row), last = std::min(end, row + rows[file]);
    if (first < last) pieces.push_back({file, first - row, last - first});
  }
  return pieces;
}

FileRange even_run(const std::vector<std::uint64_t>& sizes, int rank, int ranks) {
  const auto all = static_cast<double>(
      std::accumulate(sizes.begin(), sizes.end(), static_cast<std::uint64_t>(sizes.size())));
  // A file goes to the rank whose part of all bytes contains its middle; but the first to rank 0.
  FileRange run{sizes.size(), sizes.size()};
  double before = 0;
  for (std::size_t file = 0; file < sizes.size(); ++file) {
    const double size = static_cast<double>(sizes[file]) + 1;  // an empty file counts too
    const auto owner = file == 0 ? 0 : static_cast<int>((before + size / 2) / all * ranks);
    before += size;
    if (owner < rank) continue;
    run.first = std::min(run.first, file);
    if (owner > rank) return {run.first, file};
  }
  return run;
}

}  // namespace spcart::mpi
