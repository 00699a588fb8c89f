#include "spcart/prepare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "numpy_file.hpp"
#include "rejection.hpp"
#include "spcart/compare.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/memory.hpp"
#include "spcart/path.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::Rejection;
using testing::rejection_of;

/// A tall table, for which the Gram matrix is the cheapest solver.
Table tall() { return load_dataset("spiked:n=400,p=20,r=3,k=4"); }

TEST(Prepare, PlansTheSolverAndFormsGramWhileMeasuring) {
  const auto planned = prepare(tall(), {.components = 3});
  EXPECT_EQ(planned->plan().solver, Solver::gram);
  EXPECT_EQ(planned->plan().storage, "memory");
  EXPECT_GT(planned->plan().gram, 0);
  EXPECT_GE(planned->plan().prepare, 0);
  const auto without = prepare(tall(), {.components = 3, .without_pca = true});
  EXPECT_EQ(without->plan().gram, 0);
  EXPECT_EQ(make_matrix(tall())->plan().solver, Solver::automatic);
}

TEST(Prepare, IsFollowedByFit) {
  const auto planned = prepare(tall(), {.components = 2, .solver = Solver::krylov});
  EXPECT_EQ(fit(*planned, {.components = 2}).solver, Solver::krylov);
  EXPECT_EQ(fit(*planned, {.components = 2, .solver = Solver::outer}).solver, Solver::outer);
  const auto plain = make_matrix(tall());
  const Matrix as_planned(fit(*prepare(tall(), {.components = 2}), {.components = 2}).loadings);
  EXPECT_LE((as_planned - Matrix(fit(*plain, {.components = 2}).loadings)).norm(), 1e-9);
}

TEST(Prepare, TakesASolverThatFitsInMemory) {
  const Table wide = load_dataset("random:n=2000,p=2000");
  constexpr std::uint64_t kLittle = 150'000'000, kMuch = 2'000'000'000;
  EXPECT_EQ(prepare(wide, {.components = 2, .memory = kLittle})->plan().solver, Solver::krylov);
  EXPECT_NE(prepare(wide, {.components = 400, .memory = kMuch})->plan().solver, Solver::krylov);
  const Rejection rejection = rejection_of(
      [&] { prepare(wide, {.components = 2, .solver = Solver::gram, .memory = kLittle}); });
  EXPECT_EQ(rejection.option, "solver");
  EXPECT_EQ(rejection.value, "gram");
}

TEST(Prepare, LeavesAMemoryMapInItsFileIfItDoesNotFit) {
  const testing::TemporaryDirectory directory;
  const Matrix m = verify::random_matrix(2000, 60, 1);  // 1 MB
  const auto path = directory.file("a.npy", testing::npy_of<double>(m, "<f8"));
  Table mapped = make_table(m);
  mapped.mapped = std::get<FileView>(read_table(path, {.storage = Storage::file}).values);
  const std::uint64_t least = least_working_memory(60, 3);
  const auto storage = [&](std::optional<std::uint64_t> memory, Index components = 3) {
    return prepare(mapped, {.components = components, .memory = memory})->plan().storage;
  };
  EXPECT_EQ(storage({}), "memory");
  EXPECT_EQ(storage(least + 2'000'000), "memory");
  EXPECT_EQ(storage(least + 500'000), "file");
  EXPECT_EQ(storage(least + 2'000'000, 300), "file") << "more components leave less room";
  const Rejection rejection = rejection_of([&] { storage(1'000'000); });
  EXPECT_EQ(rejection.option, "memory");
  const PrepareOptions tight{.components = 3, .memory = least + 500'000};
  EXPECT_LE((prepare(mapped, tight)->gram() - make_dense(m)->gram()).norm(), 1e-9);
}

TEST(Prepare, TellsTheReaderWhatToReserve) {
  EXPECT_EQ(work_per_variable(2), kWorkPerVariable);
  const ReadOptions reading = reserve_work({.covariance = true}, {.components = 7, .memory = 5000});
  EXPECT_TRUE(reading.covariance);
  EXPECT_EQ(reading.memory, 5000U);
  EXPECT_EQ(reading.work_per_variable, work_per_variable(7));
}

double parts(const Timing& t) {
  return t.read + t.prepare + t.pca + t.rotate + t.refit + t.refine + t.search + t.score;
}

TEST(Prepare, TimesAddUpInFitAndCompare) {
  Table table = load_dataset("spiked:n=3000,p=200,r=3,k=10");
  table.seconds = 7;
  const auto a = prepare(table, {.components = 3});
  const Result result = fit(*a, {.components = 3});
  EXPECT_EQ(result.timing.read, 7);
  EXPECT_GE(result.timing.pca, a->plan().gram);
  EXPECT_GE(result.timing.total, parts(result.timing));
  EXPECT_LE(result.timing.total - parts(result.timing), 0.1 * (result.timing.total - 7) + 0.01);
  for (const ComparisonRow& row :
       compare(*a, {.contenders = {{.method = Method::pca}}, .nonzeros = 5})) {
    const Timing& t = row.result.timing;
    EXPECT_GE(t.pca, a->plan().gram);
    EXPECT_GE(t.total, parts(t));
    EXPECT_NEAR(row.seconds, t.total - t.read - t.prepare, 1e-12);
  }
}

TEST(Prepare, NotesOfTheTableReachEveryResult) {
  Table table = tall();
  table.notes = {"1 missing value replaced"};
  const auto a = prepare(table, {.components = 2});
  const auto has_note = [](const std::vector<std::string>& warnings) {
    return std::ranges::find(warnings, "1 missing value replaced") != warnings.end();
  };
  EXPECT_TRUE(has_note(fit(*a, {.components = 2}).warnings));
  EXPECT_TRUE(has_note(path(*a, {.components = {2}}).warnings));
}

}  // namespace
}  // namespace spcart
