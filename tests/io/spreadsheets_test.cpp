#include <gtest/gtest.h>

#include <string>

#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::TemporaryDirectory;

/// A table as a spreadsheet exports it. Every one of them has the same numbers.
struct Export {
  std::string name, text;
};

std::string utf16(std::string_view ascii, bool big_endian) {
  std::string bytes = big_endian ? "\xfe\xff" : "\xff\xfe";
  for (const char c : ascii) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

std::vector<Export> exports() {
  return {
      {"LibreOffice, English",
       "Date,Group,Height,Income,Change\n01/10/2024,A,172.8,1602.27,-1.684\n"
       "02/11/2024,B,169.8,1249.49,1.258\n03/12/2024,A,153.8,828.35,2.179\n"},
      {"LibreOffice, German",
       "Date;Group;Height;Income;Change\n10.01.2024;A;172,8;1602,27;-1,684\n"
       "11.02.2024;B;169,8;1249,49;1,258\n12.03.2024;A;153,8;828,35;2,179\n"},
      {"LibreOffice, German, Switzerland",
       "Date;Group;Height;Income;Change\n10.01.2024;A;172.8;1602.27;-1.684\n"
       "11.02.2024;B;169.8;1249.49;1.258\n12.03.2024;A;153.8;828.35;2.179\n"},
      {"LibreOffice, French, shown as formatted",
       "Date;Group;Height;Income;Change\n10/01/2024;A;172,8;1\xe2\x80\xaf"
       "602,27;-1,684\n11/02/2024;B;169,8;1\xe2\x80\xaf"
       "249,49;1,258\n12/03/2024;A;153,8;828,35;2,179\n"},
      {"LibreOffice, Swedish, tabs and units",
       "Date\tGroup\tHeight\tIncome\tChange\n\t\tcm\tSEK\t%\n2024-01-10\tA\t172,8\t1602,27\t-1,"
       "684\n"
       "2024-02-11\tB\t169,8\t1249,49\t1,258\n2024-03-12\tA\t153,8\t828,35\t2,179\n"},
      {"LibreOffice, Spanish, UTF-16 and units",
       utf16("Date;Group;Height;Income;Change\n;;cm;EUR;%\n10/01/2024;A;172,8;1602,27;-1,684\n"
             "11/02/2024;B;169,8;1249,49;1,258\n12/03/2024;A;153,8;828,35;2,179\n",
             false)},
      {"LibreOffice, Polish, all text quoted",
       "\"Date\";\"Group\";\"Height\";\"Income\";\"Change\"\n\"10.01.2024\";\"A\";172,8;1602,27;"
       "-1,684\n\"11.02.2024\";\"B\";169,8;1249,49;1,258\n\"12.03.2024\";\"A\";153,8;828,35;2,179"
       "\n"},
      {"Excel, German, with thousands signs and a byte order mark",
       "\xef\xbb\xbf"
       "Datum;Gruppe;H\xc3\xb6he;Einkommen;\xc3\x84nderung\r\n10.01.2024;A;172,8;1.602,27;-1,"
       "684\r\n"
       "11.02.2024;B;169,8;1.249,49;1,258\r\n12.03.2024;A;153,8;828,35;2,179\r\n"},
      {"Excel, German, Windows-1252",
       "Datum;Gruppe;H\xf6he;Einkommen in \x80;\xc4nderung\r\n10.01.2024;A;172,8;1602,27;-1,684\r\n"
       "11.02.2024;B;169,8;1249,49;1,258\r\n12.03.2024;A;153,8;828,35;2,179\r\n"},
      {"Excel with its separator in the first line",
       "sep=;\r\nDate;Group;Height;Income;Change\r\n10/01/2024;A;172,8;1602,27;-1,684\r\n"
       "11/02/2024;B;169,8;1249,49;1,258\r\n12/03/2024;A;153,8;828,35;2,179\r\n"},
      {"Excel, English, with thousands signs",
       "Date,Group,Height,Income,Change\r\n1/10/2024,A,172.8,\"1,602.27\",-1.684\r\n"
       "2/11/2024,B,169.8,\"1,249.49\",1.258\r\n3/12/2024,A,153.8,828.35,2.179\r\n"},
      {"Excel, French, no-break blanks in Windows-1252",
       "Date;Groupe;Taille;Revenu;\xc9"
       "cart\r\n10/01/2024;A;172,8;1\xa0"
       "602,27;-1,684\r\n"
       "11/02/2024;B;169,8;1\xa0"
       "249,49;1,258\r\n12/03/2024;A;153,8;828,35;2,179\r\n"},
      {"Excel, Switzerland, apostrophes",
       "Datum;Gruppe;Gr\xf6sse;Einkommen;Wechsel\r\n10.01.2024;A;172.8;1'602.27;-1.684\r\n"
       "11.02.2024;B;169.8;1'249.49;1.258\r\n12.03.2024;A;153.8;828.35;2.179\r\n"},
      {"Excel, Unicode text",
       utf16("Date\tGroup\tHeight\tIncome\tChange\r\n10/01/2024\tA\t172,8\t1602,27\t-1,684\r\n"
             "11/02/2024\tB\t169,8\t1249,49\t1,258\r\n12/03/2024\tA\t153,8\t828,35\t2,179\r\n",
             true)},
      {"Excel with empty columns and lines",
       "Date;Group;Height;Income;Change;;\r\n10/01/2024;A;172,8;1602,27;-1,684;;\r\n"
       "11/02/2024;B;169,8;1249,49;1,258;;\r\n12/03/2024;A;153,8;828,35;2,179;;\r\n;;;;;;\r\n"
       ";;;;;;\r\n"}};
}

TEST(Spreadsheets, AreReadWithoutAnOption) {
  const TemporaryDirectory directory;
  const Matrix expected{{172.8, 1602.27, -1.684}, {169.8, 1249.49, 1.258}, {153.8, 828.35, 2.179}};
  const std::vector<Export> all = exports();
  EXPECT_GE(all.size(), 15U);
  for (const Export& one : all) {
    SCOPED_TRACE(one.name);
    const Table table = read_table(directory.file("export.csv", one.text));
    EXPECT_EQ(to_matrix(table), expected);
    EXPECT_EQ(table.samples.size(), 3U);  // the dates
    EXPECT_EQ(table.variables.size(), 3U);
  }
}

/// Those that are rejected name the one option that helps.
TEST(Spreadsheets, MissingCellsNeedOneOption) {
  const TemporaryDirectory directory;
  for (const std::string cell : {"", "#N/A", "#DIV/0!", "#NV", "n/a", "-"}) {
    const auto path = directory.file("export.csv", "a;b;c\n1,5;x;2\n" + cell + ";y;3\n2,5;z;4\n");
    EXPECT_HAS(error_of([&] { read_table(path); }), "--missing drop");
    EXPECT_EQ(read_table(path, {.missing = Missing::drop}).rows(), 2);
  }
}

}  // namespace
}  // namespace spcart
