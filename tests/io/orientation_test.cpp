#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "numpy_file.hpp"
#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;
using testing::csv_of;
using testing::error_of;
using testing::gzipped;
using testing::npy_of;
using testing::TemporaryDirectory;
using Names = std::vector<std::string>;

const Matrix kTable = (Matrix(2, 3) << 1, 0, 3, 0, 5, 6).finished();
const std::string kBanner = "%%MatrixMarket matrix coordinate integer general\n";
const std::string kEntries = kBanner + "2 3 4\n1 1 1\n1 3 3\n2 2 5\n2 3 6\n";

class Orientation : public ::testing::Test {
 protected:
  fs::path file(std::string_view name, std::string_view content) const {
    return directory_.file(name, content);
  }
  TemporaryDirectory directory_;
};

TEST_F(Orientation, EveryFormatIsTransposed) {
  for (const fs::path& path :
       {file("a.csv", csv_of(kTable)), file("a.npy", npy_of<float>(kTable, "<f4")),
        file("b.npy", npy_of<double>(kTable, "<f8", true)),
        file("b.npy.gz", gzipped(npy_of<double>(kTable, "<f8"))), file("a.mtx", kEntries),
        file("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n5\n3\n6\n")})
    for (const Storage storage : {Storage::memory, Storage::file}) {
      SCOPED_TRACE(path.string());
      const Table table = read_table(path, {.transpose = true, .storage = storage});
      EXPECT_EQ(table.in_file(), storage == Storage::file);
      EXPECT_EQ(to_matrix(table), kTable.transpose());
      EXPECT_EQ(table.variables, default_names(2));
      EXPECT_TRUE(table.samples.empty());
      const Table less =
          read_table(path, {.exclude = {"x1"}, .transpose = true, .storage = storage});
      EXPECT_EQ(to_matrix(less), kTable.row(1).transpose());
    }
}

TEST_F(Orientation, NamesOfTextAreExchanged) {
  const fs::path path = file("a.csv", "gene,s1,s2,s3\nCD3,1,0,3\nCD4,0,NA,6\n");
  const Table table = read_table(path, {.missing = Missing::drop, .transpose = true});
  EXPECT_EQ(table.variables, (Names{"CD3", "CD4"}));
  EXPECT_EQ(table.samples, (Names{"s1", "s3"}));
  EXPECT_EQ(to_matrix(table), (Matrix(2, 2) << 1, 0, 3, 6).finished());
  const Table less =
      read_table(path, {.missing = Missing::mean, .exclude = {"CD3"}, .transpose = true});
  EXPECT_EQ(to_matrix(less), (Matrix(3, 1) << 0, 3, 6).finished());
}

TEST_F(Orientation, ACovarianceIsNotTransposed) {
  const fs::path path = file("a.csv", "1,0\n0,1\n");
  EXPECT_HAS(error_of([&] { read_table(path, {.covariance = true, .transpose = true}); }),
             "a covariance is symmetric");
  EXPECT_HAS(
      error_of([&] { read_table(path, {.covariance = true, .labels = file("l.txt", "a\nb\n")}); }),
      "has no samples");
}

TEST_F(Orientation, NamesComeFromOtherFiles) {
  const fs::path names = file("names.txt", "name\n\"a \"\"1\"\"\"\r\nb\tnot this\nc\n\n");
  const fs::path labels = file("labels.txt.gz", gzipped("s1\ns2\n"));
  for (const fs::path& path : {file("a.npy", npy_of<double>(kTable, "<f8")),
                               file("a.mtx", kEntries), file("a.csv", csv_of(kTable))})
    for (const Storage storage : {Storage::memory, Storage::file}) {
      SCOPED_TRACE(path.string());
      const Table table = read_table(path, {.names = names, .labels = labels, .storage = storage});
      EXPECT_EQ(table.variables, (Names{"a \"1\"", "b", "c"}));
      EXPECT_EQ(table.samples, (Names{"s1", "s2"}));
      EXPECT_EQ(to_matrix(table), kTable);
      const Table less = read_table(path, {.exclude = {"b"}, .names = names, .storage = storage});
      EXPECT_EQ(less.variables, (Names{"a \"1\"", "c"}));
      const Table other = read_table(path, {.transpose = true, .names = labels, .labels = names});
      EXPECT_EQ(other.variables, (Names{"s1", "s2"}));
      EXPECT_EQ(other.samples, (Names{"a \"1\"", "b", "c"}));
    }
}

TEST_F(Orientation, VariablesOfACovarianceAreNamed) {
  const fs::path path = file("a.csv", ",x,y\nx,1,0\ny,0,1\n");
  const Table table = read_table(path, {.covariance = true, .names = file("n.txt", "a\nb\n")});
  EXPECT_EQ(table.variables, (Names{"a", "b"}));
  EXPECT_TRUE(table.samples.empty());
}

