#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "roofline.hpp"
#include "spcart/io.hpp"
#include "tables.hpp"

namespace spcart::benchmarks {
namespace {

/// A file of 64 MB that is removed at the end.
class NpyFile {
 public:
  NpyFile() {
    constexpr Index kRows = 16000, kCols = 1000;
    const DenseTable<float> table(kRows, kCols);
    std::string header = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", kRows, kCols);
    header.resize(128 - 10 - 1, ' ');
    header += '\n';
    std::ofstream file(path_, std::ios::binary);
    file.write("\x93NUMPY\x01\x00", 8).put(static_cast<char>(header.size())).put(0);
    file << header;
    file.write(static_cast<const char*>(table.view().data),
               static_cast<std::streamsize>(table.bytes()));
  }
  ~NpyFile() { std::filesystem::remove(path_); }
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("spcart_benchmark_{}.npy", getpid());
};

/// Beside the bare read of its bytes into allocated memory.
void read_npy(benchmark::State& state) {
  const NpyFile file;
  std::vector<char> bytes(std::filesystem::file_size(file.path()));
  race(
      state, [&] { benchmark::DoNotOptimize(read_table(file.path())); },
      [&] {
        std::ifstream(file.path(), std::ios::binary)
            .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        benchmark::ClobberMemory();
      });
}

const bool kAdded = [] {
  add("read/npy/64MB/float32", read_npy);
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
