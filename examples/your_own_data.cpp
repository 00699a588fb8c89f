// Fits a matrix that the program already holds: options, progress, scores, and what can go wrong.
#include <cmath>
#include <iostream>
#include <spcart/spcart.hpp>

// 200 days of six sensors: the first three follow one slow wave, the next two another, and the last
// one is on its own.
spcart::Matrix readings() {
  spcart::Matrix a(200, 6);
  for (spcart::Index day = 0; day < a.rows(); ++day) {
    const auto t = static_cast<double>(day);
    const double heat = 3 * std::sin(0.1 * t), wind = 2 * std::cos(0.23 * t);
    a.row(day) << heat, heat, heat, wind, -wind, 0;
    for (spcart::Index j = 0; j < a.cols(); ++j)
      a(day, j) += 20 + 0.3 * std::sin(1.7 * t * static_cast<double>(j + 1));
  }
  return a;
}

int main() {
  const spcart::Matrix a = readings();
  const auto data = spcart::make_dense(spcart::view_of(a), {.center = true, .scale = false});

  spcart::Options options;
  options.components = 2;
  options.truncation = spcart::TruncationType::energy;
  options.lambda = 0.05;  // each component may lose 5 % of its length squared
  options.refit = 5;

  const auto observer = [](const spcart::Progress& progress) {
    std::cerr << progress.stage << ' ' << 100 * progress.fraction << " %\n";
    return true;  // false would stop the fit
  };

  try {
    const spcart::Result result = spcart::fit(*data, options, observer);
    const spcart::Matrix y = spcart::scores(*data, result.loadings);

    std::cout.precision(2);
    std::cout << std::fixed << "status: " << spcart::name(result.status) << '\n'
              << "loadings:\n"
              << spcart::Matrix(result.loadings) << '\n'
              << "variance explained: " << 100 * result.criteria.cpev << " %, of PCA's "
              << 100 * result.criteria.share_of_pca() << " %\n"
              << "scores of the first three days:\n"
              << y.topRows(3) << '\n';
    for (const std::string& warning : result.warnings) std::cout << "warning: " << warning << '\n';
  } catch (const spcart::Error& error) {
    std::cerr << "wrong input: " << error.what() << '\n';
    return 2;
  }
}