TEST_F(Orientation, LabelsDoNotReplaceNamesOfSamples) {
  const fs::path labels = file("labels.txt", "kind1\nkind2\n");
  const fs::path path = file("a.csv", "id,x,y\nann,1,0\nbob,0,5\n");
  EXPECT_EQ(read_table(path, {.labels = labels}).samples, (Names{"ann", "bob"}));
}

TEST_F(Orientation, NamesThatDoNotFitAreRejected) {
  const fs::path path = file("a.npy", npy_of<double>(kTable, "<f8"));
  const auto rejection = [&](const ReadOptions& options) {
    return error_of([&] { read_table(path, options); });
  };
  EXPECT_HAS(rejection({.names = file("n.txt", "a\nb\n")}), "it has 2 lines for 3 variables");
  EXPECT_HAS(rejection({.names = file("n.txt", "a\nb\nc\nd\ne\n")}), "it has 5 lines");
  EXPECT_HAS(rejection({.names = file("n.txt", "\n\n")}), "it has 0 lines");
  EXPECT_HAS(rejection({.labels = file("n.txt", "a\n")}), "it has 1 lines for 2 samples");
  EXPECT_HAS(rejection({.names = directory_ / "none"}), "no such file");
}

TEST_F(Orientation, CopiesWithOtherNamesAreKeptApart) {
  const fs::path path = file("a.mtx", kEntries);
  ReadOptions options{.storage = Storage::file, .cache = directory_ / "cache"};
  for (const std::string names : {"a\nb\nc\n", "d\ne\nf\n", "a\nb\nc\n"}) {
    options.names = file("names.txt", names);
    EXPECT_EQ(read_table(path, options).variables.front(), names.substr(0, 1));
  }
}

/// As 10x writes it: features x barcodes.
class TenX : public Orientation {
 protected:
  void SetUp() override { write(""); }

  void write(const std::string& prefix) const {
    file(prefix + "matrix.mtx.gz", gzipped(kEntries));
    file(prefix + "features.tsv.gz",
         gzipped("ENSG1\tCD3\tGene Expression\nENSG2\tCD4\tGene Expression\n"));
    file(prefix + "barcodes.tsv.gz", gzipped("AAA-1\nAAC-1\nAAG-1\n"));
  }
};

TEST_F(TenX, IsTransposedAndNamedByTheFilesBesideIt) {
  write("GSM1_");
  for (const char* name : {"matrix.mtx.gz", "GSM1_matrix.mtx.gz"})
    for (const Storage storage : {Storage::memory, Storage::file}) {
      const Table table = read_table(directory_ / name, {.storage = storage});
      EXPECT_EQ(to_matrix(table), kTable.transpose());
      EXPECT_EQ(table.variables, (Names{"CD3", "CD4"}));
      EXPECT_EQ(table.samples, (Names{"AAA-1", "AAC-1", "AAG-1"}));
      ASSERT_EQ(table.notes.size(), 1U);
      EXPECT_HAS(table.notes[0], "features.tsv.gz and ");
      EXPECT_HAS(table.notes[0], "transposed");
    }
  const Table back = read_table(directory_ / "matrix.mtx.gz", {.transpose = true});
  EXPECT_EQ(to_matrix(back), kTable);
  EXPECT_EQ(back.samples, (Names{"CD3", "CD4"}));
  EXPECT_EQ(back.variables, (Names{"AAA-1", "AAC-1", "AAG-1"}));
}

TEST_F(TenX, OfTheOldVersionHasGenes) {
  fs::remove(directory_ / "features.tsv.gz");
  file("genes.tsv", "ENSG1\tCD3\nENSG2\tCD4\n");
  EXPECT_EQ(read_table(directory_ / "matrix.mtx.gz").variables, (Names{"CD3", "CD4"}));
}

TEST_F(TenX, ThatIsStoredBySamplesStaysAsItIs) {
  file("matrix.mtx.gz", gzipped(kBanner + "3 2 1\n3 2 7\n"));
  const Table table = read_table(directory_ / "matrix.mtx.gz");
  EXPECT_EQ(table.rows(), 3);
  EXPECT_EQ(table.variables, (Names{"CD3", "CD4"}));
  EXPECT_FALSE(testing::has(table.notes.at(0), "transposed"));
}

TEST_F(TenX, NamesOfAnotherSizeAreNotUsed) {
  file("matrix.mtx.gz", gzipped(kBanner + "4 2 1\n3 2 7\n"));
  const Table table = read_table(directory_ / "matrix.mtx.gz");
  EXPECT_EQ(table.variables, default_names(2));
  EXPECT_TRUE(table.samples.empty());
  EXPECT_HAS(table.notes.at(0), "have 2 and 3 lines, which does not fit 4 x 2: not used");
}

TEST_F(TenX, GivenNamesTakeTheMatrixAsItIs) {
  const Table table = read_table(
      directory_ / "matrix.mtx.gz",
      {.names = directory_ / "barcodes.tsv.gz", .labels = directory_ / "features.tsv.gz"});
  EXPECT_EQ(to_matrix(table), kTable);
  EXPECT_EQ(table.samples, (Names{"CD3", "CD4"}));
}

}  // namespace
}  // namespace spcart
