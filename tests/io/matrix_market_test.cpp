#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "io/spool/entry_list.hpp"
#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::TemporaryDirectory;

const std::string kBanner = "%%MatrixMarket matrix ";
const std::string kReal = kBanner + "coordinate real general\n";

Table read(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryDirectory directory;
  return read_table(directory.file("data.mtx", text), options);
}

std::string rejection(const std::string& text, const ReadOptions& options = {}) {
  return error_of([&] { read(text, options); });
}

TEST(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const Matrix expected{{0, 1.5, 0}, {-2, 0, 3}};
  EXPECT_EQ(to_matrix(read(kReal + "2 3 3\n1 2 1.5\n2 1 -2\n2 3 3e0\n")), expected);
  EXPECT_EQ(to_matrix(read(kReal + "2 3 3\n2 3 3\n2 1 -2\n1 2 +1.5\n")), expected);
}

TEST(MatrixMarket, CompressesByRowsWithAscendingColumns) {
  const Table table = read(kReal + "3 4 4\n3 4 1\n3 1 2\n1 3 3\n1 2 4\n");
  const auto& view = std::get<SparseView>(table.values);
  EXPECT_EQ(view.major, SparseView::Major::row);
  EXPECT_FALSE(view.wide);
  EXPECT_NE(view.owner, nullptr);
  const auto* outer = static_cast<const std::int32_t*>(view.outer);
  const auto* inner = static_cast<const std::int32_t*>(view.inner);
  EXPECT_EQ(std::vector<std::int32_t>(outer, outer + 4), (std::vector<std::int32_t>{0, 2, 2, 4}));
  EXPECT_EQ(std::vector<std::int32_t>(inner, inner + 4), (std::vector<std::int32_t>{1, 2, 0, 3}));
  EXPECT_EQ(table.variables, (std::vector<std::string>{"x1", "x2", "x3", "x4"}));
}

TEST(MatrixMarket, SumsEntriesGivenTwice) {
  const Table next = read(kReal + "2 2 3\n1 1 1\n1 1 2\n2 2 5\n");
  EXPECT_EQ(to_matrix(next), (Matrix{{3, 0}, {0, 5}}));
  const Table apart = read(kReal + "2 2 4\n1 1 1\n2 2 5\n1 1 2\n2 2 0.5\n");
  EXPECT_EQ(to_matrix(apart), (Matrix{{3, 0}, {0, 5.5}}));
  const auto& view = std::get<SparseView>(apart.values);
  EXPECT_EQ(static_cast<const std::int32_t*>(view.outer)[2], 2);
}

/// Many entries in the order that `less` gives, some of them twice, against a dense sum.
template <class Order>
void expect_many(Order order) {
  struct Entry {
    Index row, col, value;
  };
  std::mt19937 random(7);
  std::vector<Entry> entries;
  constexpr Index kRows = 700, kCols = 90;
  Matrix expected = Matrix::Zero(kRows, kCols);
  for (int k = 0; k < 20000; ++k) {
    entries.push_back({static_cast<Index>(random() % kRows), static_cast<Index>(random() % kCols),
                       static_cast<Index>(random() % 100)});
    expected(entries.back().row, entries.back().col) += static_cast<double>(entries.back().value);
  }
  order(entries);
  std::string text = kBanner + "coordinate integer general\n700 90 20000\n";
  for (const Entry& e : entries) {
    text += std::to_string(e.row + 1) + ' ' + std::to_string(e.col + 1) + ' ' +
            std::to_string(e.value) + '\n';
  }
  EXPECT_EQ(to_matrix(read(text)), expected);
}

TEST(MatrixMarket, ManyEntriesByRowsByColumnsAndInNoOrder) {
  expect_many([](auto&) {});
  expect_many([](auto& all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::pair(a.row, a.col) < std::pair(b.row, b.col);
    });
  });
  expect_many([](auto& all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::pair(a.col, a.row) < std::pair(b.col, b.row);
    });
  });
}

