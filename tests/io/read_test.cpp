#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "spcart/io.hpp"
#include "table/stored_values.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::gzipped;
using testing::little_endian;
using testing::TemporaryDirectory;
using Names = std::vector<std::string>;

const std::string kCsv = "a,b\n1,2\n3,4\n";
const std::string kMtx =
    "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 2 4\n";
const Matrix kValues{{1, 2}, {3, 4}};

std::string float_npy(const std::vector<float>& values, const std::string& shape,
                      const std::string& fortran = "False") {
  const std::string header =
      "{'descr': '<f4', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return std::string("\x93NUMPY\x01\x00", 8) + little_endian(header.size(), 2) + header + data;
}

Table read(std::string_view name, std::string_view content, const ReadOptions& options = {}) {
  const TemporaryDirectory directory;
  return read_table(directory.file(name, content), options);
}

std::string rejection(std::string_view name, std::string_view content,
                      const ReadOptions& options = {}) {
  return error_of([&] { read(name, content, options); });
}

TEST(Read, RejectsWhatIsNoFile) {
  const TemporaryDirectory directory;
  EXPECT_HAS(error_of([&] { read_table(directory / "data.csv"); }), "data.csv: no such file");
  EXPECT_HAS(error_of([&] { read_table(directory / ""); }), "is a directory");
  const auto plain = directory.file("plain", "x");
  EXPECT_HAS(error_of([&] { read_table(plain / "data.csv"); }), "cannot be opened");
}

TEST(Read, RejectsEmptyFilesOfEveryFormat) {
  for (const std::string name : {"a.csv", "a.tsv", "a.npy", "a.mtx", "a"}) {
    EXPECT_HAS(rejection(name, ""), name + ": is empty");
    EXPECT_HAS(rejection(name + ".gz", gzipped("")), name + ".gz: is empty");
  }
}

TEST(Read, ChoosesTheFormatByNameElseByContent) {
  const std::string npy = float_npy({1, 2, 3, 4}, "(2, 2)");
  EXPECT_EQ(to_matrix(read("DATA.CSV", kCsv)), kValues);
  EXPECT_EQ(to_matrix(read("data.npy", npy)), kValues);
  EXPECT_EQ(to_matrix(read("data.bin", npy)), kValues);
  EXPECT_EQ(to_matrix(read("data", kMtx)), (Matrix{{1, 2}, {0, 4}}));
  EXPECT_EQ(to_matrix(read("data.txt", kCsv)), kValues);
  EXPECT_HAS(rejection("data.npy", kCsv), "is not an NPY file");
  EXPECT_HAS(rejection("data.mtx", kCsv), "no MatrixMarket banner");
}

TEST(Read, UnpacksGzipUnderAnyName) {
  EXPECT_EQ(to_matrix(read("data.csv.gz", gzipped(kCsv))), kValues);
  EXPECT_EQ(to_matrix(read("data.csv", gzipped(kCsv))), kValues);
  EXPECT_EQ(to_matrix(read("data.npy.gz", gzipped(float_npy({1, 2, 3, 4}, "(2, 2)")))), kValues);
  EXPECT_EQ(to_matrix(read("data.mtx.gz", gzipped(kMtx))), (Matrix{{1, 2}, {0, 4}}));
  EXPECT_EQ(to_matrix(read("data.csv.gz", kCsv)), kValues);
}

TEST(Read, JoinsMembersOfGzip) {
  EXPECT_EQ(to_matrix(read("data.csv.gz", gzipped("a,b\n1,") + gzipped("") + gzipped("2\n3,4\n"))),
            kValues);
}

TEST(Read, RejectsBrokenGzip) {
  const std::string good = gzipped(kCsv);
  for (const std::size_t length : {2UL, 5UL, 12UL, 20UL, good.size() - 1}) {
    EXPECT_HAS(rejection("data.csv.gz", good.substr(0, length)),
               "data.csv.gz: is a truncated gzip file");
  }
  std::string wrong_sum = good;
  wrong_sum[good.size() - 6] ^= 1;
  EXPECT_HAS(rejection("data.csv.gz", wrong_sum), "data.csv.gz: is a broken gzip file");
  EXPECT_HAS(rejection("data.npy.gz", wrong_sum.replace(2, 1, "\x07")), "is a broken gzip file");
  EXPECT_HAS(rejection("data.csv.gz", good + "rubbish"), "has rubbish after its gzip data");
}

