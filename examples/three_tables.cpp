// The same call for an Eigen matrix, a sparse one and a CSV file.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <spcart/spcart.hpp>

void show(const char* source, const spcart::DataMatrix& data) {
  const spcart::Result result = spcart::fit(data, {.components = 2, .nonzeros = 3});
  std::cout << source << ": " << result.loadings.nonZeros() << " loadings keep "
            << static_cast<int>(100 * result.criteria.share_of_pca())
            << " % of what PCA explains\n";
}

int main() {
  const spcart::Table table = spcart::load_dataset("spiked:n=50,p=8,r=2,k=3");
  const Eigen::MatrixXd dense = spcart::to_matrix(table);
  const Eigen::SparseMatrix<double> sparse = dense.sparseView();
  const auto file = std::filesystem::temp_directory_path() / "spcart_three_tables.csv";
  std::ofstream(file) << spcart::to_csv(dense, table.variables, {});

  show("dense", *spcart::make_dense(spcart::view_of(dense)));
  show("sparse", *spcart::make_sparse(spcart::view_of(sparse)));
  show("CSV", *spcart::prepare(spcart::read_table(file)));
}
