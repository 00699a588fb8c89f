// Compiled instead of src/io/hdf5/ if libhdf5 was not found.
#include "io/hdf5/read_hdf5.hpp"
#include "io/text.hpp"

namespace spcart::io {

Table read_hdf5(ByteSource& source, std::string_view, const ReadOptions&, Cache&, const Tick&) {
  fail(
      {source.name()},
      "is an HDF5 file, and this spcart was built without HDF5: install libhdf5-dev (on Debian and "
      "Ubuntu) and build it again");
}

}  // namespace spcart::io
