#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include "command.hpp"
#include "data/resample.hpp"
#include "spcart/bootstrap.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/prepare.hpp"
#include "table/open_file.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::TemporaryDirectory;
using verify::random_matrix;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Counts of an allele, of which about one in `gap` is missing; not in the first sample.
Matrix genotypes(Index n, Index p, unsigned gap, unsigned seed = 1) {
  std::mt19937 random(seed);
  Matrix m(n, p);
  for (Index j = 0; j < p; ++j) {
    std::binomial_distribution<int> count(2, 0.1 + 0.4 * static_cast<double>(random() % 100) / 99);
    for (Index i = 0; i < n; ++i)
      m(i, j) = gap > 0 && i > 0 && random() % gap == 0 ? kMissing : count(random);
  }
  return m;
}

/// The bytes of a .bed; `by_variant`: lines are the columns of the table.
std::string bed_of(const Matrix& m, bool by_variant = true) {
  std::string bed("\x6c\x1b\x01", 3);
  if (!by_variant) bed[2] = 0;
  const Matrix lines = by_variant ? Matrix(m.transpose()) : m;
  for (Index i = 0; i < lines.rows(); ++i)
    for (Index k = 0; k < lines.cols(); k += 4) {
      unsigned byte = 0;
      for (Index b = 0; b < std::min<Index>(4, lines.cols() - k); ++b) {
        const double value = lines(i, k + b);
        const unsigned code = std::isnan(value) ? 1 : value == 2 ? 0 : value == 1 ? 2 : 3;
        byte |= code << (2 * static_cast<unsigned>(b));
      }
      bed += static_cast<char>(byte);
    }
  return bed;
}

std::string bim_of(Index variants) {
  std::string bim;
  for (Index j = 0; j < variants; ++j)
    bim += fmt::format("1\trs{}\t0\t{}\tA\tG\n", j + 1, 100 * (j + 1));
  return bim;
}

std::string fam_of(Index samples) {
  std::string fam;
  for (Index i = 0; i < samples; ++i) fam += fmt::format("f{0} i{0} 0 0 1 -9\n", i + 1);
  return fam;
}

/// Missing values as the mean of the others.
Matrix filled(Matrix m) {
  for (Index j = 0; j < m.cols(); ++j) {
    double sum = 0, count = 0;
    for (const double value : m.col(j))
      if (!std::isnan(value)) sum += value, ++count;
    for (double& value : m.col(j))
      if (std::isnan(value)) value = sum / count;
  }
  return m;
}

/// What `--scale` divides by.
Vector genetic_scales(const Matrix& m) {
  const Vector f = m.colwise().mean().transpose() / 2;
  return (2 * f.array() * (1 - f.array())).sqrt();
}

class Plink : public ::testing::Test {
 protected:
  fs::path write(const Matrix& m, bool by_variant = true) const {
    directory_.file("x.bim", bim_of(m.cols()));
    directory_.file("x.fam", fam_of(m.rows()));
    return directory_.file("x.bed", bed_of(m, by_variant));
  }

  /// The error of reading three files.
  std::string error(const std::string& bed, const std::string& bim, const std::string& fam,
                    const ReadOptions& options = {}) const {
    directory_.file("x.bim", bim);
    directory_.file("x.fam", fam);
    const fs::path path = directory_.file("x.bed", bed);
    return error_of([&] { read_table(path, options); });
  }

  TemporaryDirectory directory_;
};

