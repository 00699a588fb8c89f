#include "mpi/checkpoint.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "base/reject.hpp"
#include "spcart/error.hpp"
#include "spcart/output.hpp"

namespace spcart::mpi {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "spcart checkpoint 1\n";

json described(const DataMatrix& a, Index components, std::uint64_t seed) {
  const Preparation& preparation = a.preparation();
  return {{"samples", a.rows()},
          {"variables", a.cols()},
          {"stored numbers", a.entries()},
          {"components", components},
          {"seed", seed},
          {"row means removed", preparation.remove_row_mean},
          {"centred", preparation.center},
          {"scaled", preparation.scale},
          {"total variance", a.squared_norm()}};
}

void put(std::string& text, std::span<const double> numbers) {
  text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

template <class Numbers>
void put(std::string& text, const Numbers& numbers) {
  put(text, std::span(numbers.data(), static_cast<std::size_t>(numbers.size())));
}

/// Reads the content of a file piece by piece.
class Reader {
 public:
  Reader(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    if (!text_.starts_with(kMagic)) broken("does not begin as one");
    at_ = kMagic.size();
  }

  json header() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string::npos) broken("is cut off");
    json j = json::parse(text_.substr(at_, end - at_), nullptr, /*allow_exceptions=*/false);
    if (j.is_discarded()) broken("has no header that can be read");
    at_ = end + 1;
    return j;
  }

  void numbers(double* to, Index count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    if (text_.size() - at_ < bytes) broken("is cut off");
    std::memcpy(to, text_.data() + at_, bytes);
    at_ += bytes;
  }

  [[noreturn]] void broken(std::string_view how) const {
    throw Error(fmt::format("is no checkpoint: it {}", how)).in(name_);
  }

 private:
  std::string name_, text_;
  std::size_t at_ = 0;
};

/// With another number of ranks, total variances of the same data are summed in another order.
bool is_same(const json& a, const json& b) {
  constexpr double kRounding = 1e-9;
  if (!a.is_number_float() || !b.is_number_float()) return a == b;
  return std::abs(a.get<double>() - b.get<double>()) <= kRounding * std::abs(a.get<double>());
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& folder, const DataMatrix& a, Index components,
                       std::uint64_t seed)
    : file_(folder / "pca.checkpoint"), described_(described(a, components, seed).dump()) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed || !std::filesystem::is_directory(folder))
    reject("checkpoint", folder.string(), "it is no folder, and none can be made there{}",
           failed ? ": " + failed.message() : "");
}

std::optional<SolverState> Checkpoint::read() const {
  std::ifstream stream(file_, std::ios::binary);
  if (!stream) return {};
  Reader reader(file_.string(), {std::istreambuf_iterator<char>(stream), {}});
  const json header = reader.header(), mine = json::parse(described_);
  if (!header.is_object() || !header.contains("of") || !header["of"].is_object())
    reader.broken("does not say of what it is");
  for (const auto& [name, value] : mine.items()) {
    const json theirs = header["of"].value(name, json());
    if (!is_same(value, theirs))
      throw Error(fmt::format("is of other data or options: {} is {} there, and {} now", name,
                              theirs.dump(), value.dump()))
          .in(file_.string());
  }
  const Index cols = mine.at("variables"), found = header.value("found", Index{-1});
  if (found < 0 || found > cols) reader.broken("has a number of vectors that cannot be");
  SolverState state{Matrix(cols, found), Vector(found), Vector(found), Vector(cols),
                    header.value("products", Index{0})};
  reader.numbers(state.values.data(), found);
  reader.numbers(state.residuals.data(), found);
  reader.numbers(state.start.data(), cols);
  reader.numbers(state.found.data(), state.found.size());
  if (!state.found.allFinite() || !state.start.allFinite() || !state.values.allFinite())
    reader.broken("has numbers that are not finite");
  return state;
}

void Checkpoint::write(const SolverState& state) const {
  const json header = {{"of", json::parse(described_)},
                       {"found", state.values.size()},
                       {"products", state.products}};
  std::string text = fmt::format("{}{}\n", kMagic, header.dump());
  put(text, state.values);
  put(text, state.residuals);
  put(text, state.start);
  put(text, state.found);
  OutputFile(file_).write(text);
}

}  // namespace spcart::mpi
