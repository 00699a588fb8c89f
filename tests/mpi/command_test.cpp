#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mpi_command.hpp"
#include "spcart/types.hpp"

namespace spcart::testing {
namespace {

/// Three groups of variables that go together, and half of all numbers are zero.
Matrix samples(Index rows, Index cols) {
  Matrix s(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      const auto t = static_cast<double>(i), u = static_cast<double>(j);
      const auto g = static_cast<double>(j % 3 + 1);
      s(i, j) = std::max(0.0, g * std::sin(t * g) + 0.3 * std::cos(t * 7.3 + 3.1 * u * u));
    }
  return s;
}

std::string mtx_of(const Matrix& s) {
  std::string lines;
  Index entries = 0;
  for (Index i = 0; i < s.rows(); ++i)
    for (Index j = 0; j < s.cols(); ++j)
      if (s(i, j) != 0) {
        char number[32];
        std::snprintf(number, sizeof(number), "%.17g", s(i, j));
        lines += std::to_string(i + 1) + ' ' + std::to_string(j + 1) + ' ' + number + '\n';
        ++entries;
      }
  return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(s.rows()) + ' ' +
         std::to_string(s.cols()) + ' ' + std::to_string(entries) + '\n' + lines;
}

/// s in five files of uneven length, each written by `content`.
template <class Content>
void write_shards(const Folder& folder, const Matrix& s, const std::string& ending,
                  Content content) {
  const std::vector<Index> ends = {7, 8, 30, 31, s.rows()};
  Index first = 0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    folder.write("part-" + std::to_string(k + 7) + ending,
                 content(s.middleRows(first, ends[k] - first)));
    first = ends[k];
  }
}

TEST(MpiCommand, GivesThePapersTables) {
  // Pit props, the synthetic data, patches of images; and one whose rows are spread.
  for (const Words& words : {Words{"@pitprops", "-r", "6", "--start", "identity"},
                             Words{"@synthetic", "-r", "2", "--nonzeros", "4"},
                             Words{"@synthetic", "-r", "2", "--truncation", "energy"},
                             Words{"@patches:n=1000", "-r", "10", "--remove-row-mean"},
                             Words{"@spiked", "-r", "5", "--truncation", "soft"}})
    expect_same_fit(fit_on(3, words), fit_on(0, words));
}

TEST(MpiCommand, ReadsTheRowsOfOneFile) {
  const Folder folder;
  const Matrix s = samples(50, 12);
  for (const std::string& data :
       {folder.write("rows.npy", as_npy(s)),
        folder.write("columns.npy", npy_of<double>(s, "<f8", true)),
        folder.write("half.npy", npy_of<float>(s, "<f4")),
        folder.write("packed.npy.gz", gzipped(as_npy(s))), folder.write("t.csv", csv_of(s)),
        folder.write("t.mtx", mtx_of(s))}) {
    SCOPED_TRACE(data);
    const Words words = {data, "-r", "3", "--scale"};
    const json serial = fit_on(0, words);
    for (const int ranks : {1, 2, 3}) expect_same_fit(fit_on(ranks, words), serial);
  }
}

TEST(MpiCommand, ReadsShards) {
  const Folder folder;
  const Matrix s = samples(61, 12);
  const std::string whole = folder.write("whole.npy", as_npy(s));
  write_shards(folder, s, ".npy", as_npy);
  write_shards(folder, s, ".npy.gz", [](const Matrix& m) { return gzipped(as_npy(m)); });
  write_shards(folder, s, ".mtx", mtx_of);
  write_shards(folder, s, ".mtx.gz", [](const Matrix& m) { return gzipped(mtx_of(m)); });
  write_shards(folder, s, ".csv", csv_of);
  const json serial = fit_on(0, {whole, "-r", "3"});
  for (const char* ending : {".npy", ".npy.gz", ".mtx", ".mtx.gz", ".csv"}) {
    SCOPED_TRACE(ending);
    expect_same_fit(fit_on(3, {folder / "part-*" + ending, "-r", "3"}), serial);
  }
  // More ranks than shards, and out of core.
  expect_same_fit(fit_on(7, {folder / "part-*.mtx", "-r", "3"}), serial);
  const json left = fit_on(2, {folder / "part-*.npy", "-r", "3", "--memory", "66M"});
  expect_same_fit(left, serial);
}

TEST(MpiCommand, HasTheSameOutputsAndCommands) {
  const Folder folder;
  const Matrix s = samples(40, 9);
  const std::string data = folder.write("s.npy", as_npy(s));
  const auto both = [&](const Words& words) {
    const Outcome serial = run_on(0, words), distributed = run_on(3, words);
    EXPECT_EQ(serial.status, 0) << serial.err;
    EXPECT_EQ(distributed.status, 0) << distributed.err;
    return std::pair(serial.out, distributed.out);
  };
  const auto numbers = [](const std::string& text) {
    std::vector<double> all;
    for (std::size_t at = 0; at < text.size();) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str() + at, &end);
      const auto used = static_cast<std::size_t>(end - text.c_str()) - at;
      if (used > 0) all.push_back(value);
      at += std::max<std::size_t>(used, 1);
    }
    return all;
  };
  const auto expect_near = [&](const std::pair<std::string, std::string>& texts) {
    const std::vector<double> left = numbers(texts.first), right = numbers(texts.second);
    ASSERT_EQ(left.size(), right.size()) << texts.first << texts.second;
    for (std::size_t k = 0; k < left.size(); ++k) EXPECT_NEAR(left[k], right[k], 1e-7);
  };
  expect_near(both({"fit", data, "-r", "2", "--scores", "-"}));
  expect_near(both({"fit", data, "-r", "2", "--loadings", "-"}));
  run_on(0, {"fit", data, "-r", "2", "--json", folder / "model.json"});
  expect_near(both({"transform", data, "--model", folder / "model.json"}));
  expect_near(both({"evaluate", data, "--loadings", folder / "model.json", "--json", "-"}));
  expect_near(both({"path", data, "-r", "2", "--points", "4", "--csv", "-"}));
}