TEST_F(Plink, WhatPlinkWroteIsWhatItRecodes) {
  // plink1.9 --dummy 7 5 0.1 --seed 3 --make-bed, and then --recode A.
  const std::string bed("\x6c\x1b\x01\xe2\x1a\xe7\x3e\xfe\x3b\xbe\x0a\xe2\x2a", 13);
  const std::string bim =
      "1\tsnp0\t0\t0\tB\tA\n1\tsnp1\t0\t1\tB\tA\n1\tsnp2\t0\t2\tB\tA\n"
      "1\tsnp3\t0\t3\tA\tB\n1\tsnp4\t0\t4\tA\tB\n";
  std::string fam;
  for (int i = 0; i < 7; ++i) fam += fmt::format("per{0} per{0} 0 0 2 1\n", i);
  Matrix expected(7, 5);
  expected << 1, 0, 1, 1, 1, 2, 1.0 / 3, 0, 0, 2, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0,
      1, 1, 1, 1, 0, 0, 2, 1;  // missing are snp1 of per1 and snp0 of per6
  directory_.file("dummy.bim", bim);
  directory_.file("dummy.fam", fam);
  const Table table = read_table(directory_.file("dummy.bed", bed));
  EXPECT_EQ(to_matrix(table), expected);
  EXPECT_EQ(table.variables, (std::vector<std::string>{"snp0", "snp1", "snp2", "snp3", "snp4"}));
  EXPECT_EQ(table.samples.front(), "per0");
  EXPECT_TRUE(table.labels.empty());
  EXPECT_TRUE(table.genotypes);
  EXPECT_EQ(table.notes,
            std::vector<std::string>{
                "2 missing genotypes (5.7 %) replaced by the mean of their variables"});
}

TEST_F(Plink, EveryProductMatchesTheDenseTable) {
  for (const auto& [n, p] : {std::pair{61, 9}, {7, 80}, {8, 5}, {1, 3}, {130, 131}})
    for (const unsigned gap : {0U, 7U})
      for (const bool by_variant : {true, false}) {
        const Matrix m = genotypes(n, p, gap);
        const fs::path path = write(m, by_variant);
        const Matrix whole = filled(m);
        for (const bool scale : {false, true})
          for (const bool row_mean : {false, true})
            for (const std::uint64_t memory : {1, 3000, 1 << 26}) {
              SCOPED_TRACE(
                  fmt::format("{} x {}, {} {} {} {}", n, p, by_variant, scale, row_mean, memory));
              Table table = read_table(path);
              std::get<FileView>(table.values).memory = memory;
              EXPECT_EQ(to_matrix(table), whole);
              const Preparation preparation{.remove_row_mean = row_mean, .scale = scale};
              const auto a = make_matrix(table, preparation);
              Preparation same = preparation;
              if (scale) same.scales = genetic_scales(whole);
              const auto twin = make_dense(whole, same);
              const Matrix x = random_matrix(p, 3, 11), y = random_matrix(n, 3, 12);
              std::vector<Index> some;
              for (Index j = 0; j < p; j += 2) some.push_back(j);
              // A monomorphic variant is constant, so that the twin with given scales differs
              // there.
              if (!a->constant_columns().empty()) continue;
              const auto expect_near = [](const Matrix& got, const Matrix& expected) {
                EXPECT_LE((got - expected).norm(), 1e-12 * (1 + expected.norm()));
              };
              expect_near(a->means(), twin->means());
              expect_near(a->scales(), twin->scales());
              expect_near(a->column_squared_norms(), twin->column_squared_norms());
              for (int call = 0; call < 2; ++call) {
                expect_near(a->times(x), twin->times(x));
                expect_near(a->adjoint_times(y), twin->adjoint_times(y));
                expect_near(a->gram_times(x), twin->gram_times(x));
                expect_near(a->gram(), twin->gram());
                expect_near(a->outer_gram(), twin->outer_gram());
                expect_near(a->gram_of(some), twin->gram_of(some));
              }
            }
      }
}

TEST_F(Plink, SinglePrecisionMatchesToItsDigits) {
  const Matrix m = genotypes(3000, 21, 30);
  const auto a = make_matrix(read_table(write(m)), {.scale = true, .precision = Precision::single});
  const auto twin = make_dense(filled(m), {.scale = true, .scales = genetic_scales(filled(m))});
  const Matrix x = random_matrix(21, 3, 11), y = random_matrix(3000, 3, 12);
  const auto expect_near = [](const Matrix& got, const Matrix& expected) {
    EXPECT_LE((got - expected).norm(), 1e-5 * expected.norm());
  };
  expect_near(a->times(x), twin->times(x));
  expect_near(a->adjoint_times(y), twin->adjoint_times(y));
  expect_near(a->gram_times(x), twin->gram_times(x));
}

