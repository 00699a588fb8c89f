#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "spcart/data.hpp"
#include "spcart/io.hpp"

namespace spcart::testing {

/// Tests on real data sets that are not ours to publish: SPCART_DATA names their folder, and
/// without it they are skipped.
class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("SPCART_DATA") == nullptr)
      GTEST_SKIP() << "SPCART_DATA is not set: it names the folder of the real data sets";
  }

  static std::filesystem::path path_of(const char* name) {
    return std::filesystem::path(std::getenv("SPCART_DATA")) / name;
  }
  static Table read(const char* name) { return read_table(path_of(name)); }

  /// 13 x 13 patches of natural images, prepared as in the paper.
  static std::unique_ptr<DataMatrix> patches() {
    return make_matrix(read("bsds_patches_13x13.npy"), {.remove_row_mean = true});
  }
};

}  // namespace spcart::testing
