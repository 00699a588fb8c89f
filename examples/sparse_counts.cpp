// Fits a sparse matrix without copying it: it is centred without ever being made dense.
#include <iostream>
#include <spcart/spcart.hpp>
#include <vector>

// 3000 documents of 2000 words: each document is about one of three topics of five words.
Eigen::SparseMatrix<double, Eigen::RowMajor> word_counts() {
  std::vector<Eigen::Triplet<double>> entries;
  for (int document = 0; document < 3000; ++document) {
    const int topic = document * document % 7 % 3, length = 1 + topic + document % 2;
    for (int word = 0; word < 5; ++word) entries.emplace_back(document, 100 * topic + word, length);
    entries.emplace_back(document, 500 + document * 31 % 1500, 1);
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> counts(3000, 2000);
  counts.setFromTriplets(entries.begin(), entries.end());
  return counts;
}

int main() {
  const auto counts = word_counts();
  const auto data = spcart::make_sparse(spcart::view_of(counts));

  spcart::Options options;
  options.components = 2;
  options.nonzeros = 5;
  const spcart::Result result = spcart::fit(*data, options);

  for (spcart::Index i = 0; i < result.loadings.cols(); ++i) {
    std::cout << "words of component " << i + 1 << ':';
    for (spcart::Loadings::InnerIterator entry(result.loadings, i); entry; ++entry)
      std::cout << ' ' << entry.row();
    std::cout << '\n';
  }
}