TEST(Read, TakesStandardInputForADash) {
  const TemporaryDirectory directory;
  const int before = ::dup(STDIN_FILENO);
  for (const std::string& content : {kCsv, gzipped(kCsv), float_npy({1, 2, 3, 4}, "(2, 2)")}) {
    const int file = ::open(directory.file("input", content).c_str(), O_RDONLY);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
    EXPECT_EQ(to_matrix(read_table("-")), kValues);
  }
  const int file = ::open(directory.file("input", "1,2\n3,x\n").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
  EXPECT_HAS(error_of([] { read_table("-"); }), "standard input:2:2: 'x'");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
}

TEST(Read, ReportsProgressAndStopsOnRequest) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "1,2,3\n";
  const auto path = directory.file("data.csv", text);
  double last = 0;
  int calls = 0;
  read_table(path, {}, [&](double fraction) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1);
    last = fraction;
    ++calls;
  });
  EXPECT_GT(calls, 3);
  EXPECT_GT(last, 0.9);
  EXPECT_THROW(read_table(path, {}, [](double) { throw Cancelled(); }), Cancelled);
}

TEST(Missing, DropLeavesOutSamples) {
  ReadOptions options;
  options.missing = Missing::drop;
  const Table table = read("d.csv", "n,a,b\np,1,NA\nq,3,4\nr,,\ns,5,6\n", options);
  EXPECT_EQ(to_matrix(table), (Matrix{{3, 4}, {5, 6}}));
  EXPECT_EQ(table.samples, (Names{"q", "s"}));
  EXPECT_EQ(table.notes, Names{"2 of 4 samples dropped: they have missing values"});
}

TEST(Missing, MeanFillsInTheMeanOfTheOthers) {
  ReadOptions options;
  options.missing = Missing::mean;
  const Table table = read("d.csv", "a,b\n1,NA\n3,4\n?,8\n", options);
  EXPECT_EQ(to_matrix(table), (Matrix{{1, 6}, {3, 4}, {2, 8}}));
  EXPECT_EQ(table.notes, Names{"2 missing values replaced by the mean of their variables"});
}

TEST(Missing, NothingIsNotedIfNothingIsMissing) {
  for (const Missing missing : {Missing::drop, Missing::mean}) {
    ReadOptions options;
    options.missing = missing;
    const Table table = read("d.csv", kCsv, options);
    EXPECT_EQ(to_matrix(table), kValues);
    EXPECT_TRUE(table.notes.empty());
  }
}

TEST(Missing, IsHandledInArraysOfEitherOrder) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  ReadOptions drop, mean;
  drop.missing = Missing::drop;
  mean.missing = Missing::mean;
  const std::string by_rows = float_npy({1, kNan, 3, 4, 5, 8}, "(3, 2)");
  const std::string by_columns = float_npy({1, 3, 5, kNan, 4, 8}, "(3, 2)", "True");
  for (const std::string& content : {by_rows, by_columns}) {
    EXPECT_EQ(to_matrix(read("d.npy", content, drop)), (Matrix{{3, 4}, {5, 8}}));
    EXPECT_EQ(to_matrix(read("d.npy", content, mean)), (Matrix{{1, 6}, {3, 4}, {5, 8}}));
  }
}

TEST(Missing, IsHandledInSparseTables) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n4 2 4\n1 1 2\n2 2 nan\n3 1 4\n4 2 6\n";
  ReadOptions options;
  options.missing = Missing::drop;
  EXPECT_EQ(to_matrix(read("d.mtx", text, options)), (Matrix{{2, 0}, {4, 0}, {0, 6}}));
  options.missing = Missing::mean;
  EXPECT_EQ(to_matrix(read("d.mtx", text, options)), (Matrix{{2, 0}, {0, 2}, {4, 0}, {0, 6}}));
}

TEST(Missing, RejectsToLeaveNothing) {
  ReadOptions options;
  options.missing = Missing::drop;
  EXPECT_HAS(rejection("d.csv", "a,b\n1,NA\nNA,2\n", options), "d.csv: every sample has missing");
  options.missing = Missing::mean;
  options.strict = true;  // otherwise the column is set aside
  EXPECT_HAS(rejection("d.csv", "a,b\n1,NA\n2,NA\n", options),
             "d.csv: column 2 ('b') has missing values only");
}

TEST(Missing, IsNeverHandledInACovariance) {
  for (const Missing missing : {Missing::drop, Missing::mean}) {
    ReadOptions options;
    options.missing = missing;
    options.covariance = true;
    EXPECT_HAS(rejection("d.csv", "a,b\n1,NA\nNA,2\n", options),
               "d.csv:2:2: missing value 'NA' of 'b'; a covariance must be complete");
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_HAS(rejection("d.npy", float_npy({1, kNan, kNan, 2}, "(2, 2)"), options),
               "row 1, column 2 ('x2') is missing (NaN); a covariance must be complete");
  }
}

