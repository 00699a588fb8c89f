// Repeats the whole fit of a file that is read once, and reports its time as JSON:
//
//   fit_file DATA [--repeat K] [--remove-row-mean] [--no-center] [--scale]
//            [--precision double|single] [--gram] [--components N ...]
//   fit_file DATA --serve [...]
//   fit_file DATA --export FILE.npy      only writes the table, e.g. of a built-in data set
//
// A fit is everything except reading: preparing the stored table, PCA, the method, the criteria.
// Options are those of `spcart fit`, by their long names. With --serve it takes commands as lines
// on standard input, so that its runs can be interleaved with those of other programs:
//
//   run S        fit for about S seconds, at least once; answers with the best
//   answer DIR   writes loadings.npy and basis.npy to DIR
//
// Every answer is one line. The first comes when the data is read.
#include <fmt/format.h>
#include <malloc.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "process_memory.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/io.hpp"
#include "spcart/names.hpp"
#include "spcart/spcart.hpp"
#include "spcart/threads.hpp"

namespace spcart::benchmarks {
namespace {

using nlohmann::ordered_json;

struct Arguments {
  std::string data;
  Preparation preparation;
  bool gram = false;  ///< form A'A while the table is measured
  Options options;
  std::string export_to;
  bool serve = false;
  int repeat = 5;
};

const OptionRecord& record_of(std::string_view flag) {
  for (const OptionRecord& record : option_records())
    if (flag.starts_with("--") && flag.substr(2) == record.name) return record;
  throw Error(fmt::format("{}: there is no such option", flag));
}

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw Error(fmt::format("{}: its value is missing", word));
      return words[++i];
    };
    if (word == "--serve")
      arguments.serve = true;
    else if (word == "--export")
      arguments.export_to = value();
    else if (word == "--repeat")
      arguments.repeat = std::stoi(value());
    else if (word == "--remove-row-mean")
      arguments.preparation.remove_row_mean = true;
    else if (word == "--no-center")
      arguments.preparation.center = false;
    else if (word == "--scale")
      arguments.preparation.scale = true;
    else if (word == "--precision")
      arguments.preparation.precision = parse<Precision>(value());
    else if (word == "--gram")
      arguments.gram = true;
    else if (word.starts_with("--"))
      record_of(word).set(arguments.options, value());
    else
      arguments.data = word;
  }
  if (arguments.data.empty()) throw Error("DATA: a file or @dataset is needed");
  return arguments;
}

Table read_data(const std::string& source) {
  return source.starts_with('@') ? load_dataset(source) : read_table(source);
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Driver {
 public:
  explicit Driver(const Arguments& arguments)
      : arguments_(arguments), idle_(memory().now), table_(read_data(arguments.data)) {
    reading_peak_ = memory().peak;
    malloc_trim(0);
    reset_memory_peak();
  }

  ordered_json ready() const {
    return {{"rows", table_.rows()},
            {"cols", table_.cols()},
            {"data_bytes", summarize(table_).bytes},
            {"idle_bytes", idle_},
            {"reading_peak_bytes", reading_peak_}};
  }

  /// Fits at least `least` times and until `seconds` have passed; reports the best time.
  ordered_json run(double seconds, int least = 1) const {
    ordered_json best;
    const auto start = Clock::now();
    int runs = 0;
    for (; runs < least || seconds_since(start) < seconds; ++runs)
      if (ordered_json once = fit_once(); best.is_null() || once["seconds"] < best["seconds"])
        best = std::move(once);
    best["runs"] = runs;
    best["peak_bytes"] = memory().peak;
    return best;
  }

  ordered_json answer(const std::filesystem::path& folder) const;

 private:
  std::unique_ptr<DataMatrix> prepared() const {
    if (!arguments_.gram) return make_matrix(table_, arguments_.preparation);
    return prepare(table_, {.preparation = arguments_.preparation, .solver = Solver::gram});
  }

  ordered_json fit_once() const {
    const auto start = Clock::now();
    const auto matrix = prepared();
    const double preparing = seconds_since(start);
    const Result result = fit(*matrix, arguments_.options);
    const double seconds = seconds_since(start);
    const Timing& t = result.timing;
    return {{"seconds", seconds},
            {"prepare", preparing},
            {"pca", t.pca},
            {"rotate", t.rotate},
            {"refit", t.refit},
            {"score", t.score},
            {"solver", name(result.solver)},
            {"iterations", result.iterations()},
            {"status", name(result.status)},
            {"cpev", result.criteria.cpev},
            {"cpev_pca", result.criteria.cpev_pca},
            {"sparsity", result.criteria.sparsity.mean},
            {"threads", result.threads}};
  }

  Arguments arguments_;
  std::int64_t idle_ = 0, reading_peak_ = 0;
  Table table_;
};

/// NumPy's format 1.0, in columns.
void write_npy(const std::filesystem::path& path, const Matrix& matrix) {
  constexpr std::size_t kAlignment = 64, kPreamble = 10;
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {}), }}",
                                   matrix.rows(), matrix.cols());
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(header.size() & 0xff)).put(static_cast<char>(header.size() >> 8));
  file << header;
  file.write(reinterpret_cast<const char*>(matrix.data()),
             static_cast<std::streamsize>(sizeof(double)) * matrix.size());
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

ordered_json Driver::answer(const std::filesystem::path& folder) const {
  const auto matrix = prepared();
  const Options& options = arguments_.options;
  const Basis basis = principal_basis(*matrix, options.components,
                                      {.solver = options.solver, .seed = options.seed});
  const Result result = fit(*matrix, basis, options);
  write_npy(folder / "loadings.npy", Matrix(result.loadings));
  write_npy(folder / "basis.npy", basis.vectors.leftCols(options.components));
  return {{"loadings", "loadings.npy"}, {"basis", "basis.npy"}, {"cpev_pca", basis.cpev()}};
}

void print(const ordered_json& answer) { std::cout << answer.dump() << std::endl; }

void serve(const Driver& driver) {
  print(driver.ready());
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "run")
      print(driver.run(std::stod(value)));
    else if (word == "answer")
      print(driver.answer(value));
    else
      throw Error(fmt::format("'{}': only run S and answer DIR are understood", line));
  }
}

}  // namespace
}  // namespace spcart::benchmarks

int main(int argc, char** argv) try {
  using namespace spcart::benchmarks;
  const Arguments arguments = parse_arguments({argv + 1, argv + argc});
  if (!arguments.export_to.empty()) {
    write_npy(arguments.export_to, spcart::to_matrix(read_data(arguments.data)));
    return EXIT_SUCCESS;
  }
  const Driver driver(arguments);
  if (arguments.serve) {
    serve(driver);
  } else {
    ordered_json report = driver.ready();
    report.update(driver.run(0, arguments.repeat));
    print(report);
  }
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  std::cerr << "fit_file: " << error.what() << '\n';
  return EXIT_FAILURE;
}
