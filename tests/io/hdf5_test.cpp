#include <gtest/gtest.h>

#include <random>

#include "hdf5_writer.hpp"
#include "spcart/io.hpp"
#include "spcart/memory.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;
using testing::Chunks;
using testing::CompressedLists;
using testing::error_of;
using testing::Hdf5Writer;
using testing::TemporaryDirectory;

/// Counts as single cells have them: mostly zeros.
Matrix counts(Index rows, Index cols, unsigned seed = 1) {
  std::mt19937 random(seed);
  Matrix m = Matrix::Zero(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (random() % 3 == 0) m(i, j) = static_cast<double>(1 + random() % 9);
  return m;
}

const Matrix kCells = counts(5, 4);
const std::vector<std::string> kGenes = {"CD3", "CD4", "MS4A1", "NKG7"};
const std::vector<std::string> kBarcodes = {"AAA-1", "AAC-1", "AAG-1", "AAT-1", "ACA-1"};

void write_sparse(Hdf5Writer& writer, const std::string& group, const Matrix& m, bool by_column,
                  const Chunks& chunks = {}) {
  const CompressedLists lists(m, by_column);
  writer.list(group + "/data", std::vector<float>(lists.data.begin(), lists.data.end()), chunks);
  writer.list(group + "/indices", lists.indices, chunks);
  writer.list(group + "/indptr", lists.indptr, chunks);
  writer.attribute(group, "encoding-type", by_column ? "csc_matrix" : "csr_matrix");
  writer.numbers(group, "shape", {m.rows(), m.cols()});
}

void write_frame(Hdf5Writer& writer, const std::string& group,
                 const std::vector<std::string>& names) {
  writer.texts(group + "/index", names);
  writer.attribute(group, "_index", "index");
}

class Hdf5 : public ::testing::Test {
 protected:
  fs::path path(std::string_view name = "a.h5ad") const { return directory_ / name; }

  Table read(std::string_view name = "a.h5ad", const ReadOptions& options = {}) const {
    return read_table(path(name), options);
  }
  std::string rejection(std::string_view name = "a.h5ad", const ReadOptions& options = {}) const {
    return error_of([&] { read(name, options); });
  }

  void expect_cells(const Table& table, const Matrix& expected = kCells) const {
    EXPECT_EQ(to_matrix(table), expected);
    EXPECT_EQ(table.variables, kGenes);
    EXPECT_EQ(table.samples, kBarcodes);
  }

  /// An AnnData file whose X is sparse.
  void write_anndata(bool by_column, const Chunks& chunks = {}) const {
    Hdf5Writer writer(path());
    write_sparse(writer, "/X", kCells, by_column, chunks);
    write_frame(writer, "/obs", kBarcodes);
    write_frame(writer, "/var", kGenes);
  }

  TemporaryDirectory directory_;
};

TEST_F(Hdf5, ReadsSparseAnnDataByRowsAndByColumns) {
  for (const bool by_column : {false, true})
    for (const Chunks& chunks : {Chunks{}, Chunks{{3}, true}, Chunks{{100}, true}}) {
      write_anndata(by_column, chunks);
      const Table table = read();
      expect_cells(table);
      EXPECT_TRUE(std::holds_alternative<SparseView>(table.values));
      const Table in_file = read("a.h5ad", {.storage = Storage::file});
      expect_cells(in_file);
      EXPECT_TRUE(in_file.in_file());
      EXPECT_TRUE(std::get<FileView>(in_file.values).sparse);
    }
}

TEST_F(Hdf5, TransposesOnRequest) {
  for (const bool by_column : {false, true})
    for (const Storage storage : {Storage::memory, Storage::file}) {
      write_anndata(by_column);
      const Table table = read("a.h5ad", {.transpose = true, .storage = storage});
      EXPECT_EQ(to_matrix(table), kCells.transpose());
      EXPECT_EQ(table.variables, kBarcodes);
      EXPECT_EQ(table.samples, kGenes);
    }
}

TEST_F(Hdf5, ReadsDenseAnnDataLayersAndRaw) {
  const Matrix raw = counts(5, 6, 2);
  const std::vector<std::string> raw_genes = {"a", "b", "c", "d", "e", "f"};
  {
    Hdf5Writer writer(path());
    writer.matrix<float>("/X", kCells, {{2, 3}, true});
    writer.matrix<double>("/layers/scaled", 0.5 * kCells);
    write_sparse(writer, "/layers/counts", 2 * kCells, false);
    write_sparse(writer, "/raw/X", raw, false);
    write_frame(writer, "/raw/var", raw_genes);
    write_frame(writer, "/obs", kBarcodes);
    write_frame(writer, "/var", kGenes);
    writer.matrix<double>("/obsm/X_pca", kCells.leftCols(2));
  }
  const Table x = read();
  expect_cells(x);
  EXPECT_EQ(std::get<DenseView>(x.values).scalar, Scalar::float32);
  expect_cells(read("a.h5ad:layers/scaled"), 0.5 * kCells);
  expect_cells(read("a.h5ad:layers/counts"), 2 * kCells);
  expect_cells(read("a.h5ad:/X"));
  for (const char* name : {"a.h5ad:raw", "a.h5ad:raw/X", "a.h5ad:/raw/"}) {
    const Table table = read(name);
    EXPECT_EQ(to_matrix(table), raw) << name;
    EXPECT_EQ(table.variables, raw_genes);
    EXPECT_EQ(table.samples, kBarcodes);
  }
  const Table pca = read("a.h5ad:obsm/X_pca");
  EXPECT_EQ(to_matrix(pca), kCells.leftCols(2));
  EXPECT_EQ(pca.samples, kBarcodes);
  EXPECT_EQ(pca.variables, default_names(2));
  EXPECT_HAS(rejection("a.h5ad:layers/none"),
             "'layers/none' is not in the file; the matrices of the file are /X, ");
  EXPECT_HAS(rejection("a.h5ad:layers"), "'layers' is a group, not a matrix");
  EXPECT_HAS(rejection("a.h5ad:obs/index"), "does not hold numbers");
}

TEST_F(Hdf5, ReadsAnnDataOfOldVersions) {
  {
    Hdf5Writer writer(path());
    const CompressedLists lists(kCells, false);
    writer.list("/X/data", lists.data);
    writer.list("/X/indices", lists.indices);
    writer.list("/X/indptr", lists.indptr);
    writer.attribute("/X", "h5sparse_format", "csr");
    writer.numbers("/X", "h5sparse_shape", {5, 4});
    struct Row {
      char index[8];
      double size;
    };
    const auto frame = [&](const std::string& name, const std::vector<std::string>& names) {
      const hid_t text = H5Tcopy(H5T_C_S1), type = H5Tcreate(H5T_COMPOUND, sizeof(Row));
      H5Tset_size(text, sizeof(Row::index));
      H5Tinsert(type, "index", HOFFSET(Row, index), text);
      H5Tinsert(type, "size", HOFFSET(Row, size), H5T_NATIVE_DOUBLE);
      std::vector<Row> rows(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) names[i].copy(rows[i].index, 7);
      writer.write(name, type, {rows.size()}, {}, rows.data());
      H5Tclose(text);
      H5Tclose(type);
    };
    frame("/obs", kBarcodes);
    frame("/var", kGenes);
  }
  expect_cells(read());
  EXPECT_HAS(rejection("a.h5ad:obs"), "does not hold numbers");
}

/// Genes x cells by columns, of either version.
void write_10x(Hdf5Writer& writer, const std::string& group, bool third) {
  const CompressedLists lists(kCells.transpose(), true);
  writer.list(group + "/data", std::vector<std::int32_t>(lists.data.begin(), lists.data.end()),
              {{4}, true});
  writer.list(group + "/indices", lists.indices, {{4}, true});
  writer.list(group + "/indptr", lists.indptr);
  writer.list(group + "/shape", std::vector<std::int32_t>{4, 5});
  writer.texts(group + "/barcodes", kBarcodes, 18);
  const std::vector<std::string> ids = {"E1", "E2", "E3", "E4"};
  writer.texts(group + (third ? "/features/id" : "/genes"), ids, 16);
  writer.texts(group + (third ? "/features/name" : "/gene_names"), kGenes, 16);
}

TEST_F(Hdf5, Reads10xOfBothVersions) {
  const auto write = [&](std::string_view name, const std::string& group, bool third) {
    Hdf5Writer writer(path(name));
    write_10x(writer, group, third);
  };
  write("v3.h5", "/matrix", true);
  write("v2.h5", "/GRCh38", false);
  for (const char* name : {"v3.h5", "v3.h5:matrix", "v2.h5", "v2.h5:GRCh38"}) {
    expect_cells(read(name));
    expect_cells(read(name, {.storage = Storage::file}));
  }
  EXPECT_EQ(to_matrix(read("v3.h5", {.transpose = true})), kCells.transpose());
  {
    Hdf5Writer writer(path("two.h5"));
    write_10x(writer, "/GRCh38", false);
    write_10x(writer, "/mm10", false);
  }
  EXPECT_HAS(rejection("two.h5"), "has several matrices: choose one, as in");
  EXPECT_HAS(rejection("two.h5"), "they are /GRCh38, /mm10");
  expect_cells(read("two.h5:mm10"));
}

TEST_F(Hdf5, ReadsLoom) {
  {
    Hdf5Writer writer(path("a.loom"));
    writer.matrix<float>("/matrix", kCells.transpose(), {{2, 2}, true});
    writer.matrix<std::uint16_t>("/layers/spliced", 2 * kCells.transpose(), {{2, 2}, true});
    writer.texts("/row_attrs/Gene", kGenes);
    writer.texts("/col_attrs/CellID", kBarcodes, 8);
  }
  for (const Storage storage : {Storage::memory, Storage::file}) {
    expect_cells(read("a.loom", {.storage = storage}));
    expect_cells(read("a.loom:layers/spliced", {.storage = storage}), 2 * kCells);
    EXPECT_EQ(to_matrix(read("a.loom", {.transpose = true, .storage = storage})),
              kCells.transpose());
  }
}

TEST_F(Hdf5, ReadsPlainDatasetsOfEveryType) {
  const auto expect = [&]<class T>(T, Scalar scalar) {
    { Hdf5Writer(path("a.h5")).matrix<T>("/group/deep/x", kCells, {{3, 3}, true}); }
    for (const char* name : {"a.h5", "a.h5:/group/deep/x", "a.h5:group/deep/x"}) {
      const Table table = read(name);
      EXPECT_EQ(to_matrix(table), kCells);
      EXPECT_EQ(std::get<DenseView>(table.values).scalar, scalar);
      EXPECT_EQ(table.variables, default_names(4));
      EXPECT_TRUE(table.samples.empty());
    }
  };
  expect(double{}, Scalar::float64);
  expect(float{}, Scalar::float32);
  expect(std::uint8_t{}, Scalar::uint8);
  expect(std::uint16_t{}, Scalar::int32);
  expect(std::int32_t{}, Scalar::int32);
  expect(std::int64_t{}, Scalar::float64);
  expect(std::uint64_t{}, Scalar::float64);
  {
    Hdf5Writer writer(path("bool.h5"));
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    const std::int8_t no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    const std::vector<std::int8_t> values = {0, 1, 1, 0};
    writer.write("/x", type, {2, 2}, {}, values.data());
    H5Tclose(type);
  }
  EXPECT_EQ(to_matrix(read("bool.h5")), (Matrix(2, 2) << 0, 1, 1, 0).finished());
}

TEST_F(Hdf5, ANameWithAColonThatExistsIsThatFile) {
  { Hdf5Writer(path("a.h5")).matrix<double>("/x", kCells); }
  { Hdf5Writer(path("a.h5:x")).matrix<double>("/x", 2 * kCells); }
  EXPECT_EQ(to_matrix(read("a.h5:x")), 2 * kCells);
  EXPECT_EQ(to_matrix(read("a.h5:/x")), kCells);
  EXPECT_EQ(to_matrix(read("a.h5:x:x")), 2 * kCells);
  EXPECT_HAS(rejection("b.h5:x"), "no such file");
  directory_.file("a.csv", "1,2\n3,4\n");
  EXPECT_HAS(rejection("a.csv:x"), "only .npz and HDF5 files have parts");
}

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

/// A filter that changes nothing and counts the chunks that are unpacked.
int unpacked = 0;
std::size_t count_chunk(unsigned flags, std::size_t, const unsigned*, std::size_t bytes,
                        std::size_t*, void**) {
  if ((flags & H5Z_FLAG_REVERSE) != 0) ++unpacked;
  return bytes;
}
constexpr H5Z_filter_t kCounter = 300;

class Hdf5Chunks : public Hdf5 {
 protected:
  void SetUp() override {
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kCounter, 1,       1,
                                 "counter",        nullptr,  nullptr, count_chunk};
    ASSERT_GE(H5Zregister(&filter), 0);
  }
  void TearDown() override { H5Zunregister(kCounter); }

  static Chunks chunks(std::vector<hsize_t> size) { return {std::move(size), false, kCounter}; }
};

