#include <gtest/gtest.h>

#include <cmath>
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

TEST(Csv, RejectsTextInAColumnOfNumbersAndSaysWhatHelps) {
  const std::string slip = rejection("a,b\n1,2\n2,1.2.3\n");
  EXPECT_HAS(slip, "data.csv:3:2: '1.2.3' of 'b' is not a number");
  EXPECT_HAS(slip, "--na 1.2.3 counts such cells as missing, --exclude b leaves the column out");
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

ReadOptions strictly() {
  ReadOptions options;
  options.strict = true;
  return options;
}

TEST(Csv, SetsColumnsOfTextAside) {
  const Table table = read("a,kind,b,day\n1,x,2,2024-01-05\n3,y,4,2024-01-06\n");
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(stored(table), matrix({{1, 2}, {3, 4}}));
  EXPECT_EQ(table.notes, Names{"2 columns set aside, not numbers: kind, day"});
  EXPECT_HAS(rejection("a,kind\n1,x\n2,y\n", strictly()),
             "data.csv:2:2: 'x' of 'kind' is not a number");
  EXPECT_HAS(rejection("name,city\nanna,rom\nben,bonn\n"), "no column holds numbers");
}

TEST(Csv, ASlipIsNoColumnOfText) {
  EXPECT_HAS(rejection("a,b\n1,2\n2,x\n3,4\n"), "data.csv:3:2: 'x' of 'b' is not a number");
  EXPECT_EQ(read("a,b\n1,x\n2,y\n3,4\n").variables, Names{"a"});
}

TEST(Csv, EmptyColumnsAndRecordsAtTheEndDoNotCount) {
  const Table table = read("a;b;;\n1;2;;\n3;4;;\n;;;\n;;;\n");
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(stored(table), matrix({{1, 2}, {3, 4}}));
  EXPECT_EQ(table.notes, Names{"2 columns set aside, without a value: x3, x4"});
  EXPECT_HAS(rejection("a;b\n1;2\n;\n3;4\n"), "data.csv:3:1: missing value");
}

/// A column may be empty for longer than the first records, which decide.
TEST(Csv, AColumnIsDecidedByItsFirstValue) {
  std::string numbers = "a,b\n", texts = "a,b\n";
  for (int i = 0; i < 3000; ++i) numbers += "1,\n";
  texts = numbers + "2,late\n3,5\n";
  numbers += "2,7\n";
  ReadOptions options;
  options.missing = Missing::mean;
  EXPECT_EQ(read(texts, options).variables, Names{"a"});
  EXPECT_EQ(stored(read(numbers, options))(0, 1), 7);
  EXPECT_HAS(rejection(numbers), "data.csv:2:2: missing value '' of 'b'");
}

TEST(Csv, DecimalCommasAreRecognised) {
  const Table table = read("a;b\n1,5;2\n-0,25;1.234,5\n1,5e3;7\n");
  EXPECT_EQ(stored(table), matrix({{1.5, 2}, {-0.25, 1234.5}, {1500, 7}}));
  EXPECT_EQ(table.notes, Names{"numbers are read with a decimal comma"});
  EXPECT_EQ(stored(read("1,5;2,5\n3,5;4,5\n")), matrix({{1.5, 2.5}, {3.5, 4.5}}));
  EXPECT_EQ(stored(read("\"1,5\",\"2\"\n\"3,5\",\"4\"\n")), matrix({{1.5, 2}, {3.5, 4}}));
  EXPECT_EQ(stored(read("a\tb\n0,123\t2\n", {}, "data.tsv")), matrix({{0.123, 2}}));
}

TEST(Csv, ThousandsSignsAreRead) {
  EXPECT_EQ(stored(read("a;b;c\n1,234,567;2.5;1 234\n12;1'234.5;\xe2\x88\x92"
                        "3\n")),
            matrix({{1234567, 2.5, 1234}, {12, 1234.5, -3}}));
  EXPECT_EQ(stored(read("a;b\n1\xc2\xa0"
                        "234,5;1\xe2\x80\xaf"
                        "000\n")),
            matrix({{1234.5, 1000}}));
  EXPECT_HAS(rejection("a;b\n1.5;2\n3;12,34\n3;4\n", strictly()), "decimal");
}

TEST(Csv, DoubtAboutTheDecimalSignIsRejected) {
  const std::string text = "a;b\n1,234;5\n2,345;6\n";
  EXPECT_HAS(rejection(text),
             "data.csv:2: '1,234' may have a decimal comma or a comma between "
             "thousands; --decimal comma or --decimal point says which");
  ReadOptions options;
  options.decimal = Decimal::comma;
  EXPECT_EQ(stored(read(text, options)), matrix({{1.234, 5}, {2.345, 6}}));
  options.decimal = Decimal::point;
  EXPECT_EQ(stored(read(text, options)), matrix({{1234, 5}, {2345, 6}}));
}

TEST(Csv, MixedDecimalSignsAreRejected) {
  EXPECT_HAS(rejection("a;b\n1,5;2\n2.5;3\n"),
             "data.csv:2: '1,5' has a decimal comma, and '2.5' in line 3 has a decimal point");
  std::string text = "a;b\n";
  for (int i = 0; i < 3000; ++i) text += "1,5;2\n";
  EXPECT_HAS(rejection(text + "2.5;3\n"),
             "data.csv:3002:1: '2.5' of 'a' is not a number: decimals are written with a comma");
}

TEST(Csv, ASpreadsheetMayStateItsSeparator) {
  EXPECT_EQ(read("sep=;\na;b\n1;2\n").variables, (Names{"a", "b"}));
  EXPECT_EQ(stored(read("\"sep=|\"\r\n1|2\r\n3|4\r\n")), matrix({{1, 2}, {3, 4}}));
  EXPECT_HAS(rejection("sep=;\n"), "holds no data");
}

TEST(Csv, ALineOfUnitsIsSkipped) {
  const Table table = read("height,weight,sex\ncm,kg,\n170,60,f\n180,80,m\n");
  EXPECT_EQ(table.variables, (Names{"height", "weight"}));
  EXPECT_EQ(stored(table), matrix({{170, 60}, {180, 80}}));
  EXPECT_EQ(table.notes.front(), "line 2 was taken for units");
  EXPECT_EQ(read("id,height\n,cm\na,1\nb,2\n").rows(), 2);
  EXPECT_HAS(rejection("a,b\nx,1\n2,3\n4,5\n"), "'x' of 'a'");  // one cell is a number
}

TEST(Csv, ReadsUtf16) {
  const std::string text = "n\xc3\xa4me;b\n1;2\n3;\xf0\x9f\x8d\x80\n5;6\n7;8\n";
  for (const bool big : {false, true}) {
    std::string bytes = big ? "\xfe\xff" : "\xff\xfe";
    for (const char16_t unit : u"n\u00e4me;b\n1;2\n3;\U0001f340\n5;6\n7;8\n") {
      if (unit == 0) break;
      const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
      bytes += big ? std::string{high, low} : std::string{low, high};
    }
    const std::string message = rejection(text);
    EXPECT_HAS(rejection(bytes), message.substr(message.find("data.csv")));
    ReadOptions options;
    options.na = {"\xf0\x9f\x8d\x80"};
    options.missing = Missing::drop;
    EXPECT_EQ(read(bytes, options).variables, (Names{"n\xc3\xa4me", "b"}));
    EXPECT_EQ(stored(read(bytes, options)), matrix({{1, 2}, {5, 6}, {7, 8}}));
    EXPECT_HAS(rejection(bytes + '\n'), "ends within a character of UTF-16");
  }
  EXPECT_HAS(rejection("\xff\xfe"), "is empty");
  EXPECT_HAS(rejection(std::string_view("\xff\xfe\0\xdc\0\0", 6)), "is not text in UTF-16");
}

TEST(Csv, BytesOfWindowsAreCharacters) {
  EXPECT_EQ(read("price \x80,b\n1,2\n").variables, (Names{"price \xe2\x82\xac", "b"}));
}

TEST(Csv, MoreWordsForMissing) {
  ReadOptions options;
  options.missing = Missing::drop;
  for (const std::string word :
       {"na", "n/a", ".", "-", "#N/A", "#NV", "#DIV/0!", "#VALUE!", "#NAME?"})
    EXPECT_EQ(read("a,b\n1,2\n" + word + ",4\n5,6\n", options).rows(), 2) << word;
  EXPECT_HAS(rejection("a,b\n1,2\n-999,4\nnone,6\n", options), "'none'");
  options.na = {"none", "-999"};
  EXPECT_EQ(read("a,b\n1,2\n-999,4\nnone,6\n", options).rows(), 1);
}

TEST(Csv, IdentifiersArePointedOut) {
  const auto notes = [](std::string_view text) { return read(text).notes; };
  EXPECT_EQ(notes("id,a\n1,5\n2,3\n3,9\n4,1\n7,2\n"),
            Names{"'id' may be an identifier (whole numbers in ascending order); --exclude id "
                  "leaves it out"});
  EXPECT_TRUE(notes("id,a\n1,5\n2,3\n2,9\n4,1\n7,2\n").empty());
  EXPECT_TRUE(notes("id,a\n1,5\n2,3\n3.5,9\n4,1\n7,2\n").empty());
}

TEST(Csv, LabelsStayWithTheirSamples) {
  ReadOptions options;
  options.labels_column = "kind";
  options.missing = Missing::drop;
  const Table table = read("a,kind,b\n1,x,2\n,y,4\n5,z,6\n", options);
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_EQ(table.labels, (Names{"x", "z"}));
  EXPECT_TRUE(table.notes.size() == 1 && table.notes[0].find("dropped") != std::string::npos);
  EXPECT_EQ(read("kind,a\nx,1\ny,2\n", options).labels, (Names{"x", "y"}));
  EXPECT_EQ(read("a,kind\n1,10\n2,20\n", options).labels, (Names{"10", "20"}));
  options.labels_column = "sort";
  EXPECT_HAS(rejection("a,b\n1,2\n", options), "has no column 'sort' for --labels-column");
}

TEST(Csv, IncludesAndExcludesListsRangesAndPatterns) {
  const auto left = [](const Names& include, const Names& exclude) {
    ReadOptions options;
    options.include = include;
    options.exclude = exclude;
    return read("id,gene1,gene2,gene-3,\"x,y\",sex\n1,2,3,4,5,f\n2,4,6,8,7,m\n", options).variables;
  };
  EXPECT_EQ(left({"gene*"}, {}), (Names{"gene1", "gene2", "gene-3"}));
  EXPECT_EQ(left({"gene?"}, {}), (Names{"gene1", "gene2"}));
  EXPECT_EQ(left({"2-4"}, {"gene-3"}), (Names{"gene1", "gene2"}));
  EXPECT_EQ(left({"2:3,1"}, {}), (Names{"id", "gene1", "gene2"}));
  EXPECT_EQ(left({"gene1:gene-3"}, {}), (Names{"gene1", "gene2", "gene-3"}));
  EXPECT_EQ(left({"x,y", "id"}, {}), (Names{"id", "x,y"}));
  EXPECT_EQ(left({}, {"sex, id", "*2"}), (Names{"gene1", "gene-3", "x,y"}));
  EXPECT_HAS(error_of([&] { left({"gene9"}, {}); }), "has no variable 'gene9' to include");
  EXPECT_HAS(error_of([&] { left({}, {"prot*"}); }), "has no variable 'prot*' to leave out");
  EXPECT_HAS(error_of([&] { left({}, {"0-2"}); }), "has no variable '0-2' to leave out");
  EXPECT_HAS(error_of([&] { left({}, {"3-2"}); }), "ends before it begins");
  EXPECT_HAS(error_of([&] { left({"id"}, {"1"}); }), "no variables are left");
}

TEST(Inspect, SummarizesEveryColumn) {
  const TemporaryDirectory directory;
  const auto path = directory.file(
      "data.csv",
      "name,id,a,kind,b,none\nx,1,1.5,f,2,\ny,2,,m,n.d.,\nz,3,4.5,f,inf,\nu,4,6,f,4,\n"
      "v,5,3,m,5,\n");
  const Inspection found = inspect_table(path);
  using Use = ColumnSummary::Use;
  std::vector<Use> uses;
  for (const ColumnSummary& column : found.columns) uses.push_back(column.use);
  EXPECT_EQ(uses, (std::vector<Use>{Use::sample, Use::variable, Use::variable, Use::text,
                                    Use::variable, Use::empty}));
  EXPECT_TRUE(found.columns[1].identifier);
  EXPECT_EQ(found.columns[2].missing, 1);
  EXPECT_DOUBLE_EQ(found.columns[2].mean, 3.75);
  EXPECT_DOUBLE_EQ(found.columns[2].deviation, std::sqrt((2.25 * 2.25 * 2 + 0.75 * 0.75 * 2) / 3));
  EXPECT_EQ(found.columns[3].example, "f");
  EXPECT_EQ(found.columns[4].rejected, 2);
  EXPECT_EQ(found.columns[4].example, "n.d.");
  EXPECT_EQ(found.columns[5].missing, 5);
  EXPECT_EQ(found.table.variables, (Names{"id", "a", "b"}));
}

TEST(Inspect, SucceedsWhereReadingDoesNot) {
  const TemporaryDirectory directory;
  const auto doubt = directory.file("doubt.csv", "a;b\n1,234;5\n2,345;6\n");
  EXPECT_HAS(inspect_table(doubt).table.notes.front(), "'1,234' may have a decimal comma");
  const auto texts = directory.file("texts.csv", "name,city\nanna,rom\nben,bonn\n");
  EXPECT_EQ(inspect_table(texts).table.cols(), 0);
  EXPECT_EQ(inspect_table(texts).columns.size(), 2U);
}

TEST(Inspect, CountsTheZerosOfASparseTable) {
  const TemporaryDirectory directory;
  const auto path = directory.file(
      "data.mtx", "%%MatrixMarket matrix coordinate real general\n4 2 3\n1 1 2\n3 1 6\n4 2 nan\n");
  const Inspection found = inspect_table(path);
  ASSERT_EQ(found.columns.size(), 2U);
  EXPECT_DOUBLE_EQ(found.columns[0].mean, 2);
  EXPECT_DOUBLE_EQ(found.columns[0].deviation, std::sqrt((4 + 16 + 4) / 3.0));
  EXPECT_EQ(found.columns[1].missing, 1);
  EXPECT_EQ(found.columns[1].mean, 0);
}

}  // namespace
}  // namespace spcart
