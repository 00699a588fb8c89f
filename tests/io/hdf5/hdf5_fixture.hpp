#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "hdf5_writer.hpp"
#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart::testing {

/// Counts as single cells have them: mostly zeros.
inline Matrix counts(Index rows, Index cols, unsigned seed = 1) {
  std::mt19937 random(seed);
  Matrix m = Matrix::Zero(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (random() % 3 == 0) m(i, j) = static_cast<double>(1 + random() % 9);
  return m;
}

inline const Matrix kCells = counts(5, 4);
inline const std::vector<std::string> kGenes = {"CD3", "CD4", "MS4A1", "NKG7"};
inline const std::vector<std::string> kBarcodes = {"AAA-1", "AAC-1", "AAG-1", "AAT-1", "ACA-1"};

inline void write_sparse(Hdf5Writer& writer, const std::string& group, const Matrix& m,
                         bool by_column, const Chunks& chunks = {}) {
  const CompressedLists lists(m, by_column);
  writer.list(group + "/data", std::vector<float>(lists.data.begin(), lists.data.end()), chunks);
  writer.list(group + "/indices", lists.indices, chunks);
  writer.list(group + "/indptr", lists.indptr, chunks);
  writer.attribute(group, "encoding-type", by_column ? "csc_matrix" : "csr_matrix");
  writer.numbers(group, "shape", {m.rows(), m.cols()});
}

inline void write_frame(Hdf5Writer& writer, const std::string& group,
                        const std::vector<std::string>& names) {
  writer.texts(group + "/index", names);
  writer.attribute(group, "_index", "index");
}

class Hdf5 : public ::testing::Test {
 protected:
  std::filesystem::path path(std::string_view name = "a.h5ad") const { return directory_ / name; }

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

}  // namespace spcart::testing
