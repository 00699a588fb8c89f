#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "command.hpp"

namespace spcart::testing {
namespace {

/// Three variables of five samples as MatrixMarket, variables as rows.
std::string transposed_table(const Folder& folder) {
  return folder.write("t.mtx",
                      "%%MatrixMarket matrix array real general\n3 5\n"
                      "1\n2\n3\n4\n5\n7\n7\n8\n8\n1\n0\n1\n2\n2\n9\n");
}

TEST(CommandOrientation, NamesLabelsAndTransposition) {
  const Folder folder;
  const std::string names = folder.write("names.txt", "height\nwidth\nage\n");
  const std::string labels = folder.write("labels.txt", "ann\nbob\ncid\ndan\neve\n");
  const std::string scores = folder / "scores.csv", loadings = folder / "loadings.csv";
  const Outcome outcome =
      run({"fit", transposed_table(folder), "--transpose", "-r", "2", "--names", names, "--labels",
           labels, "--scores", scores, "--loadings", loadings});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_HAS(outcome.out, "5 samples");
  EXPECT_HAS(content_of(scores), "\neve,");
  EXPECT_HAS(content_of(loadings), "height,");
}

TEST(CommandOrientation, WrongFlagsAreRejectedWithTheirRule) {
  const Folder folder;
  const std::string two = folder.write("two.txt", "a\nb\n"), table = transposed_table(folder);
  const auto rejected = [&](std::vector<std::string> arguments, std::string_view words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_HAS(outcome.err, words);
  };
  rejected({"fit", table, "--names", two}, "it has 2 lines for 5 variables");
  rejected({"fit", table, "--names", folder / "none"}, "none: no such file");
  rejected({"fit", table, "--labels", two}, "it has 2 lines for 3 samples");
  rejected({"fit", "@pitprops", "--transpose"}, "--transpose: it is for files");
  rejected({"fit", "@pitprops", "--names", two}, "it is for files");
  rejected({"fit", table + ":part"}, "only .npz and HDF5 files have parts");
  rejected({"fit", table, "--names", two, "--json", two}, "two.txt");
}

}  // namespace
}  // namespace spcart::testing