/// Compares documents: numbers to 1e-7, all else exactly, and times and memory not at all.
void expect_same_json(const json& found, const json& expected, const std::string& where = "") {
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items())
      if (key != "timing" && key != "seconds" && key != "memory_peak_bytes")
        expect_same_json(found.value(key, json()), value, where + '/' + key);
  } else if (expected.is_array()) {
    ASSERT_EQ(found.size(), expected.size()) << where;
    for (std::size_t k = 0; k < expected.size(); ++k)
      expect_same_json(found[k], expected[k], where + '/' + std::to_string(k));
  } else if (expected.is_number_float()) {
    EXPECT_NEAR(found.get<double>(), expected.get<double>(), 1e-7) << where;
  } else {
    EXPECT_EQ(found, expected) << where;
  }
}

TEST(MpiCommand, ChoosesComparesAndBootstrapsAsOneMachineDoes) {
  const Folder folder;
  const std::string data = folder.write("s.npy", as_npy(samples(60, 9)));
  const std::string sparse = folder.write("s.mtx", mtx_of(samples(60, 9)));
  const Words few = {"--permutations", "4", "--folds", "3", "--repeats", "2", "--most", "4"};
  const Words gram = {"--solver", "gram", "--json", "-"};
  for (const Words& words :
       {Words{"choose", data} + few + gram, Words{"choose", sparse, "--scale"} + few + gram,
        Words{"fit", data, "-r", "2", "--nonzeros", "3", "--bootstrap", "4"} + gram,
        Words{"compare", data, "-r", "2", "--nonzeros", "3", "--methods", "spcart,rsvd-gp,tpower"} +
            gram}) {
    const Outcome serial = run_on(0, words);
    EXPECT_EQ(serial.status, 0) << serial.err;
    for (const int ranks : {1, 3}) {
      SCOPED_TRACE(words[0] + " on " + std::to_string(ranks));
      const Outcome distributed = run_on(ranks, words);
      EXPECT_EQ(distributed.status, 0) << distributed.err;
      expect_same_json(json::parse(distributed.out, nullptr, false), json::parse(serial.out));
    }
  }
}

TEST(MpiCommand, AKeptBasisServesHereAndThere) {
  const Folder folder;
  const std::string data = folder.write("s.npy", as_npy(samples(60, 12)));
  const std::string kept = folder / "kept.basis";
  const json spread = fit_on(3, {data, "-r", "3", "--scale", "--save-basis", kept});
  expect_same_fit(fit_on(0, {data, "-r", "3", "--scale", "--basis", kept}), spread);
  expect_same_fit(fit_on(2, {data, "-r", "3", "--scale", "--basis", kept}), spread);
  const Outcome other = run_on(2, {"fit", data, "-r", "3", "--basis", kept});
  EXPECT_EQ(other.status, 2);
  EXPECT_HAS(other.err, "kept.basis");
}

/// The outcome of a call that must fail: at once, with one message, and a nonzero status.
std::string failure_of(const Words& words, int ranks = 3) {
  const Outcome outcome = run_on(ranks, words, {.time_limit = 60});
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  const std::string mark = "spcart: error: ";
  const std::size_t first = outcome.err.find(mark);
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(mark, first + 1), std::string::npos) << outcome.err;
  return outcome.err;
}

TEST(MpiCommand, TakesASolverThatFitsTheMemoryOfARank) {
  const Folder folder;
  const std::string data = folder.write("s.npy", as_npy(samples(4000, 300)));
  const auto solver_within = [&](const char* memory) {
    return fit_on(2, {data, "-r", "20", "--memory", memory}).at("solver");
  };
  EXPECT_EQ(solver_within("1G"), "gram");
  EXPECT_EQ(solver_within("67M"), "krylov");  // A'A and its decomposition take 2.9 MB
  EXPECT_HAS(failure_of({"fit", data, "-r", "20", "--solver", "gram", "--memory", "67M"}),
             "--solver gram: it takes");
}

