// Products in single precision, against those in double.
#include <gtest/gtest.h>

#include <cmath>

#include "command.hpp"
#include "data/preparation.hpp"
#include "spcart/spcart.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using verify::random_matrix;

constexpr double kSingle = 1e-5;  ///< of what it is compared with: some hundred roundings

void expect_single(const Matrix& got, const Matrix& expected, const std::string& what) {
  EXPECT_TRUE(got.allFinite()) << what;
  EXPECT_LE((got - expected).norm(), kSingle * expected.norm()) << what;
}

void expect_products(const DataMatrix& single, const DataMatrix& full, const std::string& what) {
  const Matrix x = random_matrix(full.cols(), 4, 1), y = random_matrix(full.rows(), 4, 2);
  for (int call = 0; call < 2; ++call) {
    expect_single(single.times(x), full.times(x), what + ": times");
    expect_single(single.adjoint_times(y), full.adjoint_times(y), what + ": adjoint_times");
    expect_single(single.gram_times(x), full.gram_times(x), what + ": gram_times");
    expect_single(single.gram(), full.gram(), what + ": gram");
    expect_single(single.outer_gram(), full.outer_gram(), what + ": outer_gram");
  }
}

/// Also that it is single precision that is tested, and not double.
void expect_single(const DenseView& view, Preparation preparation, const std::string& what) {
  const auto full = make_dense(view, preparation);
  preparation.precision = Precision::single;
  for (const FormGram gram : {FormGram::no, FormGram::yes}) {
    const auto single = make_dense(view, preparation, {}, gram);
    EXPECT_EQ(single->preparation().precision, Precision::single);
    EXPECT_TRUE(single->means() == full->means()) << what;
    EXPECT_TRUE(single->scales() == full->scales()) << what;
    EXPECT_TRUE(single->column_squared_norms() == full->column_squared_norms()) << what;
    expect_products(*single, *full, what);
    if (preparation.center) {  // otherwise sums of whole numbers are exact in both
      EXPECT_GT((single->gram() - full->gram()).norm(), 0) << what;
    }
  }
}

TEST(DataPrecision, ProductsOfEveryTypeAndPreparation) {
  const Matrix m = (verify::decaying(300, 20, 1).array() * 10 + 100).round().abs();
  const auto expect_type = [&]<class T>(T, const std::string& what) {
    const Eigen::MatrixX<T> stored = m.cast<T>();
    for (const bool remove_row_mean : {false, true})
      for (const bool center : {false, true})
        for (const bool scale : {false, true})
          expect_single(view_of(stored), {remove_row_mean, center, scale}, what);
  };
  expect_type(std::uint8_t{}, "uint8");
  expect_type(std::int32_t{}, "int32");
  expect_type(float{}, "float32");
  expect_type(double{}, "float64");
}

TEST(DataPrecision, LargeMeansAreRemovedBeforeNumbersBecomeSingle) {
  // Single precision has 7 digits: of a deviation of 10 at a mean of 1e8 it would leave none.
  const Matrix deviations = (verify::decaying(500, 12, 2).array() * 10).round();
  const Matrix m = deviations.array() + 1e8;
  const auto truth = make_dense(deviations);
  const Preparation preparation{.precision = Precision::single};
  expect_products(*make_dense(m, preparation), *truth, "float64");
  const Eigen::MatrixXi integers = m.cast<int>();
  expect_products(*make_dense(view_of(integers), preparation), *truth, "int32");
  expect_products(*make_dense(view_of(integers), preparation, {}, FormGram::yes), *truth,
                  "with gram");
}

TEST(DataPrecision, UnitsAreOutOfTheRangeOfSingle) {
  const Matrix m = verify::decaying(200, 10, 3);
  for (const double unit : {1e-60, 1e-30, 1e30, 1e60}) {
    const Matrix scaled = unit * m;
    expect_single(view_of(scaled), {}, std::to_string(unit));
    const auto single = make_dense(view_of(scaled), {.precision = Precision::single});
    const auto full = make_dense(view_of(scaled));
    const Matrix y = full->times(random_matrix(10, 3, 1));  // as large or small as the data
    expect_single(single->adjoint_times(y), full->adjoint_times(y), "adjoint_times");
  }
}

TEST(DataPrecision, TheFirstSamplesMayHaveAnotherSize) {
  for (const double size : {1e-25, 0.0, 1e25}) {
    Matrix m = verify::decaying(200, 10, 3);
    m.topRows(30) *= size;
    expect_single(view_of(m), {}, std::to_string(size));
  }
}

