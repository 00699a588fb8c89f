#include "hdf5_fixture.hpp"

namespace spcart {
namespace {

using testing::counts;
using testing::Hdf5;
using testing::Hdf5Writer;
using testing::kBarcodes;
using testing::kCells;
using testing::kGenes;
using testing::write_frame;
using testing::write_sparse;

TEST_F(Hdf5, WhatIsNoMatrixIsRejectedWithTheChoices) {
  {
    Hdf5Writer writer(path("a.h5"));
    writer.list("/list", std::vector<double>{1, 2, 3});
    writer.texts("/texts", kGenes);
    writer.matrix<double>("/one", kCells);
    writer.matrix<double>("/two", kCells);
    const double value = 1;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t scalar = H5Dcreate2(writer.file(), "/scalar", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(scalar, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    H5Dclose(scalar);
    H5Sclose(space);
  }
  constexpr std::string_view kChoices = "; the matrices of the file are /one, /two";
  EXPECT_HAS(rejection("a.h5"), "has several matrices");
  for (const auto& [part, rule] : std::vector<std::pair<std::string, std::string>>{
           {"list", "'list' has 1 dimension; a table has 2"},
           {"scalar", "'scalar' is a single value"},
           {"texts", "'texts' does not hold numbers"},
           {"none", "'none' is not in the file"}}) {
    EXPECT_HAS(rejection("a.h5:" + part), rule);
    EXPECT_HAS(rejection("a.h5:" + part), kChoices);
  }
  { Hdf5Writer(path("b.h5")).list("/list", std::vector<double>{1, 2, 3}); }
  EXPECT_HAS(rejection("b.h5"), "has no matrix");
  EXPECT_HAS(rejection("b.h5:list"), "the file has no matrix");
}

TEST_F(Hdf5, LinksIntoOtherFilesAndCirclesAreNotFollowed) {
  { Hdf5Writer(path("other.h5")).matrix<double>("/x", kCells); }
  {
    Hdf5Writer writer(path("a.h5"));
    H5Lcreate_external("other.h5", "/x", writer.file(), "outside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/b", writer.file(), "a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/a", writer.file(), "b", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/outside", writer.file(), "indirect", H5P_DEFAULT, H5P_DEFAULT);
    writer.group("/g");
    H5Lcreate_hard(writer.file(), "/", writer.file(), "/g/root", H5P_DEFAULT, H5P_DEFAULT);
  }
  for (const char* part : {"outside", "indirect", "a", "b", "g/root/g/root/a"})
    EXPECT_HAS(rejection(std::string("a.h5:") + part), "is not in the file") << part;
  EXPECT_HAS(rejection("a.h5"), "has no matrix");
  {
    Hdf5Writer writer(path("raw.h5"));
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, (directory_ / "other.h5").c_str(), 0, 160);
    const std::vector<hsize_t> shape = {5, 4};
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
    H5Dclose(H5Dcreate2(writer.file(), "/x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation,
                        H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(creation);
  }
  EXPECT_HAS(rejection("raw.h5:x"), "has its numbers in other files");
}

/// A sparse X whose lists are as given.
struct BrokenSparse {
  std::vector<double> data = {1, 2, 3};
  std::vector<std::int64_t> indices = {0, 1, 0}, indptr = {0, 2, 3}, shape = {2, 2};
  std::string format = "csr_matrix";
};

TEST_F(Hdf5, BrokenSparseMatricesAreRejected) {
  const auto rejected = [&](const BrokenSparse& broken, std::string_view rule) {
    {
      Hdf5Writer writer(path());
      writer.list("/X/data", broken.data);
      writer.list("/X/indices", broken.indices);
      writer.list("/X/indptr", broken.indptr);
      writer.attribute("/X", "encoding-type", broken.format);
      writer.numbers("/X", "shape", broken.shape);
      writer.group("/obs");
      writer.group("/var");
    }
    const std::string message = rejection();
    EXPECT_HAS(message, rule);
    EXPECT_HAS(message, "a.h5ad");
  };
  rejected({.indices = {0, 2, 0}}, "entry 2 has the column 2; it must be 0 to 1");
  rejected({.indices = {0, -1, 0}}, "entry 2 has the column -1");
  rejected({.indices = {0, 1}}, "has 2 indices for 3 values");
  rejected({.indptr = {0, 3}}, "has 2 offsets for 2 rows");
  rejected({.indptr = {1, 2, 3}}, "its offsets begin with 1");
  rejected({.indptr = {0, 2, 1}}, "offset 3 is 1 after 2");
  rejected({.indptr = {0, 1, 2}}, "its last offset is 2, but there are 3 entries");
  rejected({.indptr = {0, 1, 9}}, "offset 3 is 9 after 1");
  rejected({.indptr = {0, 3, 3}}, "row 1 has 3 entries for 2 columns");
  rejected({.shape = {2}}, "has no shape of two numbers");
  rejected({.shape = {2, -2}}, "has no shape of two numbers");
  rejected({.shape = {2, 0}}, "2 x 0 has no numbers");
  rejected({.shape = {2, std::int64_t{1} << 40}}, "is too large");
  rejected({.shape = {2, 2000000000}}, "is too large for 3 entries");
  rejected({.format = "coo_matrix"}, "csr and csc are read");
  rejected({.shape = {1, 2}, .format = "csc_matrix"}, "entry 2 has the row 1");
}

TEST_F(Hdf5, UnorderedAndRepeatedEntriesAreSummed) {
  for (const char* format : {"csr_matrix", "csc_matrix"}) {
    {
      Hdf5Writer writer(path());
      writer.list("/X/data", std::vector<double>{1, 2, 4, 8});
      writer.list("/X/indices", std::vector<std::int64_t>{2, 0, 2, 1});
      writer.list("/X/indptr", std::vector<std::int64_t>{0, 3, 3, 4});
      writer.attribute("/X", "encoding-type", format);
      writer.numbers("/X", "shape", {3, 3});
      writer.group("/obs");
      writer.group("/var");
    }
    const Matrix by_rows = (Matrix(3, 3) << 2, 0, 5, 0, 0, 0, 0, 8, 0).finished();
    const Matrix expected = format[2] == 'r' ? by_rows : Matrix(by_rows.transpose());
    for (const Storage storage : {Storage::memory, Storage::file})
      EXPECT_EQ(to_matrix(read("a.h5ad", {.storage = storage})), expected) << format;
  }
}

TEST_F(Hdf5, NamesThatDoNotFitAreRejected) {
  {
    Hdf5Writer writer(path());
    write_sparse(writer, "/X", kCells, false);
    write_frame(writer, "/obs", kBarcodes);
    write_frame(writer, "/var", {"one", "two"});
  }
  EXPECT_HAS(rejection(), "'/var/index' has 2 names for 4");
}

TEST_F(Hdf5, DeclaredSizesAreNotBelieved) {
  const std::vector<hsize_t> huge = {hsize_t{1} << 31, hsize_t{1} << 20};
  { Hdf5Writer(path("a.h5")).write("/x", H5T_NATIVE_DOUBLE, huge, {{1, 1024}}, nullptr); }
  EXPECT_HAS(rejection("a.h5"), "but the file holds only 0 bytes of it");
  {
    Hdf5Writer writer(path());
    const std::vector<hsize_t> entries = {hsize_t{1} << 40};
    writer.write("/X/data", H5T_NATIVE_FLOAT, entries, {{1024}}, nullptr);
    writer.write("/X/indices", H5T_NATIVE_INT32, entries, {{1024}}, nullptr);
    writer.list("/X/indptr", std::vector<std::int64_t>{0, std::int64_t{1} << 40});
    writer.attribute("/X", "encoding-type", "csr_matrix");
    writer.numbers("/X", "shape", {1, 2000000000});
    writer.group("/obs");
    writer.group("/var");
  }
  EXPECT_HAS(rejection(), "but the file holds only 0 bytes of it");
}

TEST_F(Hdf5, DamagedFilesAreRejected) {
  write_anndata(false, {{8}, true});
  const std::string whole = testing::content_of(path());
  for (std::size_t size = 1; size < whole.size(); size += whole.size() / 40) {
    directory_.file("cut.h5ad", whole.substr(0, size));
    EXPECT_FALSE(rejection("cut.h5ad").empty());
  }
  directory_.file("text.h5ad", "1,2\n3,4\n");
  EXPECT_HAS(rejection("text.h5ad"), "cannot be read as HDF5");
  directory_.file("packed.h5ad.gz", testing::gzipped(whole.substr(0, 60000)));
  EXPECT_HAS(rejection("packed.h5ad.gz"), "unpack it first");
}

/// Texts of any length are on heaps, which some versions of libhdf5 read without checking.
TEST_F(Hdf5, ChangedHeapsAreReadOrRejected) {
  write_anndata(false);
  const std::string whole = testing::content_of(path());
  const std::size_t heap = whole.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  int rejected = 0;
  for (std::size_t at = heap + 4; at < heap + 200; at += 2) {
    std::string changed = whole;
    changed[at] = '\xf0';
    changed[at + 1] = '\x7f';
    directory_.file("changed.h5ad", changed);
    try {
      EXPECT_EQ(read("changed.h5ad").cols(), 4);
    } catch (const Error& error) {
      EXPECT_HAS(error.what(), "changed.h5ad");
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 0);
}

TEST_F(Hdf5, ChangedNumbersAreReadOrRejected) {
  const Matrix large = counts(60, 50, 8);
  {
    Hdf5Writer writer(path("a.h5"));
    write_sparse(writer, "/m", large, false, {{500}, true});
  }
  const std::string whole = testing::content_of(path("a.h5"));
  std::mt19937 random(7);
  int rejected = 0;
  for (const char* list : {"/m/data", "/m/indices", "/m/indptr"}) {
    haddr_t first = 0;
    hsize_t size = 0;
    {
      const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      const hid_t dataset = H5Dopen2(file, list, H5P_DEFAULT);
      const hid_t space = H5Dget_space(dataset);
      H5Dget_chunk_info(dataset, space, 0, nullptr, nullptr, &first, &size);
      H5Sclose(space);
      H5Dclose(dataset);
      H5Fclose(file);
    }
    ASSERT_GT(size, 20U);
    for (int repeat = 0; repeat < 60; ++repeat) {
      std::string changed = whole;
      changed[first + random() % size] = static_cast<char>(random());
      directory_.file("changed.h5", changed);
      try {
        EXPECT_EQ(read("changed.h5").cols(), 50);
      } catch (const Error& error) {
        EXPECT_HAS(error.what(), "changed.h5");
        ++rejected;
      }
    }
  }
  EXPECT_GT(rejected, 100);
}

}  // namespace
}  // namespace spcart
