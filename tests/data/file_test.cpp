#include "spcart/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>
#include <tuple>

#include "data/preparation.hpp"
#include "numpy_file.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/pca.hpp"
#include "table/file_blocks.hpp"
#include "table/open_file.hpp"
#include "table/read_ahead.hpp"
#include "temporary.hpp"
#include "twins.hpp"
#include "verify.hpp"
#include "watched.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::expect_twins;
using testing::npy_of;
using testing::TemporaryDirectory;
using verify::random_matrix;

/// Whole numbers from 0 to 100: exact in every type.
Matrix counts_in_file(Index n, Index p) {
  return (random_matrix(n, p, 5).array() * 20).round().abs().min(100.0);
}

Table in_file(const fs::path& path) { return read_table(path, {.storage = Storage::file}); }

FileView view_of_file(const fs::path& path, std::uint64_t memory) {
  auto view = std::get<FileView>(in_file(path).values);
  view.memory = memory;
  return view;
}

class FileOfEveryPreparation : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  Preparation preparation() const {
    Preparation p;
    std::tie(p.remove_row_mean, p.center, p.scale) = GetParam();
    return p;
  }

  template <class T>
  void expect_type(const std::string& descr) {
    for (const auto& [n, p] : {std::pair{61, 9}, {7, 80}})
      for (const bool fortran : {false, true}) {
        SCOPED_TRACE(descr + (fortran ? " by columns" : " by rows"));
        const fs::path path =
            directory_.file("a.npy", npy_of<T>(counts_in_file(n, p), descr, fortran));
        const auto twin = make_matrix(read_table(path), preparation());
        // From many blocks of few lines to a single one.
        for (const std::uint64_t memory : {1, 2000, 1 << 26})
          expect_twins(*make_file(view_of_file(path, memory), preparation()), *twin);
      }
  }

  TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(Data, FileOfEveryPreparation,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST_P(FileOfEveryPreparation, EveryTypeAndOrderMatchesItsTwinInMemory) {
  expect_type<std::uint8_t>("|u1");
  expect_type<std::int32_t>("<i4");
  expect_type<float>("<f4");
  expect_type<double>("<f8");
  expect_type<std::int8_t>("|i1");
  expect_type<std::int16_t>("<i2");
  expect_type<std::uint16_t>("<u2");
  expect_type<std::uint32_t>("<u4");
  expect_type<std::int64_t>("<i8");
  expect_type<std::uint64_t>("<u8");
}

/// As a MatrixMarket file, without the zeros.
std::string sparse_text(const Matrix& m) {
  std::string lines;
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      if (m(i, j) != 0)
        lines += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " +
                 std::to_string(m(i, j)) + "\n";
  return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(m.rows()) + " " +
         std::to_string(m.cols()) + " " + std::to_string((m.array() != 0).count()) + "\n" + lines;
}

TEST_P(FileOfEveryPreparation, SparseMatchesItsTwinInMemory) {
  for (const auto& [n, p] : {std::pair{61, 9}, {7, 80}, {1, 3}, {900, 60}}) {
    Matrix m = counts_in_file(n, p).cwiseProduct(
        (random_matrix(n, p, 8).array() > 0).matrix().cast<double>());
    if (n > 7) m.col(2).setConstant(3);  // a variable without zeros, and one of nothing else
    m.col(0).setZero();
    const fs::path path = directory_.file("a.mtx", sparse_text(m));
    const auto twin = make_matrix(read_table(path), preparation());
    // From blocks of one row each, if there are few, to a single one.
    for (const std::uint64_t memory : {n > 100 ? 50000 : 1, 1 << 26})
      expect_twins(*make_file(view_of_file(path, memory), preparation()), *twin);
  }
}

TEST(FileData, SparseKeepsItsDigitsBesideLargeMeans) {
  const TemporaryDirectory directory;
  Matrix m = verify::decaying(300, 8, 7);
  m.array() += 1e6;
  m(5, 3) = 0;
  const fs::path path = directory.file("a.mtx", sparse_text(m));
  const auto a = make_file(view_of_file(path, 5000), {.scale = true});
  const auto twin = make_matrix(read_table(path), {.scale = true});
  EXPECT_LE((a->scales() - twin->scales()).cwiseQuotient(twin->scales()).cwiseAbs().maxCoeff(),
            1e-9);
  EXPECT_LE((a->gram() - twin->gram()).norm(), 1e-7 * twin->gram().norm());
}

TEST(FileData, BrokenSparseStructureIsRejected) {
  const TemporaryDirectory directory;
  const fs::path path = directory.file("a.mtx", sparse_text(Matrix{{1, 2, 0}, {0, 3, 4}}));
  const auto view = std::get<FileView>(in_file(path).values);
  const auto rejection = [&](auto damage) {
    std::string content(view.file->size(), '\0');
    view.file->read(0, content.data(), content.size());
    damage(content);
    FileView broken = view;
    broken.file = open_file(directory.file("broken", content));
    return error_of([&] { make_file(broken); });
  };
  const auto set = [](std::uint64_t offset, char byte) {
    return [=](std::string& content) { content[offset] = byte; };
  };
  EXPECT_HAS(rejection(set(view.inner, 1)), "the columns of row 1 do not rise from 0 to 2");
  EXPECT_HAS(rejection(set(view.inner + 12, 3)), "the columns of row 2 do not rise from 0 to 2");
  EXPECT_HAS(rejection(set(view.inner + 3, -1)), "the columns of row 1");
  EXPECT_HAS(rejection(set(view.outer, 1)), "the offsets of its rows");
  EXPECT_HAS(rejection(set(view.outer + 8, 9)), "the offsets of its rows");
  EXPECT_HAS(rejection(set(view.outer + 16, 5)), "the offsets of its rows");
  EXPECT_HAS(rejection([](std::string& content) { content.resize(content.size() - 1); }),
             "too few for a table of 2 x 3");
}

TEST(FileData, PanelsAndBlocksCoverLargeTables) {
  const TemporaryDirectory directory;
  const Preparation all{.remove_row_mean = true, .center = true, .scale = true};
  for (const bool fortran : {false, true}) {
    const Matrix m = random_matrix(700, 900, 3);  // more than one panel either way
    const fs::path path = directory.file("a.npy", npy_of<float>(m, "<f4", fortran));
    const auto twin = make_matrix(read_table(path), all);
    expect_twins(*make_file(view_of_file(path, 1 << 20), all), *twin);
  }
}

TEST(FileData, TruthIsOneForAnyNonzeroByte) {
  const TemporaryDirectory directory;
  std::string content = npy_of<std::uint8_t>(Matrix{{0, 1}, {1, 0}}, "|b1");
  content[content.size() - 2] = 7;
  EXPECT_EQ(to_matrix(in_file(directory.file("a.npy", content))), (Matrix{{0, 1}, {1, 0}}));
}

TEST(FileData, FitsAreThoseOfTheTableInMemory) {
  const TemporaryDirectory directory;
  for (const auto& [n, p] : {std::pair{400, 40}, {30, 300}}) {
    const Matrix m = verify::decaying(n, p, 3);
    const fs::path path = directory.file("a.npy", npy_of<double>(m, "<f8"));
    const auto twin = make_matrix(read_table(path), {.scale = true});
    const auto a = make_file(view_of_file(path, 20000), {.scale = true});
    for (const Solver solver : {Solver::automatic, Solver::gram, Solver::outer, Solver::krylov}) {
      if (solver == Solver::gram && p > n) continue;
      const Options options{.components = 4, .solver = solver};
      const Result got = fit(*a, options), expected = fit(*twin, options);
      EXPECT_EQ(verify::supports(got.loadings), verify::supports(expected.loadings));
      EXPECT_LE((Matrix(got.loadings) - Matrix(expected.loadings)).norm(), 1e-9);
      EXPECT_NEAR(got.criteria.cpev, expected.criteria.cpev, 1e-9);
    }
    for (const Method method : {Method::rsvd_gp, Method::gpower, Method::spca, Method::tpower}) {
      const Options options{.method = method, .components = 2};
      const Result got = fit(*a, options), expected = fit(*twin, options);
      EXPECT_EQ(verify::supports(got.loadings), verify::supports(expected.loadings));
      EXPECT_LE((Matrix(got.loadings) - Matrix(expected.loadings)).norm(), 1e-9);
    }
  }
}

TEST(FileData, IsReadNoMoreOftenThanItMust) {
  const TemporaryDirectory directory;
  const fs::path path =
      directory.file("a.npy", npy_of<double>(verify::decaying(900, 30, 1), "<f8"));
  const auto passes = [&](const FileView& view) {
    EXPECT_EQ(view.file->bytes_read() % stored_bytes(view), 0u);
    return static_cast<Index>(view.file->bytes_read() / stored_bytes(view));
  };
  const Options options{.components = 3, .refit = 2};
  const FileView once = view_of_file(path, 5000);
  Options gram = options;
  gram.solver = Solver::gram;
  EXPECT_EQ(passes(once), 0) << "before it is prepared";
  fit(*make_file(once, {}, {}, FormGram::yes), gram);
  EXPECT_EQ(passes(once), 1) << "measured, multiplied and evaluated in a single pass";

  const FileView often = view_of_file(path, 5000);
  const auto a = make_file(often);
  const testing::Watched watched(*a);
  Options krylov = options;
  krylov.solver = Solver::krylov;
  fit(watched, krylov);
  EXPECT_EQ(passes(often), 1 + watched.gram_products) << "measured, then one pass a product";
}

TEST(FileData, PassesRunSideBySide) {
  const TemporaryDirectory directory;
  const Matrix m = random_matrix(500, 30, 1);
  const fs::path path = directory.file("a.npy", npy_of<double>(m, "<f8"));
  const auto a = make_file(view_of_file(path, 3000));
  const Matrix expected = make_dense(m)->gram();
  std::vector<std::thread> threads;
  std::array<double, 4> errors{};
  for (double& error : errors)
    threads.emplace_back([&] {
      for (int call = 0; call < 5; ++call) error = std::max(error, (a->gram() - expected).norm());
    });
  for (std::thread& thread : threads) thread.join();
  for (const double error : errors) EXPECT_LE(error, 1e-12 * expected.norm());
}

TEST(FileData, FunctionsOfTablesKnowFiles) {
  const TemporaryDirectory directory;
  const Matrix m = verify::decaying(50, 9, 1), c = m.transpose() * m;
  const auto check = [&](const Matrix& values, bool fortran) {
    const fs::path path = directory.file("a.npy", npy_of<float>(values, "<f4", fortran));
    const Table memory = read_table(path), file = in_file(path);
    ASSERT_TRUE(file.in_file());
    EXPECT_FALSE(memory.in_file());
    EXPECT_EQ(to_matrix(file), to_matrix(memory));
    const TableSummary got = summarize(file), expected = summarize(memory);
    EXPECT_EQ(std::tie(got.scalar, got.sparse, got.least, got.greatest, got.stored, got.nonzeros,
                       got.bytes),
              std::tie(expected.scalar, expected.sparse, expected.least, expected.greatest,
                       expected.stored, expected.nonzeros, expected.bytes));
    EXPECT_EQ(looks_like_covariance(file), looks_like_covariance(memory));
  };
  for (const bool fortran : {false, true}) {
    check(m, fortran);
    check(c, fortran);
    Matrix broken = c;
    broken(0, 8) += 1;
    check(broken, fortran);
  }
  const fs::path path = directory.file("a.npy", npy_of<double>(c, "<f8"));
  Table small = in_file(path);
  std::get<FileView>(small.values).memory = 200;  // two rows per block, and one
  EXPECT_TRUE(looks_like_covariance(small));
  const Table table = read_table(path, {.covariance = true, .storage = Storage::file});
  EXPECT_FALSE(table.in_file()) << "a covariance is needed whole";
}

TEST(FileData, ValuesThatAreNotFiniteAreFoundByTheFirstPass) {
  const TemporaryDirectory directory;
  Matrix m = random_matrix(40, 3, 1);
  m(20, 1) = std::numeric_limits<double>::infinity();
  const Table table = in_file(directory.file("a.npy", npy_of<double>(m, "<f8")));
  EXPECT_EQ(error_of([&] { make_matrix(table); }), "row 21, column 2: inf is not a finite number");
}

class FileThatChanges : public ::testing::Test {
 protected:
  std::unique_ptr<DataMatrix> open() { return make_file(view_of_file(path_, 3000)); }

  void overwrite(off_t offset, std::string_view bytes) const {
    const int file = ::open(path_.c_str(), O_WRONLY);
    ASSERT_EQ(::pwrite(file, bytes.data(), bytes.size(), offset),
              static_cast<ssize_t>(bytes.size()));
    ::close(file);
    // Clocks of file systems are coarse.
    fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::milliseconds(1));
  }

  TemporaryDirectory directory_;
  Matrix m_ = random_matrix(200, 8, 1);
  fs::path path_ = directory_.file("a.npy", npy_of<double>(m_, "<f8"));
  Vector x_ = Vector::Ones(8);
};

