#include "hdf5_fixture.hpp"
#include "spcart/memory.hpp"

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