TEST(MatrixMarket, ReadsPatternsIntegersCommentsAndCase) {
  const Matrix expected{{0, 1}, {1, 0}};
  EXPECT_EQ(to_matrix(read(kBanner + "coordinate pattern general\n% note\n2 2 2\n1 2\n2 1\n")),
            expected);
  EXPECT_EQ(to_matrix(read("%%MatrixMarket MATRIX Coordinate INTEGER General\r\n%\r\n\r\n"
                           "  2\t2  2 \r\n%inside\r\n 1 2  1 \r\n\r\n2\t1\t1")),
            expected);
}

TEST(MatrixMarket, MirrorsSymmetricFiles) {
  EXPECT_EQ(to_matrix(read(kBanner + "coordinate real symmetric\n3 3 3\n1 1 4\n2 1 5\n3 2 6\n")),
            (Matrix{{4, 5, 0}, {5, 0, 6}, {0, 6, 0}}));
  EXPECT_EQ(to_matrix(read(kBanner + "coordinate pattern symmetric\n2 2 1\n2 1\n")),
            (Matrix{{0, 1}, {1, 0}}));
  EXPECT_EQ(to_matrix(read(kBanner + "coordinate real skew-symmetric\n2 2 1\n2 1 5\n")),
            (Matrix{{0, -5}, {5, 0}}));
  EXPECT_EQ(to_matrix(read(kBanner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")),
            (Matrix{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}));
  EXPECT_EQ(to_matrix(read(kBanner + "array real skew-symmetric\n3 3\n1\n2\n3\n")),
            (Matrix{{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}));
}

TEST(MatrixMarket, ReadsArraysByColumns) {
  const Table table = read(kBanner + "array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
  EXPECT_EQ(to_matrix(table), (Matrix{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(std::get<DenseView>(table.values).row_stride, 1);
}

TEST(MatrixMarket, KeepsEmptyRowsAndColumns) {
  const Table table = read(kReal + "5 4 1\n3 2 7\n");
  EXPECT_EQ(table.rows(), 5);
  EXPECT_EQ(table.cols(), 4);
  EXPECT_EQ(to_matrix(table).sum(), 7);
  EXPECT_EQ(to_matrix(read(kReal + "2 2 0\n")), Matrix::Zero(2, 2));
}

TEST(MatrixMarket, LeavesOutColumns) {
  ReadOptions options;
  options.exclude = {"x2"};
  EXPECT_EQ(to_matrix(read(kReal + "2 3 4\n1 1 1\n1 2 2\n2 2 3\n2 3 4\n", options)),
            (Matrix{{1, 0}, {0, 4}}));
}

TEST(MatrixMarket, HasWideOffsetsIfNarrowOnesDoNotSuffice) {
  for (const bool ordered : {true, false}) {
    io::EntryList list(3, 4);
    if (ordered) list.add(0, 3, 1);
    list.add(2, 0, 2);
    list.add(2, 1, 3);
    if (!ordered) list.add(0, 3, 1);
    const SparseView view = list.compress(2);
    ASSERT_TRUE(view.wide);
    const auto* outer = static_cast<const std::int64_t*>(view.outer);
    const auto* inner = static_cast<const std::int64_t*>(view.inner);
    const auto* values = static_cast<const double*>(view.values);
    EXPECT_EQ(std::vector<std::int64_t>(outer, outer + 4), (std::vector<std::int64_t>{0, 1, 1, 3}));
    EXPECT_EQ(std::vector<std::int64_t>(inner, inner + 3), (std::vector<std::int64_t>{3, 0, 1}));
    EXPECT_EQ(std::vector<double>(values, values + 3), (std::vector<double>{1, 2, 3}));
  }
}

TEST(MatrixMarket, RejectsBannersThatItDoesNotKnow) {
  EXPECT_HAS(rejection("1 1 1\n"), "data.mtx:1: '1 1 1' is no MatrixMarket banner");
  EXPECT_HAS(rejection("%%MatrixMarket vector coordinate real general\n"), "'vector' is not read");
  EXPECT_HAS(rejection(kBanner + "list real general\n"), "'list' is not read");
  EXPECT_HAS(rejection(kBanner + "coordinate complex general\n"), "'complex' is not read");
  EXPECT_HAS(rejection(kBanner + "array pattern general\n"), "'pattern' is not read");
  EXPECT_HAS(rejection(kBanner + "coordinate real hermitian\n"), "'hermitian' is not read");
}

TEST(MatrixMarket, RejectsSizesThatCannotBe) {
  EXPECT_HAS(rejection(kReal), "ends before the line of sizes");
  EXPECT_HAS(rejection(kReal + "2 2\n1 1 1\n"), "data.mtx:2: '2 2' is no line of sizes");
  EXPECT_HAS(rejection(kReal + "2 2 1 1\n1 1 1\n"), "is no line of sizes");
  EXPECT_HAS(rejection(kReal + "2.5 2 1\n"), "is no line of sizes");
  EXPECT_HAS(rejection(kReal + "-2 2 1\n"), "-2 rows is negative");
  EXPECT_HAS(rejection(kReal + "2 2 -1\n"), "-1 entries is negative");
  EXPECT_HAS(rejection(kReal + "0 2 0\n"), "0 x 2 has no numbers");
  EXPECT_HAS(rejection(kReal + "3000000000 2 1\n1 1 1\n"), "3000000000 rows is too many");
  EXPECT_HAS(rejection(kReal + "2 2 99999999999999999999\n"), "is too many");
  EXPECT_HAS(rejection(kReal + "2000000000 2000000000 5\n1 1 1\n"), "too large for 5 entries");
  EXPECT_HAS(rejection(kBanner + "coordinate real symmetric\n2 3 1\n1 1 1\n"), "not square");
}

TEST(MatrixMarket, RejectsLyingCountsWithoutAllocatingThem) {
  EXPECT_HAS(rejection(kReal + "2 2 3\n1 1 1\n2 2 2\n"), "data.mtx: ends after 2 of 3 entries");
  EXPECT_HAS(rejection(kReal + "2 2 1\n1 1 1\n2 2 2\n"), "data.mtx:4: goes on after its 1 entries");
  EXPECT_HAS(rejection(kReal + "2000000000 2000000000 9000000000000000000\n2000000000 1 1\n"),
             "ends after 1 of 9000000000000000000 entries");
  EXPECT_HAS(rejection(kBanner + "array real general\n2000000000 2000000000\n1\n"),
             "ends after 1 of 4000000000000000000 entries");
  EXPECT_HAS(rejection(kBanner + "array real general\n1 2\n1\n2\n3\n"),
             "goes on after its 2 entries");
}

TEST(MatrixMarket, RejectsEntriesByLine) {
  const std::string sizes = kReal + "% note\n3 3 2\n1 1 1\n";
  EXPECT_HAS(rejection(sizes + "4 1 1\n"), "data.mtx:5: '4 1 1': the row must be 1 to 3");
  EXPECT_HAS(rejection(sizes + "0 1 1\n"), "the row must be 1 to 3");
  EXPECT_HAS(rejection(sizes + "1 -1 1\n"), "the column must be 1 to 3");
  EXPECT_HAS(rejection(sizes + "1 99999999999999999999 1\n"), "the column must be 1 to 3");
  EXPECT_HAS(rejection(sizes + "1.5 1 1\n"), "the row is not a whole number");
  EXPECT_HAS(rejection(sizes + "1 1\n"), "the value is not there");
  EXPECT_HAS(rejection(sizes + "1 1 abc\n"), "the value is not a number");
  EXPECT_HAS(rejection(sizes + "1 1 1 1\n"), "more than an entry");
  EXPECT_HAS(rejection(sizes + "1 1 inf\n"), "the value is infinite");
  EXPECT_HAS(rejection(sizes + "1 1 nan\n"), "data.mtx:5: '1 1 nan': missing value");
  const std::string symmetric = kBanner + "coordinate real symmetric\n3 3 1\n";
  EXPECT_HAS(rejection(symmetric + "1 2 1\n"), "lower triangle");
  const std::string skew = kBanner + "coordinate real skew-symmetric\n3 3 1\n";
  EXPECT_HAS(rejection(skew + "1 1 1\n"), "no diagonal");
}

}  // namespace
}  // namespace spcart