TEST_F(FileThatChanges, BetweenPassesIsRejected) {
  const auto a = open();
  overwrite(1000, "changed!");
  EXPECT_EQ(error_of([&] { a->times(x_); }), path_.string() + ": changed while it was being read");
  EXPECT_THROW(a->gram(), Error);
  EXPECT_THROW(a->outer_gram(), Error);
}

TEST_F(FileThatChanges, DuringAPassIsRejected) {
  const auto a = open();
  int ticks = 0;
  const Tick change = [&](double) {
    if (++ticks == 1) overwrite(1000, "changed!");
  };
  // Data that was read ahead of the change is valid: then the next pass is rejected.
  const std::string error = error_of([&] { a->gram(change); });
  EXPECT_HAS(ticks > 0 && error == "no Error" ? error_of([&] { a->gram(); }) : error,
             "changed while it was being read");
}

TEST_F(FileThatChanges, SinceItWasOpenedIsRejected) {
  const Table table = in_file(path_);
  overwrite(1000, "changed!");
  EXPECT_HAS(error_of([&] { make_matrix(table); }), "changed while it was being read");
}

TEST_F(FileThatChanges, ByGrowingOrShrinkingIsRejected) {
  const auto a = open();
  fs::resize_file(path_, fs::file_size(path_) + 8);
  EXPECT_HAS(error_of([&] { a->times(x_); }), "changed while it was being read");
  const auto b = make_file({.file = open_file(path_), .rows = 200, .cols = 8, .values = 80});
  fs::resize_file(path_, 5000);
  EXPECT_HAS(error_of([&] { b->times(x_); }), "changed while it was being read");
}

