// Fits a built-in covariance matrix and prints each sparse component by the names of its variables.
#include <cstdio>
#include <spcart/spcart.hpp>

int main() {
  const spcart::Table table = spcart::load_dataset("pitprops");

  spcart::Options options;
  options.components = 6;
  const spcart::Result result = spcart::fit(*spcart::prepare(table), options);

  for (spcart::Index i = 0; i < result.loadings.cols(); ++i) {
    std::printf("component %td, %.1f %% of the variance:\n", i + 1,
                100 * result.criteria.adjusted_variance(i));
    for (spcart::Loadings::InnerIterator entry(result.loadings, i); entry; ++entry) {
      const auto variable = static_cast<std::size_t>(entry.row());
      std::printf("  %-8s %6.3f\n", table.variables[variable].c_str(), entry.value());
    }
  }
  std::printf("all %td explain %.1f %%; as many dense components explain %.1f %%\n",
              result.loadings.cols(), 100 * result.criteria.cpev, 100 * result.criteria.cpev_pca);
}