TEST(Covariance, IsMarkedAndNamed) {
  ReadOptions options;
  options.covariance = true;
  const Table plain = read("c.csv", "2,1\n1,3\n", options);
  EXPECT_TRUE(plain.covariance);
  EXPECT_EQ(plain.variables, (Names{"x1", "x2"}));
  const Table labelled = read("c.csv", ",a,b\na,2,1\nb,1,3\n", options);
  EXPECT_EQ(labelled.variables, (Names{"a", "b"}));
  EXPECT_TRUE(labelled.samples.empty());
  EXPECT_EQ(to_matrix(labelled), (Matrix{{2, 1}, {1, 3}}));
  EXPECT_EQ(read("c.csv", "a,2,1\nb,1,3\n", options).variables, (Names{"a", "b"}));
}

TEST(Covariance, RejectsShapesAndNamesThatDoNotFit) {
  ReadOptions options;
  options.covariance = true;
  EXPECT_HAS(rejection("c.csv", "1,2,3\n4,5,6\n", options),
             "c.csv: a covariance must be square, and this is 2 x 3");
  EXPECT_HAS(rejection("c.csv", ",a,b\nb,2,1\na,1,3\n", options), "row 'b' of the covariance");
}

TEST(Covariance, LeavesOutRowsWithTheirColumns) {
  ReadOptions options;
  options.covariance = true;
  options.exclude = {"b"};
  const Table text = read("c.csv", ",a,b,c\na,1,2,3\nb,2,4,5\nc,3,5,6\n", options);
  EXPECT_EQ(to_matrix(text), (Matrix{{1, 3}, {3, 6}}));
  EXPECT_EQ(text.variables, (Names{"a", "c"}));
  options.exclude = {"x2"};
  const Table array = read("c.npy", float_npy({1, 2, 3, 2, 4, 5, 3, 5, 6}, "(3, 3)"), options);
  EXPECT_EQ(to_matrix(array), (Matrix{{1, 3}, {3, 6}}));
}

/// After any damage to a file, reading gives a table of finite numbers or an Error.
void expect_robust(const std::string& name, const std::string& good) {
  const TemporaryDirectory directory;
  std::mt19937 random(11);
  for (int round = 0; round < 1500; ++round) {
    ReadOptions options;
    options.missing = static_cast<Missing>(random() % 3);
    options.covariance = random() % 4 == 0;
    const std::string content = testing::mutated(good, random);
    const auto path = directory.file(name, content);
    try {
      const Table table = read_table(path, options);
      ASSERT_LT(table.rows() * table.cols(), 100000000) << name << ", round " << round;
      ASSERT_EQ(static_cast<Index>(table.variables.size()), table.cols());
      bool finite = true;
      for_each_value(table, [&](Index, Index, auto value) {
        finite = finite && std::isfinite(static_cast<double>(value));
      });
      ASSERT_TRUE(finite) << name << ", round " << round;
    } catch (const Error& error) {
      ASSERT_STRNE(error.what(), "");
    } catch (const std::exception& other) {
      FAIL() << name << ", round " << round << ": " << other.what() << "\n" << content;
    }
  }
}

TEST(Robustness, OfText) {
  expect_robust("a.csv", "name,\"a, b\",c\nanna,1.5,-2e3\n\"ben \"\"b\"\"\",NA,4\ncarl,5,+6.25\n");
  expect_robust("a.csv", "2,1,0\n1,2,1\n0,1,2\n");
  expect_robust("a.tsv", "a\tb\n1\t2\r\n3\t4\r\n");
}

TEST(Robustness, OfArrays) {
  expect_robust("a.npy", float_npy({1, 2, 3, 4, 5, 6}, "(2, 3)"));
  expect_robust("a.npy.gz", gzipped(float_npy({1, 2, 3, 4}, "(2, 2)", "True")));
}

TEST(Robustness, OfMatrixMarket) {
  expect_robust("a.mtx", kMtx);
  expect_robust("a.mtx", "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
  expect_robust("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n");
}

TEST(Robustness, OfGzip) { expect_robust("a.csv.gz", gzipped(kCsv) + gzipped("5,6\n")); }

TEST(Robustness, OfUnknownNames) { expect_robust("a", float_npy({1, 2, 3, 4}, "(2, 2)")); }

}  // namespace
}  // namespace spcart