TEST_F(Hdf5Chunks, EachIsUnpackedOnce) {
  const Matrix large = counts(700, 600, 3);
  for (const std::vector<hsize_t>& size :
       std::vector<std::vector<hsize_t>>{{1, 600}, {700, 600}, {64, 64}, {700, 7}, {3, 500}}) {
    { Hdf5Writer(path("a.h5")).matrix<double>("/x", large, chunks(size)); }
    const auto down = (700 + size[0] - 1) / size[0], across = (600 + size[1] - 1) / size[1];
    for (const bool transpose : {false, true}) {
      unpacked = 0;
      const Table table = read("a.h5", {.transpose = transpose});
      EXPECT_EQ(to_matrix(table), transpose ? Matrix(large.transpose()) : large);
      EXPECT_EQ(unpacked, static_cast<int>(down * across)) << size[0] << " x " << size[1];
    }
  }
  const CompressedLists lists(large, false);
  const auto entries = static_cast<hsize_t>(lists.data.size());
  for (const hsize_t size : {hsize_t{1000}, hsize_t{70001}, entries, 2 * entries}) {
    {
      Hdf5Writer writer(path("a.h5"));
      writer.list("/m/data", lists.data, chunks({size}));
      writer.list("/m/indices", lists.indices, chunks({size}));
      writer.list("/m/indptr", lists.indptr);
      writer.attribute("/m", "encoding-type", "csr_matrix");
      writer.numbers("/m", "shape", {700, 600});
    }
    unpacked = 0;
    EXPECT_EQ(to_matrix(read("a.h5")), large);
    EXPECT_EQ(unpacked, static_cast<int>(2 * ((entries + size - 1) / size))) << size;
  }
}