TEST_F(FileThatChanges, ByItsNameOnlyIsReadAsItWas) {
  const auto a = open();
  const Matrix before = a->gram();
  fs::remove(path_);
  EXPECT_EQ(a->gram(), before);
  directory_.file("a.npy", npy_of<double>(-2 * m_, "<f8"));
  EXPECT_EQ(a->gram(), before);
  EXPECT_NEAR(open()->squared_norm(), 4 * a->squared_norm(), 1e-9);
}

TEST_F(FileThatChanges, TooShortFromTheStartIsRejected) {
  fs::resize_file(path_, fs::file_size(path_) - 1);
  EXPECT_HAS(error_of([&] { in_file(path_); }), "needs 12800 bytes, but 12799 follow the header");
  const FileView view{.file = open_file(path_), .rows = 200, .cols = 8, .values = 128};
  EXPECT_HAS(error_of([&] { make_file(view); }), "too few for a table of 200 x 8");
  FileView huge = view;
  huge.rows = std::numeric_limits<Index>::max();
  EXPECT_HAS(error_of([&] { make_file(huge); }), "too few for a table");
  EXPECT_HAS(error_of([&] { open_file(directory_ / "none"); }), "No such file");
  EXPECT_HAS(error_of([&] { open_file(directory_ / ""); }), "no regular file");
}

