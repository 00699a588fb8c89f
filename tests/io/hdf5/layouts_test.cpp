#include "hdf5_fixture.hpp"

namespace spcart {
namespace {

using testing::Chunks;
using testing::CompressedLists;
using testing::counts;
using testing::Hdf5;
using testing::Hdf5Writer;
using testing::kBarcodes;
using testing::kCells;
using testing::kGenes;
using testing::write_frame;
using testing::write_sparse;

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

}  // namespace
}  // namespace spcart