TEST_F(Hdf5Chunks, BandsOfColumnsAreReadIfThoseOfRowsTakeTooMuchMemory) {
  const Matrix large = counts(1000, 3000, 4);
  { Hdf5Writer(path("a.h5")).matrix<double>("/x", large, chunks({1000, 3})); }
  // A band of rows is the whole table of 24 MB.
  const ReadOptions options{.memory = least_working_memory(3000, 2) + 2000000};
  unpacked = 0;
  const Table table = read("a.h5", options);
  EXPECT_TRUE(table.in_file());
  EXPECT_EQ(std::get<FileView>(table.values).order, FileView::Order::column);
  EXPECT_EQ(to_matrix(table), large);
  EXPECT_EQ(unpacked, 1000);
}

TEST_F(Hdf5Chunks, ThatDoNotFitInMemoryAreRejectedWithWhatTheyNeed) {
  const Matrix large = counts(1000, 3000, 5);
  { Hdf5Writer(path("a.h5")).matrix<double>("/x", large, chunks({1000, 3000})); }
  const ReadOptions options{.memory = least_working_memory(3000, 2) + 2000000};
  const std::string message = rejection("a.h5", options);
  EXPECT_HAS(message, "reading the chunks of '/x' takes 48.0 MB, but --memory leaves");
  const std::size_t at = message.find("give at least --memory ");
  ASSERT_NE(at, std::string::npos) << message;
  const std::string needed = message.substr(at + 23, message.find(',', at) - at - 23);
  const Table table = read("a.h5", {.memory = parse_bytes("memory", needed)});
  EXPECT_EQ(to_matrix(table), large);
}