std::ptrdiff_t entries_of(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// A joined thread stays listed for a moment, on a busy machine for a long one.
std::ptrdiff_t threads_within(std::ptrdiff_t most) {
  for (int i = 0; i < 500 && entries_of("/proc/self/task") > most; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return entries_of("/proc/self/task");
}

TEST_F(FileThatChanges, ReaderEndsWithAPassThatIsGivenUp) {
  const auto a = open();
  const auto threads = entries_of("/proc/self/task"), files = entries_of("/proc/self/fd");
  for (int stop = 1; stop < 20; ++stop) {
    int ticks = 0;
    const Tick tick = [&](double) {
      if (++ticks == stop) throw Cancelled();
    };
    const auto steps = make_file(view_of_file(path_, 1))->gram();  // a file and a pass besides
    try {
      a->gram(tick);
    } catch (const Cancelled&) {
    }
  }
  EXPECT_LE(threads_within(threads), threads);
  EXPECT_EQ(entries_of("/proc/self/fd"), files);
  EXPECT_LE((a->gram() - make_dense(m_)->gram()).norm(), 1e-11);
}

TEST(ReadAhead, DeliversInOrderAndThrowsWhereItStopped) {
  for (const int good : {0, 1, 2, 3, 4, 50}) {
    int next = 0;
    ReadAhead<int> ahead([&](int& buffer, const std::stop_token&) {
      if (next == good) throw Error("no more");
      buffer = next++;
      return true;
    });
    for (int i = 0; i < good; ++i) ASSERT_EQ(*ahead.next(), i);
    EXPECT_EQ(error_of([&] { ahead.next(); }), "no more");
    EXPECT_EQ(error_of([&] { ahead.next(); }), "no more") << "also when it is asked again";
  }
}

TEST(ReadAhead, EndsWithNullAndCanBeLeft) {
  int next = 0;
  ReadAhead<int> ahead(
      [&](int& buffer, const std::stop_token&) { return buffer = next++, next <= 5; });
  for (int i = 0; i < 5; ++i) ASSERT_NE(ahead.next(), nullptr);
  EXPECT_EQ(ahead.next(), nullptr);
  EXPECT_EQ(ahead.next(), nullptr);
  std::atomic<int> filled = 0;
  {
    ReadAhead<int> endless([&](int&, const std::stop_token&) { return ++filled, true; });
    endless.next();
  }
  EXPECT_LE(filled, 4) << "no further ahead than there are buffers";
}

}  // namespace
}  // namespace spcart
