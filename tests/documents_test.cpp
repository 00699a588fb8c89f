#include <fstream>
#include <sstream>

#include "command.hpp"

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
  for (const char* document : {"README.md", "docs/command.md"})
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

}  // namespace
}  // namespace spcart::testing
