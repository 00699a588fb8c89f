#include <gtest/gtest.h>

#include "spcart/io.hpp"
#include "temporary.hpp"

namespace spcart {
namespace {

// Compiled if spcart is built without HDF5.
TEST(WithoutHdf5, TheMessageNamesWhatToInstall) {
  const testing::TemporaryDirectory directory;
  for (const char* name : {"a.h5ad", "a.h5", "a.loom", "a.dat"}) {
    const auto path = directory.file(name, "\x89HDF\r\n\x1a\n and so on");
    EXPECT_HAS(testing::error_of([&] { read_table(path); }), "install libhdf5-dev") << name;
  }
}

}  // namespace
}  // namespace spcart
