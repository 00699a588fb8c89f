#include "spcart/output.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using testing::error_of;
using testing::TemporaryDirectory;
using Names = std::vector<std::string>;

Loadings sparse(const Matrix& dense) {
  Loadings x = dense.sparseView();
  return x;
}

mode_t permissions(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

TEST(OutputFile, CreatesNothingBeforeItIsWritten) {
  const TemporaryDirectory directory;
  OutputFile file(directory / "out.json");
  EXPECT_EQ(directory.files(), 0);
  file.write("hello\n");
  EXPECT_EQ(content_of(directory / "out.json"), "hello\n");
  EXPECT_EQ(directory.files(), 1);
}

TEST(OutputFile, ReplacesAndMayBeWrittenAgain) {
  const TemporaryDirectory directory;
  OutputFile file(directory.file("out.csv", "old and longer"));
  file.write("new");
  EXPECT_EQ(content_of(file.path()), "new");
  file.write(std::string(3000000, 'x'));
  EXPECT_EQ(content_of(file.path()).size(), 3000000U);
  EXPECT_EQ(directory.files(), 1);
}

TEST(OutputFile, HasItsNameOnlyOnceItIsCommitted) {
  const TemporaryDirectory directory;
  {
    OutputFile kept(directory / "kept"), dropped(directory / "dropped");
    kept.prepare("new");
    dropped.prepare("never");
    EXPECT_FALSE(fs::exists(directory / "kept"));
    EXPECT_EQ(directory.files(), 2);
    kept.commit();
    EXPECT_EQ(content_of(directory / "kept"), "new");
  }
  EXPECT_EQ(directory.files(), 1);
}

TEST(OutputFile, GivesPermissionsAsAnyProgramDoes) {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(027);
  OutputFile(directory / "new").write("x");
  ::umask(before);
  EXPECT_EQ(permissions(directory / "new"), 0640U);
  const auto old = directory.file("old", "x");
  ASSERT_EQ(::chmod(old.c_str(), 0604), 0);
  OutputFile(old).write("y");
  EXPECT_EQ(permissions(old), 0604U);
}

TEST(OutputFile, WritesWhatALinkPointsTo) {
  const TemporaryDirectory directory;
  const auto target = directory.file("target", "old");
  fs::create_symlink(target, directory / "link");
  OutputFile(directory / "link").write("new");
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_EQ(content_of(target), "new");
}

TEST(OutputFile, WritesDevicesDirectly) {
  OutputFile("/dev/null").write("nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, WritesPipesDirectly) {
  const TemporaryDirectory directory;
  const fs::path pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = content_of(pipe); });
  OutputFile(pipe).write("through");
  reader.join();
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(OutputFile, WritesToStandardOutputForADash) {
  ::testing::internal::CaptureStdout();
  OutputFile("-").write("to the terminal\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to the terminal\n");
}

TEST(OutputFile, RejectsWhatCannotBeWrittenBeforeTheWork) {
  const TemporaryDirectory directory;
  const auto rejection = [](const fs::path& path) {
    return error_of([&] { OutputFile file(path); });
  };
  EXPECT_HAS(rejection(directory / "no/such/out.csv"), "no/such/out.csv: there is no directory");
  EXPECT_HAS(rejection(directory / ""), "is a directory");
  fs::create_directory(directory / "folder");
  EXPECT_HAS(rejection(directory / "folder"), "folder: is a directory");
  EXPECT_HAS(rejection(directory / "new/"), "is a directory");
  EXPECT_HAS(rejection(""), "empty");
  EXPECT_HAS(rejection(directory.file("plain", "x") / "out.csv"), "plain/out.csv: ");
  EXPECT_HAS(rejection(directory / std::string(300, 'n')), "cannot be written");
}

TEST(OutputFile, RejectsReadOnlyPlaces) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is read-only for the superuser";
  const TemporaryDirectory directory;
  fs::create_directory(directory / "folder");
  ::chmod((directory / "folder").c_str(), 0500);
  EXPECT_HAS(error_of([&] { OutputFile file(directory / "folder/out"); }), "no file can be made");
  ::chmod((directory / "folder").c_str(), 0700);
  const auto old = directory.file("old", "x");
  ::chmod(old.c_str(), 0400);
  EXPECT_HAS(error_of([&] { OutputFile file(old); }), "old: cannot be written");
}

TEST(OutputFile, LeavesTheOldFileIfTheSystemFails) {
  const TemporaryDirectory directory;
  OutputFile file(directory.file("out.csv", "old"));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    file.write(std::string(5000, 'x'));
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_HAS(message, "out.csv: cannot be written");
  EXPECT_EQ(content_of(file.path()), "old");
  EXPECT_EQ(directory.files(), 1);
}

TEST(OutputFile, FullDeviceIsAnErrorOfTheSystem) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  OutputFile file("/dev/full");
  EXPECT_THROW(file.write("x"), std::runtime_error);
}

TEST(OutputFile, RemovingUnfinishedFilesHarmsNoFinishedOne) {
  const TemporaryDirectory directory;
  OutputFile(directory / "done").write("x");
  remove_unfinished_files();
  EXPECT_EQ(content_of(directory / "done"), "x");
}

TEST(LoadingsCsv, WritesNamesAndShortestNumbers) {
  const Loadings x = sparse(Matrix{{0.1, 0}, {0, -1}, {1e-20, 1.0 / 3}});
  EXPECT_EQ(loadings_csv(x, Names{"a", "b,c", "say \"hi\""}),
            ",PC1,PC2\na,0.1,0\n\"b,c\",0,-1\n\"say \"\"hi\"\"\",1e-20,0.3333333333333333\n");
}

TEST(LoadingsCsv, ComesBackExactly) {
  const TemporaryDirectory directory;
  const Names names{"1990", "", "two\nlines", " blank ", "NA", "a;b\tc"};
  Matrix dense = Matrix::Random(6, 3);
  dense(0, 1) = dense(5, 2) = 0;
  OutputFile(directory / "x.csv").write(loadings_csv(sparse(dense), names));
  EXPECT_EQ(Matrix(read_loadings(directory / "x.csv", names)), dense);
  EXPECT_EQ(read_table(directory / "x.csv").samples, names);
}

TEST(ScoresCsv, WritesSamplesIfTheyHaveNames) {
  const Matrix scores{{1, 2.5}, {-3, 0}};
  EXPECT_EQ(scores_csv(scores, {}), "PC1,PC2\n1,2.5\n-3,0\n");
  EXPECT_EQ(scores_csv(scores, Names{"s1", "s,2"}), ",PC1,PC2\ns1,1,2.5\n\"s,2\",-3,0\n");
}

}  // namespace
}  // namespace spcart