TEST_F(Plink, LoadingsAreThoseOfTheDenseTable) {
  for (const auto& [n, p] : {std::pair{90, 40}, {40, 300}}) {
    const Matrix m = genotypes(n, p, 25);
    const Matrix whole = filled(m);
    const fs::path path = write(m);
    for (const bool scale : {false, true})
      for (const Solver solver : {Solver::automatic, Solver::outer, Solver::krylov}) {
        Table table = read_table(path);
        std::get<FileView>(table.values).memory = 5000;
        Preparation preparation{.scale = scale};
        const auto a = prepare(table, {.preparation = preparation, .components = 3});
        if (scale) preparation.scales = genetic_scales(whole);
        const auto twin = make_dense(whole, preparation);
        const Options options{.components = 3, .nonzeros = 5, .solver = solver};
        const Result got = fit(*a, options), expected = fit(*twin, options);
        EXPECT_EQ(verify::supports(got.loadings), verify::supports(expected.loadings));
        EXPECT_LE((Matrix(got.loadings) - Matrix(expected.loadings)).norm(), 1e-9);
      }
  }
}

TEST_F(Plink, MonomorphicVariantsAreConstant) {
  Matrix m = genotypes(20, 4, 0);
  m.col(1).setConstant(0);
  m.col(2).setConstant(1);  // all heterozygous: their frequency alone does not tell
  m.col(3).setConstant(2);
  const auto a = make_matrix(read_table(write(m)), {.scale = true});
  EXPECT_EQ(a->constant_columns(), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(a->column_squared_norms().tail(3), Vector::Zero(3));
}

TEST_F(Plink, APassReadsTheFileOnce) {
  const Matrix m = genotypes(203, 700, 20);
  const fs::path path = write(m);
  Table table = read_table(path);
  auto& view = std::get<FileView>(table.values);
  view.memory = 100000;  // many blocks
  const std::uint64_t bytes = stored_bytes(table);
  EXPECT_EQ(bytes, fs::file_size(path) - 3);
  std::uint64_t before = view.file->bytes_read();
  const auto passes = [&] {
    const std::uint64_t now = view.file->bytes_read();
    return static_cast<double>(now - std::exchange(before, now)) / static_cast<double>(bytes);
  };
  const auto a = make_matrix(table);
  EXPECT_EQ(passes(), 1) << "measured";
  const Matrix x = random_matrix(700, 3, 11), y = random_matrix(203, 3, 12);
  a->times(x);
  EXPECT_EQ(passes(), 1);
  a->adjoint_times(y);
  EXPECT_EQ(passes(), 1);
  a->gram_times(x);
  EXPECT_EQ(passes(), 2);
  a->outer_gram();
  EXPECT_EQ(passes(), 1);
  const std::vector<Index> some = {3, 4, 5, 90, 600, 699};
  a->gram_of(some);
  EXPECT_LE(passes(), 4 * 6.0 / 700) << "only the variables that are asked for";
}

TEST_F(Plink, SamplesAreResampledAsThoseOfTheDenseTable) {
  const Matrix m = genotypes(50, 12, 9), whole = filled(m);
  const Preparation preparation{.remove_row_mean = true, .scale = true};
  const auto a = make_matrix(read_table(write(m)), preparation);
  const Options options{.components = 2, .nonzeros = 3};
  Table table = make_table(whole);
  table.genotypes = true;
  const auto twin = make_matrix(table, preparation);
  const Stability got = bootstrap(*a, fit(*a, options), {.resamples = 20});
  const Stability expected = bootstrap(*twin, fit(*twin, options), {.resamples = 20});
  EXPECT_LE((Matrix(got.frequencies) - Matrix(expected.frequencies)).norm(), 1e-9);
  const auto permuted = permute_columns(*a, 3), permuted_twin = permute_columns(*twin, 3);
  EXPECT_LE((permuted->gram() - permuted_twin->gram()).norm(), 1e-9);
  EXPECT_LE((permuted->column_squared_norms() - a->column_squared_norms()).norm(), 1e-9);
}

TEST_F(Plink, VariablesAreChosenInPlace) {
  const Matrix m = genotypes(30, 12, 9);
  const fs::path path = write(m);
  const Table table = read_table(path, {.include = {"rs3:rs9"}, .exclude = {"rs5"}});
  const std::vector<Index> kept = {2, 3, 5, 6, 7, 8};
  EXPECT_EQ(to_matrix(table), filled(m)(Eigen::all, kept));
  EXPECT_EQ(table.variables, (std::vector<std::string>{"rs3", "rs4", "rs6", "rs7", "rs8", "rs9"}));
  EXPECT_EQ(std::get<FileView>(table.values).file->name(), path.string());
  const Matrix rows = filled(m.transpose());
  EXPECT_EQ(to_matrix(read_table(path, {.exclude = {"i2"}, .transpose = true})),
            (Matrix(12, 29) << rows.col(0), rows.rightCols(28)).finished());
}

TEST_F(Plink, MissingGenotypesFollowTheOption) {
  Matrix m = genotypes(10, 6, 0);
  m(3, 2) = m(7, 5) = kMissing;
  const fs::path path = write(m);
  EXPECT_EQ(error_of([&] { read_table(path, {.missing = Missing::error}); }),
            path.string() +
                ": row 4, column 3 ('rs3') is missing (NaN); --missing drop leaves such samples "
                "out, --missing mean fills in the variable's mean");
  const Table dropped = read_table(path, {.missing = Missing::drop});
  const std::vector<Index> kept = {0, 1, 2, 4, 5, 6, 8, 9};
  EXPECT_EQ(to_matrix(dropped), m(kept, Eigen::all));
  EXPECT_EQ(dropped.samples[3], "i5");
  EXPECT_TRUE(dropped.genotypes);
  const Matrix rest = m(kept, Eigen::all);
  EXPECT_LE((make_matrix(dropped, {.scale = true})->scales() - genetic_scales(rest)).norm(), 1e-12);
  EXPECT_EQ(directory_.files(), 3) << "nothing is left of the copy";

  m.col(1).setConstant(kMissing);
  EXPECT_HAS(error_of([&] { read_table(write(m)); }),
             "column 2 ('rs2') has missing values only: it has no mean");
  EXPECT_HAS(error_of([&] { read_table(write(m), {.missing = Missing::drop}); }), "none is left");
}

TEST_F(Plink, TransposedTablesFillInTheMeansOfTheirOwnVariables) {
  const Matrix m = genotypes(9, 14, 6);
  const fs::path path = write(m);
  const Table table = read_table(path, {.transpose = true});
  EXPECT_EQ(to_matrix(table), filled(m.transpose()));
  EXPECT_EQ(table.variables[1], "i2");
  EXPECT_EQ(table.samples[1], "rs2");
  EXPECT_FALSE(table.genotypes);
  EXPECT_TRUE(table.labels.empty());
}

TEST_F(Plink, NamesAreUniqueByAStatedRule) {
  const Matrix m = genotypes(4, 4, 0);
  directory_.file("x.fam", "a 1 0 0 0 -9\na 2 0 0 0 -9\nb 1 0 0 0 -9\nb 2 0 0 0 -9\n");
  directory_.file("x.bim", "1 . 0 5 A G\n2 rs1 7 A C\nX rs2 0 8 A C\n3\trs1 0 9 T C\r\n\n");
  const fs::path path = directory_.file("x.bed", bed_of(m));
  const Table table = read_table(path);
  EXPECT_EQ(table.variables, (std::vector<std::string>{"1:5:A:G", "2:7:A:C", "rs2", "3:9:T:C"}));
  EXPECT_EQ(table.samples, (std::vector<std::string>{"a_1", "a_2", "b_1", "b_2"}));
  EXPECT_EQ(table.labels, (std::vector<std::string>{"a", "a", "b", "b"}));
  const Table labelled = read_table(path, {.labels = directory_.file("l.txt", "u\nv\nu\nv\n")});
  EXPECT_EQ(labelled.labels, (std::vector<std::string>{"u", "v", "u", "v"})) << "as given";
  EXPECT_EQ(labelled.samples, table.samples);
}

TEST_F(Plink, BadFilesAreRejected) {
  const Matrix m = genotypes(5, 3, 0);
  const std::string bed = bed_of(m), bim = bim_of(3), fam = fam_of(5);
  EXPECT_HAS(error(bed.substr(0, 8), bim, fam),
             "x.bed: has 8 bytes, but the 3 variants in x.bim and the 5 samples in x.fam need 9");
  EXPECT_HAS(error(bed + '\0', bim, fam), "has 10 bytes");
  EXPECT_HAS(error(bed, bim_of(4), fam), "the 4 variants in x.bim");
  EXPECT_HAS(error(bed, bim, fam_of(9)), "the 9 samples in x.fam need 12");
  EXPECT_HAS(error(bed, "", fam), "x.bim: is empty");
  EXPECT_HAS(error(bed, bim, "\n\n"), "x.fam: has no samples");
  EXPECT_HAS(error("chr1\t10\t20\n", bim, fam), "is no .bed of PLINK: it begins with 'ch'");
  EXPECT_HAS(error("", bim, fam), "x.bed: is empty");
  EXPECT_HAS(error("\x6c\x1b", bim, fam),
             "its third byte must be 1 (by variants) or 0 (by samples)");
  EXPECT_HAS(error("\x6c\x1b\x07", bim, fam), "and is 7");
  EXPECT_HAS(error(testing::gzipped(bed), bim, fam), "is read from a plain file only");
  EXPECT_HAS(error(bed, "1 rs1 0\n", fam), "x.bim:1: has 3 fields; a variant has 6");
  EXPECT_HAS(error(bed, bim, fam_of(4) + "f5 i5\n"), "x.fam:5: has 2 fields; a sample has 6");
  EXPECT_HAS(error(bed, bim_of(2) + "1 rs1 0 100 A G\n", fam),
             "x.bim:3: variant '1:100:A:G' is that of line 1 again");
  EXPECT_HAS(error(bed, bim, fam_of(4) + "f1 i1 0 0 0 0\n"),
             "x.fam:5: sample 'f1_i1' is that of line 1 again");
  EXPECT_HAS(error(bed, bim, fam, {.covariance = true}), "is no covariance");
  EXPECT_HAS(error(bed, bim, fam, {.labels_column = "sex"}), "--labels-column");
  EXPECT_HAS(error(bed, bim, fam, {.memory = 1000}), "memory");
  fs::remove(directory_ / "x.fam");
  EXPECT_HAS(error_of([&] { read_table(directory_ / "x.bed"); }), "x.fam");
}

TEST_F(Plink, MutatedFilesAreReadOrRejected) {
  std::mt19937 random(5);
  const Matrix m = genotypes(9, 7, 8);
  const std::string bed = bed_of(m), bim = bim_of(7), fam = fam_of(9);
  int read = 0;
  for (int i = 0; i < 300; ++i) {
    const auto maybe = [&](const std::string& text) {
      return random() % 2 == 0 ? testing::mutated(text, random) : text;
    };
    directory_.file("x.bim", maybe(bim));
    directory_.file("x.fam", maybe(fam));
    const fs::path path = directory_.file("x.bed", maybe(bed));
    try {
      const Table table = read_table(path);
      EXPECT_TRUE(make_matrix(table, {.scale = true})->gram().allFinite());
      inspect_table(path);
      ++read;
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(read, 30);
}

TEST_F(Plink, TheCommandScalesNewSamplesAsTheOld) {
  const Matrix m = genotypes(60, 15, 12);
  const std::string path = write(m).string();
  const auto run = [&](const std::vector<std::string>& arguments) {
    return testing::run(arguments);
  };
  const fs::path model = directory_ / "model.json";
  const auto fitted = run({"fit", path, "-r", "2", "--scale", "--json", model.string()});
  EXPECT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_FALSE(testing::has(fitted.err, "not scaled"));
  EXPECT_HAS(run({"fit", path, "-r", "2"}).err, "genotypes are not scaled: --scale divides");
  const auto scores = run({"transform", path, "--model", model.string()});
  EXPECT_EQ(scores.status, 0) << scores.err;
  EXPECT_HAS(scores.out, "i60");
  EXPECT_EQ(run({"choose", path, "--scale"}).status, 0);
  EXPECT_EQ(run({"fit", path, "-r", "2", "--bootstrap", "5"}).status, 0);
  EXPECT_HAS(run({"info", path}).out, "dense genotypes of 2 bits");

  fs::resize_file(path, 20);
  const fs::path loadings = directory_ / "loadings.csv";
  const auto cut = run({"fit", path, "-r", "2", "--loadings", loadings.string()});
  EXPECT_EQ(cut.status, 2);
  EXPECT_HAS(cut.err, "has 20 bytes");
  EXPECT_FALSE(fs::exists(loadings));
}

}  // namespace
}  // namespace spcart