TEST_F(Hdf5, MissingFiltersAreNamed) {
  const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kCounter, 1,       1,
                               "counter",        nullptr,  nullptr, count_chunk};
  ASSERT_GE(H5Zregister(&filter), 0);
  { Hdf5Writer(path("a.h5")).matrix<double>("/x", kCells, {{5, 4}, false, kCounter}); }
  H5Zunregister(kCounter);
  EXPECT_HAS(rejection("a.h5:x"), "is packed by filter 300 ('counter')");
}

TEST_F(Hdf5, LargerThanMemoryMatchesTheTableInMemory) {
  const Matrix large = counts(3000, 400, 6);
  for (const bool by_column : {false, true}) {
    {
      Hdf5Writer writer(path("a.h5"));
      write_sparse(writer, "/m", large, by_column, {{10000}, true});
    }
    const ReadOptions options{.memory = least_working_memory(400, 2) + 1500000};
    const Table table = read("a.h5", options);
    EXPECT_TRUE(table.in_file());
    EXPECT_EQ(to_matrix(table), large);
  }
}

TEST_F(Hdf5, MissingNumbersAndExcludedVariables) {
  Matrix gaps = kCells;
  gaps(1, 2) = std::nan("");
  {
    Hdf5Writer writer(path());
    writer.matrix<double>("/X", gaps);
    write_frame(writer, "/obs", kBarcodes);
    write_frame(writer, "/var", kGenes);
  }
  EXPECT_HAS(rejection(), "row 2, column 3 ('MS4A1') is missing");
  const Table dropped = read("a.h5ad", {.missing = Missing::drop});
  EXPECT_EQ(dropped.samples, (std::vector<std::string>{"AAA-1", "AAG-1", "AAT-1", "ACA-1"}));
  const Table without = read("a.h5ad", {.exclude = {"MS4A1"}});
  EXPECT_EQ(without.variables, (std::vector<std::string>{"CD3", "CD4", "NKG7"}));
  EXPECT_EQ(to_matrix(without).col(2), kCells.col(3));
}

TEST_F(Hdf5, CopiesOfPartsAreKeptApart) {
  {
    Hdf5Writer writer(path("a.h5"));
    writer.matrix<double>("/one", kCells);
    writer.matrix<double>("/two", 2 * kCells);
  }
  const ReadOptions options{.storage = Storage::file, .cache = directory_ / "cache"};
  ReadOptions transposed = options;
  transposed.transpose = true;
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(to_matrix(read("a.h5:one", options)), kCells);
    EXPECT_EQ(to_matrix(read("a.h5:two", options)), 2 * kCells);
    EXPECT_EQ(to_matrix(read("a.h5:two", transposed)), 2 * kCells.transpose());
  }
}

}  // namespace
}  // namespace spcart
