#include <gtest/gtest.h>

#include <cstdio>

#include "spread.hpp"

int main(int argc, char** argv) {
  const spcart::mpi::Session session(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  int status = 0;
  try {
    if (spcart::testing::ranks().is_root()) {
      status = RUN_ALL_TESTS();
      spcart::testing::dismiss();
    } else {
      spcart::testing::serve();
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "rank %d: %s\n", spcart::testing::ranks().rank(), failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return status;
}
