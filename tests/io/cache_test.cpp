#include "io/cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <limits>
#include <random>

#include "numpy_file.hpp"
#include "spcart/io.hpp"
#include "table/open_file.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;
using testing::csv_of;
using testing::error_of;
using testing::gzipped;
using testing::npy_of;
using testing::TemporaryDirectory;

/// The same table in memory and in a file, which must agree in everything else.
void expect_twins(const fs::path& path, ReadOptions options = {}) {
  options.storage = Storage::memory;
  const Table memory = read_table(path, options);
  options.storage = Storage::file;
  const Table file = read_table(path, options);
  ASSERT_TRUE(file.in_file());
  EXPECT_EQ(to_matrix(file), to_matrix(memory));
  EXPECT_EQ(file.variables, memory.variables);
  EXPECT_EQ(file.samples, memory.samples);
  EXPECT_EQ(file.notes, memory.notes);
  const Matrix x = verify::random_matrix(memory.cols(), 2, 1);
  const auto a = make_matrix(file, {.scale = true}), twin = make_matrix(memory, {.scale = true});
  EXPECT_LE((a->gram_times(x) - twin->gram_times(x)).norm(),
            1e-12 * (1 + twin->gram_times(x).norm()));
}

/// One of each kind: with names and labels, with gaps, sparse, dense by columns, packed.
class TextInFile : public ::testing::Test {
 protected:
  void expect_everywhere(const std::string& name, const std::string& content,
                         const std::string& excluded) {
    for (const bool packed : {false, true}) {
      const fs::path path =
          directory_.file(name + (packed ? ".gz" : ""), packed ? gzipped(content) : content);
      SCOPED_TRACE(path.string());
      for (const Missing missing : {Missing::drop, Missing::mean}) {
        expect_twins(path, {.missing = missing});
        expect_twins(path, {.missing = missing, .exclude = {excluded}});
      }
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(TextInFile, SeparatedTextMatchesItsTwinInMemory) {
  expect_everywhere("a.csv",
                    "name,height,width,age\n"
                    "\"Smith, J\",1.5,2,3\nb,NA,5e3,6\nc,7,8.25,\nd,-1,0,2\ne,4,4,4\n",
                    "width");
  expect_everywhere("a.tsv", "1\t2\t3\n4\t\t6\n7\t9\t8\n3\t3\t3\n", "x1");
}

TEST_F(TextInFile, MatrixMarketMatchesItsTwinInMemory) {
  expect_everywhere("a.mtx",
                    "%%MatrixMarket matrix coordinate real general\n5 4 8\n"
                    "3 1 1.5\n1 2 2\n5 4 -1\n1 2 0.5\n2 2 nan\n1 1 7\n3 3 2\n5 1 3\n",
                    "x3");
  expect_everywhere(
      "b.mtx", "%%MatrixMarket matrix array real general\n4 2\n1\n2\nnan\n4\n5\n6\n7\n9\n", "x2");
  expect_everywhere("c.mtx",
                    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n"
                    "1 1 2\n3 1 1.5\n2 2 1\n3 3 5\n",
                    "x2");
}

TEST_F(TextInFile, NumPyMatchesItsTwinInMemory) {
  Matrix m = verify::random_matrix(6, 3, 1);
  m(2, 1) = m(4, 0) = std::numeric_limits<double>::quiet_NaN();
  for (const bool fortran : {false, true}) {
    expect_everywhere("a.npy", npy_of<double>(m, "<f8", fortran), "x2");
    expect_everywhere("a.npy", npy_of<float>(m, "<f4", fortran), "x2");
    expect_everywhere(
        "a.npy", npy_of<std::int16_t>(verify::random_matrix(5, 3, 1) * 9, "<i2", fortran), "x2");
  }
}

TEST_F(TextInFile, WhatIsRejectedInMemoryIsRejected) {
  const auto message = [&](const std::string& name, const std::string& content,
                           const ReadOptions& options) {
    const fs::path path = directory_.file(name, content);
    return error_of([&] { read_table(path, options); });
  };
  for (const auto& [name, content] :
       {std::pair{"a.csv", "a,b\n1,2\n3,NA\n"},
        {"a.csv", "a,b\n1,2\n3,inf\n"},
        {"a.csv", "a,b\n1,2\n3\n"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 1 1\n"},
        {"a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n"}}) {
    ReadOptions options{.storage = Storage::memory};
    const std::string expected = message(name, content, options);
    options.storage = Storage::file;
    EXPECT_EQ(message(name, content, options), expected);
  }
  const ReadOptions drop{.missing = Missing::drop, .storage = Storage::file};
  EXPECT_HAS(message("a.csv", "a,b\nNA,1\n2,NA\n", drop), "none is left");
  EXPECT_HAS(message("a.npy", npy_of<double>(Matrix{{1, INFINITY}}, "<f8"), drop), "infinite");
}

TEST_F(TextInFile, UnorderedEntriesAreSortedInRuns) {
  // Some 400000 entries in random order, many of them twice: more than a run holds.
  constexpr Index kRows = 3000, kCols = 200;
  std::mt19937 random(1);
  std::string text;
  Matrix expected = Matrix::Zero(kRows, kCols);
  constexpr int kEntries = 400000;
  for (int k = 0; k < kEntries; ++k) {
    const auto i = static_cast<Index>(random() % kRows), j = static_cast<Index>(random() % kCols);
    const int value = static_cast<int>(random() % 9) - 4;
    expected(i, j) += value;
    text +=
        std::to_string(i + 1) + " " + std::to_string(j + 1) + " " + std::to_string(value) + "\n";
  }
  const fs::path path = directory_.file(
      "a.mtx", "%%MatrixMarket matrix coordinate real general\n3000 200 400000\n" + text);
  const Table table = read_table(path, {.storage = Storage::file});
  const auto& view = std::get<FileView>(table.values);
  EXPECT_TRUE(view.sparse);
  EXPECT_LT(view.entries, kEntries);
  EXPECT_EQ(to_matrix(table), expected);
  const auto a = make_matrix(table);
  const auto twin = make_dense(expected);
  const Matrix x = verify::random_matrix(kCols, 3, 1);
  EXPECT_LE((a->gram_times(x) - twin->gram_times(x)).norm(), 1e-11 * twin->gram().norm());
}

TEST_F(TextInFile, OrderIsLostAndFoundWhereverRoomEnds) {
  // Ordered up to some entry, then not: with little room the list is written before it is widened.
  for (const int ordered : {0, 1, 60000, 87000, 90000}) {
    std::string text;
    constexpr int kEntries = 100000, kCols = 100;
    for (int k = 0; k < kEntries; ++k) {
      const int index = k < ordered ? k : kEntries - 1 - (k - ordered);
      text += std::to_string(index / kCols + 1) + " " + std::to_string(index % kCols + 1) + " " +
              std::to_string(k + 1) + "\n";
    }
    const fs::path path = directory_.file(
        "a.mtx", "%%MatrixMarket matrix coordinate integer general\n1000 100 100000\n" + text);
    EXPECT_EQ(to_matrix(read_table(path, {.storage = Storage::file})),
              to_matrix(read_table(path, {.storage = Storage::memory})));
  }
}

class KeptCopies : public ::testing::Test {
 protected:
  Table read(ReadOptions options = {}) const {
    options.storage = Storage::file;
    options.cache = folder_;
    return read_table(path_, options);
  }

  std::vector<fs::path> copies() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.push_back(entry.path());
    std::ranges::sort(all);
    return all;
  }

  static ino_t number(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_ino;
  }

  TemporaryDirectory directory_;
  fs::path folder_ = directory_ / "copies";
  Matrix m_ = verify::random_matrix(50, 4, 1);
  fs::path path_ = directory_.file("a.csv", "id,a,b,c,d\n" + labelled(m_));

  static std::string labelled(const Matrix& m) {
    std::string text, lines = csv_of(m);
    for (std::size_t begin = 0, row = 0; begin < lines.size(); ++row) {
      const std::size_t end = lines.find('\n', begin) + 1;
      text += "row " + std::to_string(row) + "," + lines.substr(begin, end - begin);
      begin = end;
    }
    return text;
  }
};

TEST_F(KeptCopies, ServeTheNextTime) {
  const Table first = read({.missing = Missing::mean});
  ASSERT_EQ(copies().size(), 1u);
  const fs::path copy = copies().front();
  EXPECT_TRUE(copy.filename().string().starts_with("a.csv-")) << copy;
  const ino_t before = number(copy);
  const Table second = read({.missing = Missing::mean});
  EXPECT_EQ(number(copy), before) << "it was made again";
  EXPECT_EQ(to_matrix(second), m_);
  EXPECT_EQ(second.variables, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(second.samples, first.samples);
  EXPECT_EQ(second.samples[49], "row 49");
  EXPECT_EQ(second.notes, first.notes);
  // Shows that the copy is read, and not its source.
  const int file = ::open(copy.c_str(), O_WRONLY);
  const double changed = 42;
  ASSERT_EQ(::pwrite(file, &changed, 8, io::kCacheHeader), 8);
  ::close(file);
  EXPECT_EQ(to_matrix(read({.missing = Missing::mean}))(0, 0), 42);
  // A table that fits in memory is read as usual.
  ReadOptions roomy{.missing = Missing::mean};
  roomy.cache = folder_;
  EXPECT_FALSE(read_table(path_, roomy).in_file());
}

TEST_F(KeptCopies, AreMadeAnewIfSourceOrOptionsChange) {
  read();
  read({.missing = Missing::drop});
  read({.exclude = {"b"}});
  read({.exclude = {"b", "c"}});
  read({.row_labels = Tristate::yes});
  EXPECT_EQ(copies().size(), 5u);
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::seconds(1));
  read();
  EXPECT_EQ(copies().size(), 6u);
  m_ *= 2;
  directory_.file("a.csv", "id,a,b,c,d\n" + labelled(m_));
  EXPECT_EQ(to_matrix(read()), m_);
  const fs::path other = directory_.file("b.csv", "id,a,b,c,d\n" + labelled(-m_));
  fs::last_write_time(other, fs::last_write_time(path_));
  path_ = other;
  EXPECT_EQ(to_matrix(read()), -m_);
}

TEST_F(KeptCopies, AreNotTrustedWhenBroken) {
  read();
  const fs::path copy = copies().front();
  const std::string good = testing::content_of(copy);
  std::vector<std::string> broken = {"", good.substr(0, 50), good.substr(0, io::kCacheHeader),
                                     good.substr(0, good.size() - 1), good + "x"};
  for (const std::size_t at : {0, 8, 16, 24, 32, 40, 56, 64, 80, 88}) {  // fields of the header
    broken.push_back(good);
    broken.back()[at] = static_cast<char>(broken.back()[at] + 77);
  }
  broken.push_back(good);  // the key
  broken.back()[good.find("a.csv")] = 'b';
  for (const std::string& content : broken) {
    fs::remove(copy);
    std::ofstream(copy, std::ios::binary) << content;
    EXPECT_TRUE(to_matrix(read()) == m_);
    EXPECT_TRUE(testing::content_of(copy) == good);
  }
}

TEST_F(KeptCopies, SparseOnesServeToo) {
  path_ = directory_.file("a.mtx",
                          "%%MatrixMarket matrix coordinate real general\n3 4 3\n"
                          "3 1 1.5\n1 2 2\n3 4 -1\n");
  const Matrix expected = to_matrix(read());
  const ino_t before = number(copies().front());
  EXPECT_EQ(to_matrix(read()), expected);
  EXPECT_EQ(number(copies().front()), before);
  EXPECT_EQ(expected(2, 3), -1);
}

TEST_F(KeptCopies, AreNotMadeOfAFileThatChangesMeanwhile) {
  int ticks = 0;
  const Tick change = [&](double) {
    if (++ticks == 2) fs::last_write_time(path_, fs::file_time_type::clock::now());
  };
  const ReadOptions options{.storage = Storage::file, .cache = folder_};
  EXPECT_HAS(error_of([&] { read_table(path_, options, change); }), "changed while it was");
  EXPECT_EQ(copies().size(), 0u);
}

TEST_F(KeptCopies, LeaveNothingIfReadingFails) {
  path_ = directory_.file("a.csv", "a,b\n1,2\n3,NA\n");
  EXPECT_THROW(read(), Error);
  EXPECT_EQ(copies().size(), 0u);
  const Tick stop = [&](double) { throw Cancelled(); };
  const ReadOptions options{.storage = Storage::file, .cache = folder_};
  EXPECT_THROW(read_table(path_, options, stop), Cancelled);
  EXPECT_EQ(copies().size(), 0u);
}

/// The result of `work` in a process of its own.
template <class Work>
pid_t in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(work());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(99);
    }
  }
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(KeptCopies, MayBeMadeBySeveralAtOnce) {
  fs::create_directory(folder_);
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i)
    children.push_back(in_child([&] {
      for (int round = 0; round < 5; ++round) {
        const Table table = read();
        if (round == 2)
          for (const fs::path& copy : copies())  // so that it must be made again
            if (copy.extension() == ".spcart") fs::remove(copy);
        if (to_matrix(table) != m_) return 1;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  for (const fs::path& copy : copies()) EXPECT_EQ(copy.extension(), ".spcart");
}

TEST_F(KeptCopies, FullDiskIsReported) {
  const auto fill = [&](const fs::path& cache) {
    return in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit most{5000, 5000};
      setrlimit(RLIMIT_FSIZE, &most);
      try {
        read_table(path_, {.storage = Storage::file, .cache = cache});
      } catch (const Error&) {
        return 2;
      } catch (const std::exception& error) {
        return testing::has(error.what(), "cannot be written: File too large") ? 0 : 3;
      }
      return 4;
    });
  };
  EXPECT_EQ(status_of(fill(folder_)), 0);
  EXPECT_EQ(copies().size(), 0u);
  EXPECT_EQ(status_of(fill({})), 0);
}

TEST_F(KeptCopies, FolderMustBeUsable) {
  folder_ = directory_ / "no/such";
  EXPECT_HAS(error_of([&] { read(); }), "there is no such folder, and it cannot be made");
  folder_ = path_;
  EXPECT_HAS(error_of([&] { read(); }), "there is no such folder");
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is read-only for the superuser";
  folder_ = directory_ / "locked";
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms::owner_read);
  EXPECT_HAS(error_of([&] { read(); }), "no file can be made there");
}

TEST(Storage, FollowsMemory) {
  const TemporaryDirectory directory;
  const Matrix m = verify::random_matrix(2000, 500, 1);  // 8 MB
  const fs::path path = directory.file("a.npy", npy_of<double>(m, "<f8"));
  EXPECT_FALSE(read_table(path).in_file());
  EXPECT_FALSE(read_table(path, {.memory = std::uint64_t{1} << 40}).in_file());
  bool in_file = true;
  for (std::uint64_t memory = 1000000; memory < 1000000000; memory += memory / 10) {
    const ReadOptions options{.memory = memory, .work_per_variable = work_per_variable(3)};
    try {
      const bool now = read_table(path, options).in_file();
      EXPECT_TRUE(in_file || !now) << "with more memory a table stays in memory";
      in_file = now;
    } catch (const Error& error) {
      EXPECT_TRUE(in_file) << "with more memory what could be read can be read";
      EXPECT_HAS(std::string(error.what()), "memory = ");
      EXPECT_HAS(std::string(error.what()), "work on 500 variables takes at least");
    }
  }
  EXPECT_FALSE(in_file);
}

}  // namespace
}  // namespace spcart
