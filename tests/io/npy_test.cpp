#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::little_endian;
using testing::TemporaryDirectory;

/// An NPY file of any version around any header and any bytes.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  const std::string header = dictionary + "  \n";
  return "\x93NUMPY" + little_endian(static_cast<std::uint64_t>(version), 2) +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

Table read(const std::string& content, const ReadOptions& options = {}) {
  const TemporaryDirectory directory;
  return read_table(directory.file("data.npy", content), options);
}

std::string rejection(const std::string& content, const ReadOptions& options = {}) {
  return error_of([&] { read(content, options); });
}

const Matrix kExpected = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();

template <class T>
void expect_type(const std::string& descr, Scalar kept) {
  const std::vector<T> values{1, 2, 3, 4, 5, 6};
  const Table table = read(npy(dictionary(descr, "(2, 3)"), bytes(values)));
  EXPECT_EQ(to_matrix(table), kExpected) << descr;
  EXPECT_EQ(std::get<DenseView>(table.values).scalar, kept) << descr;
}

TEST(Npy, KeepsTheTypesThatTheLibraryStores) {
  expect_type<std::uint8_t>("|u1", Scalar::uint8);
  expect_type<std::int32_t>("<i4", Scalar::int32);
  expect_type<float>("<f4", Scalar::float32);
  expect_type<double>("<f8", Scalar::float64);
}

TEST(Npy, WidensOtherNumbers) {
  expect_type<std::int8_t>("|i1", Scalar::int32);
  expect_type<std::int16_t>("<i2", Scalar::int32);
  expect_type<std::uint16_t>("<u2", Scalar::int32);
  expect_type<std::uint32_t>("<u4", Scalar::float64);
  expect_type<std::int64_t>("<i8", Scalar::float64);
  expect_type<std::uint64_t>("<u8", Scalar::float64);
}

TEST(Npy, WidensSignsAndTruth) {
  const Table small = read(npy(dictionary("|i1", "(1, 2)"), bytes<std::int8_t>({-128, 127})));
  EXPECT_EQ(to_matrix(small), Matrix({{-128, 127}}));
  const Table large = read(npy(dictionary("<u4", "(1, 2)"), bytes<std::uint32_t>({0, 4294967295})));
  EXPECT_EQ(to_matrix(large), Matrix({{0, 4294967295.0}}));
  const Table truth = read(npy(dictionary("|b1", "(2, 2)"), std::string("\1\0\0\1", 4)));
  EXPECT_EQ(to_matrix(truth), Matrix({{1, 0}, {0, 1}}));
  EXPECT_EQ(std::get<DenseView>(truth.values).scalar, Scalar::uint8);
}

