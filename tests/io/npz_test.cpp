#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "numpy_file.hpp"
#include "spcart/io.hpp"
#include "temporary.hpp"
#include "zip_archive.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::little_endian;
using testing::npy_of;
using testing::TemporaryDirectory;
using testing::zip_of;
using testing::ZipPart;

const Matrix kDense = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
const Matrix kSparse = (Matrix(3, 4) << 0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 4, 0).finished();

std::string array(const std::string& descr, const std::string& shape, const std::string& bytes) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + little_endian(1, 2) + little_endian(header.size(), 2) + header + bytes;
}

template <class T>
std::string list(const std::string& descr, const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return array(descr, "(" + std::to_string(values.size()) + ",)", bytes);
}

/// What SciPy's save_npz writes.
struct SparseParts {
  std::string format = "csr";
  std::vector<std::int64_t> shape = {3, 4};
  std::vector<std::int32_t> indices = {1, 3, 0, 2}, indptr = {0, 2, 2, 4};
  std::vector<double> data = {1, 2, 3, 4};

  std::vector<ZipPart> parts(bool deflated = true) const {
    return {{"indices.npy", list("<i4", indices), deflated},
            {"indptr.npy", list("<i4", indptr), deflated},
            {"format.npy", array("|S3", "()", format), deflated},
            {"shape.npy", list("<i8", shape), deflated},
            {"data.npy", list("<f8", data), deflated}};
  }
};

class Npz : public ::testing::Test {
 protected:
  Table read(const std::string& content, const ReadOptions& options = {},
             const std::string& part = "") const {
    return read_table(directory_.file("a.npz", content).string() + part, options);
  }
  std::string rejection(const std::string& content, const std::string& part = "") const {
    return error_of([&] { read(content, {}, part); });
  }

  TemporaryDirectory directory_;
};

TEST_F(Npz, ReadsTheOnlyArray) {
  for (const bool deflated : {false, true})
    for (const bool large : {false, true})
      for (const bool fortran : {false, true}) {
        const std::string archive =
            zip_of({{"arr_0.npy", npy_of<float>(kDense, "<f4", fortran), deflated}}, large);
        const Table table = read(archive);
        EXPECT_EQ(to_matrix(table), kDense);
        EXPECT_EQ(std::get<DenseView>(table.values).scalar, Scalar::float32);
        EXPECT_EQ(to_matrix(read(archive, {.transpose = true})), kDense.transpose());
        const Table in_file = read(archive, {.storage = Storage::file});
        EXPECT_TRUE(in_file.in_file());
        EXPECT_EQ(to_matrix(in_file), kDense);
      }
}

TEST_F(Npz, OneOfSeveralArraysIsChosenByName) {
  const std::string archive = zip_of({{"x.npy", npy_of<double>(kDense, "<f8"), true},
                                      {"y.npy", npy_of<double>(2 * kDense, "<f8"), false}});
  EXPECT_EQ(to_matrix(read(archive, {}, ":y")), 2 * kDense);
  EXPECT_HAS(rejection(archive), "has 2 arrays: choose one");
  EXPECT_HAS(rejection(archive), "they are 'x', 'y'");
  EXPECT_HAS(rejection(archive, ":z"), "has no array 'z'; it has 'x', 'y'");
}

TEST_F(Npz, IsRecognisedByItsContent) {
  const std::string archive = zip_of({{"arr_0.npy", npy_of<double>(kDense, "<f8"), true}});
  EXPECT_EQ(to_matrix(read_table(directory_.file("table.dat", archive))), kDense);
}

TEST_F(Npz, ReadsSparseMatricesOfSciPy) {
  SparseParts csc{.format = "csc", .indices = {2, 0, 2, 0}, .indptr = {0, 1, 2, 3, 4}};
  csc.data = {3, 1, 4, 2};
  std::vector<ZipPart> coo = SparseParts{.format = "coo"}.parts();
  coo.push_back({"row.npy", list<std::int32_t>("<i4", {2, 0, 0, 2}), true});
  coo.push_back({"col.npy", list<std::int64_t>("<i8", {2, 3, 1, 0}), true});
  coo[4].content = list<float>("<f4", {4, 2, 1, 3});
  for (const std::vector<ZipPart>& parts :
       {SparseParts{}.parts(false), SparseParts{}.parts(true), csc.parts(), coo})
    for (const Storage storage : {Storage::memory, Storage::file})
      for (const bool transpose : {false, true}) {
        const Table table = read(zip_of(parts), {.transpose = transpose, .storage = storage});
        EXPECT_EQ(to_matrix(table), transpose ? Matrix(kSparse.transpose()) : kSparse);
        EXPECT_EQ(table.entries(), 4);
      }
}

TEST_F(Npz, BrokenSparseMatricesAreRejected) {
  const auto rejected = [&](const SparseParts& parts, std::string_view rule) {
    EXPECT_HAS(rejection(zip_of(parts.parts())), rule);
  };
  rejected({.format = "bsr"}, "of format 'bsr'; csr, csc and coo are read");
  rejected({.shape = {3}}, "its shape has 1 dimensions");
  rejected({.shape = {3, -4}}, "its shape is negative");
  rejected({.shape = {3, 3}}, "entry 2 has the column 3; it must be 0 to 2");
  rejected({.shape = {std::int64_t{1} << 40, 4}}, "is too large");
  rejected({.indices = {1, 3, 0}}, "has 3 indices for 4 values");
  rejected({.indptr = {0, 3, 2, 4}}, "offset 3 is 2 after 3");
  rejected({.indptr = {0, 2, 4}}, "has 3 offsets for 3 rows");
  std::vector<ZipPart> parts = SparseParts{}.parts();
  parts[0].content = list<double>("<f8", {1, 3, 0, 2});
  EXPECT_HAS(rejection(zip_of(parts)), "indices are whole numbers");
  parts[0].content = list<std::uint64_t>("<u8", {1, ~std::uint64_t{0}, 0, 2});
  EXPECT_HAS(rejection(zip_of(parts)), "entry 2 has the column -1");
  parts.erase(parts.begin());
  EXPECT_HAS(rejection(zip_of(parts)), "has no array 'indices'");
}

TEST_F(Npz, BrokenArchivesAreRejected) {
  for (const bool deflated : {false, true}) {
    const std::string whole =
        zip_of({{"arr_0.npy", npy_of<double>(Matrix::Random(20, 5), "<f8"), deflated}}, deflated);
    for (std::size_t size = 4; size < whole.size(); size += 7)
      EXPECT_FALSE(rejection(whole.substr(0, size)).empty()) << size;
    std::string damaged = whole;
    damaged[whole.size() / 3] = static_cast<char>(damaged[whole.size() / 3] ^ 1);
    EXPECT_FALSE(rejection(damaged).empty());
    std::mt19937 random(3);
    for (int repeat = 0; repeat < 300; ++repeat) {
      const std::string changed = testing::mutated(whole, random);
      try {
        read(changed);
      } catch (const Error& error) {
        EXPECT_HAS(error.what(), "a.npz");
      }
    }
  }
  EXPECT_HAS(rejection("PK\x05\x06" + std::string(18, '\0')), "has no arrays");
  const std::string packed = testing::gzipped(zip_of(SparseParts{}.parts()));
  EXPECT_HAS(error_of([&] { read_table(directory_.file("b.npz.gz", packed)); }),
             "must be a plain file");
}

}  // namespace
}  // namespace spcart