TEST(MpiCommand, AShardThatIsMissingIsNoticed) {
  const Folder folder;
  write_shards(folder, samples(61, 6), ".npy", as_npy);
  std::filesystem::remove(folder / "part-9.npy");
  EXPECT_HAS(failure_of({"fit", folder / "part-*.npy"}), "a file between them is missing");
  EXPECT_HAS(failure_of({"fit", folder / "part-{7,8,9}.npy"}), "part-9.npy");
  EXPECT_HAS(failure_of({"fit", folder / "part-*.mtx"}), "no file has such a name");
}

TEST(MpiCommand, ATruncatedShardIsNoticed) {
  const Folder folder;
  const Matrix s = samples(61, 6);
  write_shards(folder, s, ".npy", as_npy);
  write_shards(folder, s, ".mtx", mtx_of);
  write_shards(folder, s, ".npy.gz", [](const Matrix& m) { return gzipped(as_npy(m)); });
  for (const char* ending : {".npy", ".mtx", ".npy.gz"}) {
    const std::string last = folder / std::string("part-11") + ending;
    std::filesystem::resize_file(last, std::filesystem::file_size(last) / 2);
    EXPECT_HAS(failure_of({"fit", folder / "part-*" + ending}), std::string("part-11") + ending);
  }
}

TEST(MpiCommand, AShardOfAnotherShapeOrTypeIsNoticed) {
  const Folder folder;
  const Matrix s = samples(61, 6);
  const auto fails = [&](const char* ending, const std::string& content, const char* message) {
    folder.write(std::string("part-11") + ending, content);
    const std::string said = failure_of({"fit", folder / "part-*" + ending});
    EXPECT_HAS(said, message);
    EXPECT_HAS(said, std::string("part-11") + ending);
  };
  write_shards(folder, s, ".npy", as_npy);
  fails(".npy", as_npy(samples(5, 7)), "has 7 columns, but");
  fails(".npy", npy_of<float>(samples(5, 6), "<f4"), "holds float32, but");
  fails(".npy", "nothing of the kind", "is not an NPY file");
  fails(".npy", npy_of<double>(Matrix(0, 6), "<f8"), "has no numbers");
  write_shards(folder, s, ".mtx", mtx_of);
  fails(".mtx", mtx_of(samples(5, 7)), "has 7 columns, but");
  fails(".mtx", "%%MatrixMarket matrix array real general\n1 6\n1\n2\n3\n4\n5\n6\n",
        "is dense, but");
  write_shards(folder, s, ".csv", csv_of);
  fails(".csv", "a,b,c,d,e,f\n1,2,3,4,5,6\n", "column 1 is 'a', but");
  fails(".csv", "", "part-11.csv");
}

TEST(MpiCommand, ABadNumberOnAnyRankIsNamedByItsFile) {
  const Folder folder;
  Matrix s = samples(60, 6);
  s(58, 2) = std::nan("");
  const std::string message = failure_of({"fit", folder.write("s.npy", as_npy(s))});
  EXPECT_HAS(message, "s.npy, rows 41 to 60: row 19, column 3: NaN is not a finite number");
}

TEST(MpiCommand, WrongCallsAreRejectedOnce) {
  const Folder folder;
  const std::string data = folder.write("s.npy", as_npy(samples(20, 5)));
  EXPECT_HAS(failure_of({"fit", data, "-r", "9"}), "--components 9: ");
  EXPECT_HAS(failure_of({"fit", data, "--lambdaa", "1"}), "did you mean --lambda");
  EXPECT_HAS(failure_of({"fit", data, "--json", "/nowhere/x.json"}), "/nowhere/x.json");
  EXPECT_HAS(failure_of({"fit", data, "--bootstrap", "1"}), "--bootstrap 1: ");
  const std::string longer = folder.write("longer.npy", as_npy(samples(600, 5)));
  const Words left = {"-r", "1", "--memory", "64005000"};  // little more than the program
  EXPECT_HAS(failure_of(Words{"fit", longer, "--bootstrap", "3"} + left),
             "needs the samples in memory");
  EXPECT_HAS(failure_of(Words{"choose", longer, "--most", "2"} + left),
             "needs the samples in memory");
  EXPECT_HAS(failure_of({"fit", data, "--memory", "1M"}), "--memory 1.0 MB: work on 5 variables");
  EXPECT_HAS(failure_of({"fit", "-"}), "standard input cannot be spread");
  EXPECT_HAS(failure_of({"fit", folder / "none.npy"}), "none.npy");
}

TEST(MpiCommand, SigtermEndsItSoon) {
  const Folder folder;
  const std::string data = folder.write("s.npy", as_npy(samples(3000, 300)));
  const Outcome outcome =
      run_on(2, {"fit", data, "-r", "100", "--solver", "krylov", "--restarts", "2000"},
             {.time_limit = 60, .signal = SIGTERM, .signal_after = 2});
  EXPECT_NE(outcome.status, 0);
  EXPECT_LT(outcome.seconds_after_signal, 20);
}

}  // namespace
}  // namespace spcart::testing