TEST(DataPrecision, SumsOverManySamplesAreDouble) {
  // 1 + 2e-5 u: in single, sums of many such numbers would lose the u.
  const Matrix m = 1 + 2e-5 * random_matrix(60000, 3, 4).array();
  const auto single = make_dense(view_of(m), {.center = false, .precision = Precision::single});
  const auto full = make_dense(view_of(m), {.center = false});
  const Matrix gram = single->gram(), expected = full->gram();
  EXPECT_LE((gram - expected).norm(), 3e-7 * expected.norm());
  const Vector ones = Vector::Ones(60000);
  EXPECT_LE((single->adjoint_times(ones) - full->adjoint_times(ones)).norm(), 3e-7 * 60000);
}

TEST(DataPrecision, SparseTablesAndCovariancesStayInDouble) {
  const Matrix m = verify::decaying(30, 5, 1);
  const Preparation preparation{.precision = Precision::single};
  const Matrix c = m.transpose() * m;
  EXPECT_EQ(make_covariance(c, preparation)->preparation().precision, Precision::full);
  EXPECT_TRUE(make_covariance(c, preparation)->gram() == make_covariance(c)->gram());
  const Eigen::SparseMatrix<double, Eigen::RowMajor> s = m.sparseView();
  SparseView view;
  view.rows = 30;
  view.cols = 5;
  view.values = s.valuePtr();
  view.inner = s.innerIndexPtr();
  view.outer = s.outerIndexPtr();
  EXPECT_EQ(make_sparse(view, preparation)->preparation().precision, Precision::full);
  EXPECT_TRUE(make_sparse(view, preparation)->gram() == make_sparse(view)->gram());
}

/// Loadings and supports of whole fits, on data whose components are apart.
void expect_same_fit(const DenseView& view, const Options& options, const std::string& what) {
  const Result full = fit(*make_dense(view), options);
  for (const FormGram gram : {FormGram::no, FormGram::yes}) {
    const Result single =
        fit(*make_dense(view, {.precision = Precision::single}, {}, gram), options);
    EXPECT_EQ(verify::supports(single.loadings), verify::supports(full.loadings)) << what;
    const Matrix difference = Matrix(single.loadings) - Matrix(full.loadings);
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-4) << what;
    EXPECT_NEAR(single.criteria.cpev, full.criteria.cpev, 1e-4) << what;
    EXPECT_EQ(single.preparation.precision, Precision::single);
  }
}

TEST(DataPrecision, FitsAreThoseOfDouble) {
  const Matrix tall = verify::decaying(400, 30, 5), wide = verify::decaying(40, 150, 6);
  const Matrix shifted = tall.array() + 1e6;
  const Eigen::MatrixXi integers = (1000 * tall).array().round().cast<int>() + 1000000;
  for (const Solver solver : {Solver::gram, Solver::outer, Solver::krylov}) {
    Options options;
    options.components = 3;
    options.solver = solver;
    const std::string name_of_solver(name(solver));
    expect_same_fit(view_of(tall), options, "tall, " + name_of_solver);
    expect_same_fit(view_of(wide), options, "wide, " + name_of_solver);
    expect_same_fit(view_of(shifted), options, "shifted, " + name_of_solver);
    expect_same_fit(view_of(integers), options, "integers, " + name_of_solver);
  }
  for (const char* problem : {"@spiked", "@spiked:n=80,p=200", "@patches:n=2000,size=5"}) {
    Options options;
    options.components = 4;
    const Table table = load_dataset(problem);
    expect_same_fit(std::get<DenseView>(table.values), options, problem);
  }
}

TEST(DataPrecision, TheCommandReportsIt) {
  const auto fit_in = [](const char* precision) {
    const auto outcome = testing::run(
        {"fit", "@spiked:n=300,p=40", "-r", "3", "--precision", precision, "--json", "-"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  const auto full = fit_in("double"), single = fit_in("single");
  EXPECT_EQ(full["precision"], "double");
  EXPECT_EQ(single["precision"], "single");
  EXPECT_EQ(single["preparation"].size(), 5);  // and no requested options
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(single["loadings"][i]["index"], full["loadings"][i]["index"]);
    EXPECT_NEAR(single["loadings"][i]["value"][0], full["loadings"][i]["value"][0], 1e-4);
  }
}

TEST(DataPrecision, Names) {
  EXPECT_EQ(name(Precision::full), "double");
  EXPECT_EQ(name(Precision::single), "single");
  EXPECT_EQ(parse<Precision>("single"), Precision::single);
  EXPECT_THROW(parse<Precision>("half"), Error);
}

}  // namespace
}  // namespace spcart