TEST(Npy, ReadsFortranOrderInPlace) {
  const Table table =
      read(npy(dictionary("<f8", "(2, 3)", "True"), bytes<double>({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(to_matrix(table), kExpected);
  EXPECT_EQ(std::get<DenseView>(table.values).row_stride, 1);
  EXPECT_EQ(std::get<DenseView>(table.values).col_stride, 2);
}

TEST(Npy, ReadsEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const auto values = bytes<double>({1, 2, 3, 4, 5, 6});
    EXPECT_EQ(to_matrix(read(npy(dictionary("<f8", "(2, 3)"), values, version))), kExpected);
  }
  EXPECT_HAS(rejection(npy(dictionary("<f8", "(1, 1)"), bytes<double>({1}), 4)), "version 4.0");
}

TEST(Npy, WidensLargeArraysInSteps) {
  std::vector<std::int64_t> values(3000000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  const Table table = read(npy(dictionary("<i8", "(3000, 1000)"), bytes(values)));
  const Matrix matrix = to_matrix(table);
  EXPECT_EQ(matrix(2999, 999), 2999999);
  EXPECT_EQ(matrix(1500, 7), 1500007);
}

TEST(Npy, NamesVariablesByNumberAndLeavesThemOut) {
  ReadOptions options;
  options.exclude = {"x2"};
  for (const std::string fortran : {"False", "True"}) {
    const auto values =
        fortran == "True" ? bytes<float>({1, 4, 2, 5, 3, 6}) : bytes<float>({1, 2, 3, 4, 5, 6});
    const Table table = read(npy(dictionary("<f4", "(2, 3)", fortran), values), options);
    EXPECT_EQ(table.variables, (std::vector<std::string>{"x1", "x3"}));
    EXPECT_EQ(to_matrix(table), Matrix({{1, 3}, {4, 6}}));
  }
  options.exclude = {"x4"};
  EXPECT_HAS(rejection(npy(dictionary("<f4", "(1, 1)"), bytes<float>({1})), options), "'x4'");
}

TEST(Npy, RejectsTypesThatAreNoPlainLittleEndianNumbers) {
  const auto rejected = [](const std::string& descr) {
    return rejection(npy(dictionary(descr, "(1, 1)"), std::string(16, '\0')));
  };
  EXPECT_HAS(rejected(">f8"), "data.npy: has the big-endian type '>f8'");
  EXPECT_HAS(rejected("|O"), "'|O': Python objects are not read");
  for (const std::string descr : {"<f2", "<c16", "<U8", "|S5", "<M8[ns]", "", "<f8\x01"})
    EXPECT_HAS(rejected(descr), "has the type '");
  EXPECT_HAS(rejection(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1), }",
                           std::string(8, '\0'))),
             "structured type [('a', '<f8')]");
}

TEST(Npy, RejectsShapesBeforeItAllocates) {
  const auto rejected = [](const std::string& shape) {
    return rejection(npy(dictionary("<f8", shape), std::string(48, '\0')));
  };
  EXPECT_HAS(rejected("(6,)"), "shape (6,) has 1 dimension");
  EXPECT_HAS(rejected("()"), "shape () has 0 dimensions");
  EXPECT_HAS(rejected("(1, 2, 3)"), "shape (1, 2, 3) has 3 dimensions");
  EXPECT_HAS(rejected("(-2, 3)"), "(-2, 3) is negative");
  EXPECT_HAS(rejected("(0, 3)"), "(0, 3) has no numbers");
  EXPECT_HAS(rejected("(4000000000, 4000000000)"), "too large");
  EXPECT_HAS(rejected("(4294967296, 4294967296)"), "too large");
  EXPECT_HAS(rejected("(99999999999999999999999, 2)"), "too large");
  EXPECT_HAS(rejected("(1000000, 1000000)"), "needs 8000000000000 bytes, but 48 follow the header");
  EXPECT_HAS(rejected("(2, 2)"), "needs 32 bytes, but 48 follow the header");
}

TEST(Npy, RejectsLyingShapesInGzip) {
  const TemporaryDirectory directory;
  const auto rejected = [&](const std::string& shape) {
    const std::string content = npy(dictionary("<f8", shape), std::string(48, '\0'));
    const auto path = directory.file("data.npy.gz", testing::gzipped(content));
    return error_of([&] { read_table(path); });
  };
  EXPECT_HAS(rejected("(1000000, 1000000)"), "ends after 6 of 1000000000000 numbers");
  EXPECT_HAS(rejected("(2, 2)"), "goes on after its 4 numbers");
}

TEST(Npy, RejectsBrokenHeaders) {
  const std::string good = npy(dictionary("<f8", "(1, 1)"), bytes<double>({1}));
  EXPECT_HAS(rejection("hello"), "is not an NPY file");
  for (const std::size_t length : {7U, 9U, 30U})
    EXPECT_HAS(rejection(good.substr(0, length)), "ends within its NPY header");
  const std::string data(8, '\0');
  for (const std::string text :
       {"", "{", "{}", "{'descr': '<f8'}", "junk", "{'descr': '<f8', 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} tail",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (1, 1)}"})
    EXPECT_HAS(rejection(npy(text, data)), "broken NPY header") << text;
  EXPECT_HAS(rejection("\x93NUMPY" + little_endian(2, 2) + little_endian(0xffffffff, 4)),
             "too long");
}

TEST(Npy, RejectsNanAndInfinityByPosition) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_HAS(rejection(npy(dictionary("<f8", "(2, 2)"), bytes<double>({1, 2, 3, kNan}))),
             "data.npy: row 2, column 2 ('x2') is missing (NaN)");
  for (const Missing missing : {Missing::error, Missing::drop, Missing::mean}) {
    ReadOptions options;
    options.missing = missing;
    EXPECT_HAS(
        rejection(npy(dictionary("<f8", "(2, 2)"), bytes<double>({1, 2, kInfinity, 4})), options),
        "row 2, column 1 ('x1') is infinite");
  }
}

}  // namespace
}  // namespace spcart
