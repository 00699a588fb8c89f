#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "command.hpp"
#include "spcart/methods.hpp"
#include "spcart/names.hpp"

/// What the documents show is what the command prints.
namespace spcart::testing {
namespace {

struct Shown {
  std::vector<std::string> arguments;
  std::vector<std::string> lines;
};

/// The text without its times ("; 0.06 s" at the end of a line), which differ from run to run.
std::string without_times(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t number = line.rfind("; ");
    if (line.ends_with(" s") && number != std::string::npos) line.erase(number);
    result += line + '\n';
  }
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

/// The indented blocks that begin with "$ spcart".
std::vector<Shown> shown_in(const std::string& document) {
  std::ifstream file(SPCART_SOURCE "/" + document);
  std::vector<Shown> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("    $ spcart ")) {
      std::istringstream words(line.substr(13));
      blocks.emplace_back();
      for (std::string word; words >> word;) blocks.back().arguments.push_back(word);
      inside = true;
    } else if (inside && line.starts_with("    ")) {
      const std::string text = line.substr(4);
      if (text != "  ...") blocks.back().lines.push_back(text);
    } else if (!line.empty()) {
      inside = false;
    }
  }
  return blocks;
}

TEST(Documents, ShowWhatTheCommandPrints) {
  std::size_t seen = 0;
  for (const char* document : {"README.md", "docs/choosing.md", "docs/command.md"})
    for (const Shown& shown : shown_in(document)) {
      const Outcome outcome = run(shown.arguments);
      EXPECT_EQ(outcome.status, 0) << document << ": " << outcome.err;
      const std::string printed = without_times(outcome.out);
      for (const std::string& line : shown.lines) {
        EXPECT_NE(printed.find(without_times(line) + "\n"), std::string::npos)
            << document << ": " << line;
        ++seen;
      }
    }
  EXPECT_GE(seen, 14U);
}

std::vector<std::filesystem::path> documents() {
  std::vector<std::filesystem::path> found = {SPCART_SOURCE "/README.md",
                                              SPCART_SOURCE "/CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SPCART_SOURCE "/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

TEST(Documents, LinkToWhatIsThere) {
  for (const auto& document : documents()) {
    const std::string text = content_of(document);
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
      const std::string link = text.substr(at + 2, text.find_first_of(")#", at) - at - 2);
      if (link.empty() || link.starts_with("http")) continue;
      EXPECT_TRUE(std::filesystem::exists(document.parent_path() / link))
          << document << " links to " << link;
    }
  }
}

TEST(Documents, EveryMethodHasAPageOfTheSameParts) {
  const std::string list = content_of(SPCART_SOURCE "/docs/methods/README.md");
  for (const MethodRecord& record : method_records()) {
    const auto file = fmt::format("{}.md", name(record.method));
    EXPECT_HAS(list, fmt::format("]({})", file));
    const std::string page =
        content_of(std::filesystem::path(SPCART_SOURCE "/docs/methods") / file);
    std::size_t at = 0;
    for (const char* heading : {"# ", "## What it solves", "## How", "## Parameters", "## Cost",
                                "## When to use it", "## Reference"}) {
      at = page.find(heading, at);
      ASSERT_NE(at, std::string::npos) << file << " has no part '" << heading << "' in its place";
    }
  }
}

}  // namespace
}  // namespace spcart::testing
