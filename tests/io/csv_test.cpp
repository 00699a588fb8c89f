#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::TemporaryDirectory;
using Names = std::vector<std::string>;

Table read(std::string_view text, const ReadOptions& options = {},
           std::string_view name = "data.csv") {
  const TemporaryDirectory directory;
  return read_table(directory.file(name, text), options);
}

std::string rejection(std::string_view text, const ReadOptions& options = {},
                      std::string_view name = "data.csv") {
  return error_of([&] { read(text, options, name); });
}

/// The numbers in storage order: by rows, without gaps.
Matrix stored(const Table& table) {
  const auto& view = std::get<DenseView>(table.values);
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const ByRows>(static_cast<const double*>(view.data), view.rows, view.cols);
}

Matrix matrix(std::initializer_list<std::initializer_list<double>> rows) { return Matrix(rows); }

TEST(Csv, ReadsNumbersWithoutHeader) {
  const Table table = read("1,2,3\n4,5,6\n");
  EXPECT_EQ(stored(table), matrix({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(table.variables, (Names{"x1", "x2", "x3"}));
  EXPECT_TRUE(table.samples.empty());
  EXPECT_FALSE(table.covariance);
}

TEST(Csv, StoresRowsOfDoubles) {
  const Table table = read("1,2\n3,4\n");
  const auto& view = std::get<DenseView>(table.values);
  EXPECT_EQ(view.scalar, Scalar::float64);
  EXPECT_EQ(view.row_stride, 2);
  EXPECT_EQ(view.col_stride, 1);
  EXPECT_NE(view.owner, nullptr);
}

TEST(Csv, ReadsEveryFormOfNumberExactly) {
  const Table table = read(
      "+1.5, -2 ,.5,5.\n1e3,1E-3,-0,123456789012345678\n"
      "0.1,1e-400,4.9e-324,1.7976931348623157e308\n\t7,0000001,1234567,3.141592653589793\n");
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  constexpr double kHuge = std::numeric_limits<double>::max();
  EXPECT_EQ(stored(table), matrix({{1.5, -2, .5, 5},
                                   {1e3, 1e-3, 0, 123456789012345678.0},
                                   {0.1, 0, kTiny, kHuge},
                                   {7, 1, 1234567, 3.141592653589793}}));
}

TEST(Csv, HeaderIsFoundByTextBehindTheFirstField) {
  const Table table = read("id,height\n1,2\n3,4\n");
  EXPECT_EQ(table.variables, (Names{"id", "height"}));
  EXPECT_EQ(table.rows(), 2);
}

TEST(Csv, HeaderOfOneColumn) {
  const Table table = read("height\n1\n2\n");
  EXPECT_EQ(table.variables, Names{"height"});
  EXPECT_EQ(stored(table), matrix({{1}, {2}}));
}

TEST(Csv, HeaderWithTextInTheFirstFieldOnly) {
  EXPECT_EQ(read("year,1990\n5,6\n7,8\n").variables, (Names{"year", "1990"}));
}

TEST(Csv, LabelsByEmptyFirstCell) {
  const Table table = read(",a,b\n1,2,3\n2,4,5\n");
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(table.samples, (Names{"1", "2"}));
  EXPECT_EQ(stored(table), matrix({{2, 3}, {4, 5}}));
}

TEST(Csv, LabelsByHeaderThatIsOneShort) {
  const Table table = read("\"a\"\t\"b\"\n\"1\"\t2\t3\n\"2\"\t4\t5\n");
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(table.samples, (Names{"1", "2"}));
}

TEST(Csv, LabelsByTextInTheFirstDataField) {
  const Table named = read("name,a,b\nanna,2,3\nben,4,5\n");
  EXPECT_EQ(named.variables, (Names{"a", "b"}));
  EXPECT_EQ(named.samples, (Names{"anna", "ben"}));
  const Table unnamed = read("anna,2,3\nben,4,5\n");
  EXPECT_EQ(unnamed.variables, (Names{"x1", "x2"}));
  EXPECT_EQ(unnamed.samples, (Names{"anna", "ben"}));
}

TEST(Csv, NumberedColumnsBehindAnEmptyCellAreNames) {
  const Table table = read(",0,1,2\n0,5,6,7\n1,8,9,10\n");
  EXPECT_EQ(table.variables, (Names{"0", "1", "2"}));
  EXPECT_EQ(table.samples, (Names{"0", "1"}));
}

TEST(Csv, QuotedNumbersAboveBareOnesAreNames) {
  const Table table = read("\"1990\",\"1991\"\n1,2\n3,4\n");
  EXPECT_EQ(table.variables, (Names{"1990", "1991"}));
  EXPECT_EQ(read("\"1\",\"2\"\n\"3\",\"4\"\n").rows(), 2);
}

TEST(Csv, PresenceOverridesWhatIsFound) {
  ReadOptions options;
  options.header = Tristate::yes;
  EXPECT_EQ(read("1,2\n3,4\n", options).variables, (Names{"1", "2"}));
  options.row_labels = Tristate::yes;
  const Table labelled = read("1,2\n3,4\n", options);
  EXPECT_EQ(labelled.variables, Names{"2"});
  EXPECT_EQ(labelled.samples, Names{"3"});
  options = {};
  options.header = Tristate::no;
  EXPECT_HAS(rejection("a,b\n1,2\n", options), "data.csv:1:2: 'b'");
}

TEST(Csv, QuotedFieldsHoldSeparatorsQuotesAndLines) {
  const Table table = read("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n1,\"2\",3\n");
  EXPECT_EQ(table.variables, (Names{"a,b", "say \"hi\"", "two\nlines"}));
  EXPECT_EQ(stored(table), matrix({{1, 2, 3}}));
}

TEST(Csv, LinesAreCountedThroughQuotes) {
  EXPECT_HAS(rejection("n,\"a\nb\"\n1,2\n3,oops\n"), "data.csv:4:2: 'oops'");
}

TEST(Csv, LineEndingsMarksAndBlankLines) {
  const Table table = read(
      "\xef\xbb\xbf"
      "a,b\r\n\r\n1,2\r\n   \n\n3,4");
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(stored(table), matrix({{1, 2}, {3, 4}}));
}

TEST(Csv, SeparatorIsSniffedOrTakenFromTheName) {
  const Matrix expected = matrix({{1, 2}, {3, 4}});
  EXPECT_EQ(stored(read("1\t2\n3\t4\n")), expected);
  EXPECT_EQ(stored(read("1;2\n3;4\n")), expected);
  EXPECT_EQ(stored(read("1\t2\n3\t4\n", {}, "data.tsv")), expected);
  EXPECT_EQ(read("a,b\tc\n1\t2\n", {}, "data.tsv").variables, (Names{"a,b", "c"}));
  EXPECT_EQ(read("\"a;b\",c\n1,2\n").variables, (Names{"a;b", "c"}));
}

TEST(Csv, DuplicateNamesAreKept) {
  EXPECT_EQ(read("a,a,b\n1,2,3\n").variables, (Names{"a", "a", "b"}));
}

TEST(Csv, ColumnsWithoutNameAreNumbered) {
  EXPECT_EQ(read("a,,c\n1,2,3\n").variables, (Names{"a", "x2", "c"}));
}

TEST(Csv, ExcludeLeavesOutColumnsByName) {
  ReadOptions options;
  options.exclude = {"species"};
  const Table table = read("a,species,b\n1,setosa,2\n3,\"iris, blue\",4\n", options);
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(stored(table), matrix({{1, 2}, {3, 4}}));
  const Table first = read("species,a,b\nsetosa,1,2\niris,3,4\n", options);
  EXPECT_EQ(first.variables, (Names{"a", "b"}));
  EXPECT_TRUE(first.samples.empty());
}

TEST(Csv, ExcludeKnowsNumberedNames) {
  ReadOptions options;
  options.exclude = {"x2"};
  EXPECT_EQ(stored(read("1,2,3\n4,5,6\n", options)), matrix({{1, 3}, {4, 6}}));
}

TEST(Csv, ExcludeRejectsUnknownNamesAndLeavingNothing) {
  ReadOptions options;
  options.exclude = {"nobody"};
  EXPECT_HAS(rejection("a,b\n1,2\n", options), "no variable 'nobody'");
  options.exclude = {"a", "b"};
  EXPECT_HAS(rejection("a,b\n1,2\n", options), "no variables are left");
}

TEST(Csv, RejectsRaggedLines) {
  EXPECT_HAS(rejection("1,2,3,4\n1,2,3,4\n1,2,3\n"),
             "data.csv:3: line 3 has 3 fields, the first has 4");
  EXPECT_HAS(rejection("a,b\n1,2\n1,2,\"3,4\",5\n"), "line 3 has 4 fields, the first has 2");
  EXPECT_HAS(rejection("a,b,c\n1,2\n"), "line 2 has 2 fields, the first has 3");
  EXPECT_HAS(rejection("a,b\nr,1,2\nr,1\n"), "line 3 has 2 fields, the one below the header has 3");
  EXPECT_HAS(rejection("a,b\n1,2\n7\n"), "line 3 has 1 field, the first has 2");
}

TEST(Csv, RejectsTextAndSaysHowToLeaveOutAColumn) {
  const std::string column = rejection("a,kind\n1,x\n2,y\n");
  EXPECT_HAS(column, "data.csv:2:2: 'x' of 'kind' is not a number");
  EXPECT_HAS(column, "--exclude kind");
  const std::string slip = rejection("a,b\n1,2\n2,1.2.3\n");
  EXPECT_HAS(slip, "data.csv:3:2: '1.2.3' of 'b' is not a number");
  EXPECT_EQ(slip.find("--exclude"), std::string::npos);
  EXPECT_HAS(rejection("a;b\n1;2\n3;4,5\n"), "decimals are written with a point");
  EXPECT_HAS(rejection("1,2\n3,0x10\n"), "'0x10'");
  EXPECT_HAS(rejection("1,2\n3,+-4\n"), "'+-4'");
}

TEST(Csv, RejectsInfinityForAnyTreatmentOfMissing) {
  for (const Missing missing : {Missing::error, Missing::drop, Missing::mean}) {
    ReadOptions options;
    options.missing = missing;
    for (const std::string value : {"inf", "-Inf", "+Infinity", "1e999"}) {
      EXPECT_HAS(rejection("a,b\n1,2\n3," + value + "\n", options),
                 "data.csv:3:2: '" + value + "' of 'b' is infinite");
    }
  }
}

TEST(Csv, RejectsMissingByDefault) {
  for (const std::string token : {"", "NA", "NaN", "nan", "null", "NULL", "?", "N/A", "\" \""}) {
    const std::string message = rejection("a,b\n1,2\n" + token + ",4\n");
    EXPECT_HAS(message, "data.csv:3:1: missing value");
    EXPECT_HAS(message, "of 'a'");
    EXPECT_HAS(message, "--missing drop");
  }
}

TEST(Csv, RejectsFilesWithoutData) {
  EXPECT_HAS(rejection(""), "data.csv: is empty");
  EXPECT_HAS(rejection("\n\n  \n"), "holds no data");
  EXPECT_HAS(rejection("a,b,c\n"), "has a header but no data");
}

TEST(Csv, RejectsBrokenQuotes) {
  EXPECT_HAS(rejection("a,\"b\n1,2\n"), "data.csv:1: a quoted field is never closed");
  EXPECT_HAS(rejection("a,b\n1,\"2\"3\n"), "data.csv:2:2: '3' follows a closing quote");
}

TEST(Csv, RejectsJunkWithAPrintableMessage) {
  EXPECT_HAS(rejection(std::string_view("1,2\n\0\x01,3\n", 9)), "zero bytes");
  const std::string message = rejection("1,2\n3,\x1b[31m\xff\xfe\n");
  EXPECT_HAS(message, "data.csv:2:2: '\\x1b[31m\\xff\\xfe'");
  const std::string longest = rejection("1,2\n3," + std::string(10000, 'z') + "\n");
  EXPECT_LT(longest.size(), 200U);
  EXPECT_HAS(longest, "zzz...'");
}

TEST(Csv, ReadsLinesLongerThanAnyBuffer) {
  std::string text;
  constexpr Index kColumns = 300000;
  for (Index j = 0; j < kColumns; ++j) text += (j > 0 ? "," : "") + std::to_string(j % 1000);
  const Table table = read(text + "\n" + text);
  ASSERT_EQ(table.rows(), 2);
  ASSERT_EQ(table.cols(), kColumns);
  const Matrix values = stored(table);
  EXPECT_EQ(values(1, kColumns - 1), (kColumns - 1) % 1000);
  EXPECT_EQ(values.row(0), values.row(1));
}

TEST(Csv, ManyLinesKeepTheirValues) {
  std::string text;
  constexpr Index kRows = 50000;
  for (Index i = 0; i < kRows; ++i)
    text += "r" + std::to_string(i) + "," + std::to_string(i) + ",0.5\n";
  const Table table = read(text);
  ASSERT_EQ(table.rows(), kRows);
  const Matrix values = stored(table);
  for (Index i = 0; i < kRows; ++i) ASSERT_EQ(values(i, 0), static_cast<double>(i));
  EXPECT_EQ(table.samples.back(), "r49999");
}

TEST(Csv, ASlipInTheFirstCellMakesNoLabels) {
  EXPECT_HAS(rejection("a,b,c\nx6,2,3\n4,5,7\n8,9,1\n"),
             "data.csv:2:1: 'x6' of 'a' is not a number");
  EXPECT_HAS(rejection("a,b\nx,2\n,5\n"), "data.csv:2:1: 'x' of 'a'");
  EXPECT_HAS(rejection("a,b\nx,2\n4,5\n"), "--row-labels yes");
  EXPECT_EQ(read("a,b\nx,2\ny,5\n").samples, (Names{"x", "y"}));
  EXPECT_EQ(read(",b\nx,2\n4,5\n").samples, (Names{"x", "4"}));
  ReadOptions options;
  options.row_labels = Tristate::yes;
  EXPECT_EQ(read("a,b\nx,2\n4,5\n", options).samples, (Names{"x", "4"}));
}

TEST(Csv, NamesThatAreNoUtf8AreLatin1) {
  const Table table = read("\xe4,\xf6x,\xc3\xbc\n1,2,3\n4,5,6\n");
  EXPECT_EQ(table.variables, (Names{"\xc3\xa4", "\xc3\xb6x", "\xc3\xbc"}));
  EXPECT_EQ(read("n,a\n\xe4,1\nb,2\n").samples, (Names{"\xc3\xa4", "b"}));
  ReadOptions options;
  options.exclude = {"\xe4"};
  EXPECT_EQ(read("\xe4,b\n1,2\n4,5\n", options).variables, Names{"b"});
}

TEST(Csv, TheSeparatorSplitsTheFirstLinesAlike) {
  EXPECT_EQ(read("a,x;b,y\n1;2\n3;4\n").variables, (Names{"a,x", "b,y"}));
  EXPECT_EQ(read("a;x,b;y\n1,2\n3,4\n").variables, (Names{"a;x", "b;y"}));
  EXPECT_EQ(read("a,b\n0,1,2\n1,3,4\n").cols(), 2);
}

TEST(Csv, RejectsLinesThatEndWithCrAlone) {
  EXPECT_HAS(rejection("a,b\r1,2\r3,4\r"), "data.csv: its lines end with CR alone");
}

}  // namespace
}  // namespace spcart
