#include "mpi/shards.hpp"

#include <gtest/gtest.h>

#include "mpi/local_rows.hpp"
#include "spcart/mpi.hpp"
#include "temporary.hpp"

namespace spcart::mpi {
namespace {

using spcart::testing::error_of;
using spcart::testing::TemporaryDirectory;

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  return names;
}

using Names = std::vector<std::string>;

TEST(Shards, ComeInTheOrderOfTheirNumbers) {
  const TemporaryDirectory folder;
  for (const char* name : {"p-8.npy", "p-10.npy", "p-9.npy"}) folder.file(name, "");
  EXPECT_EQ(names_of(matching_files(folder / "p-*.npy")),
            (Names{"p-8.npy", "p-9.npy", "p-10.npy"}));
}

TEST(Shards, AGapInTheirNumbersIsAMissingShard) {
  const TemporaryDirectory folder;
  for (const char* name : {"p-008.npy", "p-010.npy"}) folder.file(name, "");
  const std::string message = error_of([&] { matching_files(folder / "p-*.npy"); });
  EXPECT_HAS(message, "after p-008.npy comes p-010.npy: a file between them is missing");
  EXPECT_EQ(matching_files(folder / "p-{008,010}.npy").size(), 2U);
}

TEST(Shards, NamesThatDoNotCountMayBeAnything) {
  const TemporaryDirectory folder;
  for (const char* name : {"berlin3.csv", "paris7.csv", "rome.csv"}) folder.file(name, "");
  EXPECT_EQ(matching_files(folder / "*.csv").size(), 3U);
}

TEST(Shards, NoFileIsAnError) {
  const TemporaryDirectory folder;
  EXPECT_HAS(error_of([&] { matching_files(folder / "p-*.npy"); }), "no file has such a name");
  folder.file("a.npy", "");
  EXPECT_HAS(error_of([&] { matching_files(folder / "{a,b}.npy"); }), "b.npy: no file has such");
  folder.file("b.npy", "");
  EXPECT_EQ(names_of(matching_files(folder / "{b,a}.{npy,np?}")), (Names{"a.npy", "b.npy"}));
}

TEST(Shards, AFileWhoseNameLooksLikeAPatternIsAFile) {
  const TemporaryDirectory folder;
  folder.file("a[1].npy", "");
  EXPECT_FALSE(is_pattern(folder / "a[1].npy"));
  EXPECT_TRUE(is_pattern(folder / "a[2].npy"));
  EXPECT_FALSE(is_pattern(folder / "a.npy"));
}

TEST(Shards, RowsAreSpreadEvenlyAndInOrder) {
  for (const std::vector<Index>& rows :
       {std::vector<Index>{10}, {1}, {3, 1, 7}, {2, 2, 2, 2, 2}, {100, 1}})
    for (int ranks = 1; ranks <= 7; ++ranks) {
      std::vector<std::pair<std::size_t, Index>> seen, expected;
      Index fewest = 1000, most = 0;
      for (std::size_t file = 0; file < rows.size(); ++file)
        for (Index row = 0; row < rows[file]; ++row) expected.emplace_back(file, row);
      for (int rank = 0; rank < ranks; ++rank) {
        Index count = 0;
        for (const Piece& piece : even_pieces(rows, rank, ranks)) {
          EXPECT_GT(piece.count, 0);
          for (Index i = 0; i < piece.count; ++i) seen.emplace_back(piece.file, piece.first + i);
          count += piece.count;
        }
        fewest = std::min(fewest, count);
        most = std::max(most, count);
      }
      EXPECT_EQ(seen, expected);
      EXPECT_LE(most - fewest, 1);
    }
}

TEST(Shards, FilesAreSpreadInRunsAndTheRootHasTheFirst) {
  for (const std::vector<std::uint64_t>& sizes :
       {std::vector<std::uint64_t>{5}, {0, 0, 0}, {1000, 1, 1, 1}, {1, 1, 1, 1000}, {7, 7, 7, 7}})
    for (int ranks = 1; ranks <= 6; ++ranks) {
      std::size_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const FileRange run = even_run(sizes, rank, ranks);
        EXPECT_EQ(run.first, rank == 0 ? 0 : std::min(run.first, next));
        EXPECT_TRUE(run.first == run.last || run.first == next) << rank << " of " << ranks;
        EXPECT_TRUE(rank > 0 || run.last > 0);
        if (run.last > run.first) next = run.last;
      }
      EXPECT_EQ(next, sizes.size());
    }
  EXPECT_EQ(even_run({7, 7, 7, 7}, 1, 2), (FileRange{2, 4}));
}

TEST(SolverChoice, GoesByShapeAndRanks) {
  EXPECT_EQ(chosen_solver(200000, 1000, 2e8, 20, 2), Solver::gram);
  EXPECT_EQ(chosen_solver(500, 20000, 1e7, 20, 2), Solver::outer);
  EXPECT_EQ(chosen_solver(100000, 20000, 9.7e6, 20, 2), Solver::krylov);
  // The more ranks, the sooner the root's basis dominates the time.
  EXPECT_EQ(chosen_solver(100000000, 1000000, 1e10, 20, 4), Solver::krylov);
  EXPECT_EQ(chosen_solver(100000000, 1000000, 1e10, 20, 1024), Solver::slepc);
  for (const Index p : {10, 1000, 100000})
    EXPECT_EQ(chosen_solver(50000, p, 50000.0 * static_cast<double>(p), 5, 1),
              spcart::chosen_solver(50000, p, 50000.0 * static_cast<double>(p), 5));
}

TEST(Moments, OfPartsAreThoseOfAll) {
  const Matrix values = (Matrix::Random(30, 4).array() + 1e6).matrix();
  Moments all = no_moments(4);
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 1}, {1, 20}, {21, 9}}) {
    const Matrix part = values.middleRows(first, count);
    Moments more(3, 4);
    more.row(0).setConstant(static_cast<double>(count));
    more.row(1) = part.colwise().mean();
    more.row(2) = (part.rowwise() - part.colwise().mean()).colwise().squaredNorm();
    merge(more, all);
    merge(no_moments(4), all);
  }
  EXPECT_EQ(all(0, 0), 30);
  EXPECT_LT((all.row(1) - values.colwise().mean()).norm(), 1e-9);
  const auto squares = (values.rowwise() - values.colwise().mean()).colwise().squaredNorm().eval();
  EXPECT_LT((all.row(2) - squares).norm(), 1e-8 * squares.norm());
}

}  // namespace
}  // namespace spcart::mpi
