// Fits a table whose rows are spread over the ranks of an MPI program: mpirun -n 2 rows_on_ranks
#include <cmath>
#include <exception>
#include <iostream>
#include <spcart/mpi.hpp>
#include <spcart/spcart.hpp>
#include <vector>

// The days from `first` on of six sensors that follow two waves.
spcart::Matrix readings(int first, int count) {
  spcart::Matrix a(count, 6);
  for (int day = 0; day < count; ++day) {
    const double t = first + day;
    const double heat = 3 * std::sin(0.1 * t), wind = 2 * std::cos(0.23 * t);
    a.row(day) << heat, heat, heat, wind, -wind, std::sin(1.7 * t);
  }
  return a;
}

void fit(int& argc, char**& argv) {
  const spcart::mpi::Session session(argc, argv);
  const spcart::mpi::Ranks ranks(MPI_COMM_WORLD);
  constexpr int kDays = 200;
  const int first = kDays * ranks.rank() / ranks.size();
  const spcart::Matrix mine = readings(first, kDays * (ranks.rank() + 1) / ranks.size() - first);

  std::vector<spcart::Table> parts(1);
  parts[0].values = spcart::view_of(mine);
  const auto data = spcart::mpi::distribute(ranks, parts);
  if (!ranks.is_root()) return data->serve();  // multiplies these rows until the root is done

  spcart::Options options;
  options.components = 2;
  const spcart::Result result = spcart::fit(*data, options);
  std::cout.precision(2);
  std::cout << std::fixed << data->rows() << " days\n"
            << spcart::Matrix(result.loadings) << '\n'
            << "variance explained: " << 100 * result.criteria.cpev << " %\n";
}

int main(int argc, char** argv) {
  try {
    fit(argc, argv);
  } catch (const spcart::mpi::Abandoned&) {  // the root reports the error
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "failed: " << error.what() << '\n';
    return 2;
  }
}
