#include "spcart/datasets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <system_error>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "datasets/builtin.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// The values that a text "key=value,key=value" sets, on top of a data set's defaults in the same
/// form.
class Parameters {
 public:
  Parameters(const DatasetRecord& record, std::string_view text) : record_(record) {
    for_each_item(record.parameters, [&](auto key, auto value) { values_[key] = value; });
    std::map<std::string_view, std::string_view> given;
    for_each_item(text, [&](auto key, auto value) {
      if (!values_.contains(key)) throw Error(unknown(key));
      if (!given.emplace(key, value).second) fail(key, "is given twice");
    });
    for (const auto& [key, value] : given) values_[key] = value;
  }

  Index whole(std::string_view key) const { return parse<Index>(key, "a whole number"); }
  double real(std::string_view key) const { return parse<double>(key, "a number"); }
  std::uint64_t seed() const {
    return parse<std::uint64_t>("seed", "a whole number from 0 to 2^64 - 1");
  }

 private:
  template <class Use>
  void for_each_item(std::string_view text, const Use& use) const {
    for (bool more = !text.empty(); more;) {
      const std::size_t comma = text.find(',');
      const std::string_view item = text.substr(0, comma);
      more = comma != text.npos;
      if (more) text.remove_prefix(comma + 1);
      const std::size_t equals = item.find('=');
      if (equals == item.npos)
        throw Error(fmt::format("@{}: '{}' must be written as name=value", record_.name, item));
      use(item.substr(0, equals), item.substr(equals + 1));
    }
  }

  template <class Number>
  Number parse(std::string_view key, std::string_view kind) const {
    const std::string_view text = values_.at(key);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
      fail(key, fmt::format("= '{}', must be {}", text, kind));
    return number;
  }

  [[noreturn]] void fail(std::string_view key, std::string_view what) const {
    throw Error(fmt::format("@{}: {} {}", record_.name, key, what));
  }

  std::string unknown(std::string_view key) const {
    if (values_.empty())
      return fmt::format("@{} takes no parameters, but '{}' is given", record_.name, key);
    return fmt::format("@{} has no parameter '{}'; it has {}", record_.name, key,
                       record_.parameters);
  }

  DatasetRecord record_;
  std::map<std::string_view, std::string_view> values_;
};

/// Ten variables that measure three hidden factors, h1 (four times), h2 (four times) and h3
/// (twice), each with noise of variance 1. h3 = -0.3 h1 + 0.925 h2 has no noise of its own.
Table make_synthetic() {
  Eigen::Matrix<double, 10, 2> factors;
  factors << Eigen::RowVector2d(1, 0).replicate<4, 1>(),  //
      Eigen::RowVector2d(0, 1).replicate<4, 1>(),         //
      Eigen::RowVector2d(-0.3, 0.925).replicate<2, 1>();
  const Eigen::Vector2d variances(290, 300);
  Matrix c = (factors * variances.asDiagonal()).lazyProduct(factors.transpose());
  c.diagonal().array() += 1;
  Table table = make_table(std::move(c));
  table.covariance = true;
  return table;
}

Table make_random(Index n, Index p, std::uint64_t seed) {
  check_shape("random", n, p);
  return make_table(Random(seed).normal(n, p));
}

struct Dataset {
  DatasetRecord record;
  Table (*make)(const Parameters& given);
};

constexpr std::array kDatasets = {
    Dataset{{"pitprops", "",
             "Correlations of 13 properties of 180 pit props (Jeffers 1967), the classic of sparse "
             "PCA."},
            [](const Parameters&) { return make_pitprops(); }},
    Dataset{{"synthetic", "",
             "Covariance of 10 variables made by 3 hidden factors (Zou, Hastie and Tibshirani "
             "2006); as in the SPCArt paper, the third factor has no noise of its own."},
            [](const Parameters&) { return make_synthetic(); }},
    Dataset{{"random", "n=500,p=100,seed=0",
             "n samples of p independent standard normal variables: no structure, for measuring "
             "speed."},
            [](const Parameters& given) {
              return make_random(given.whole("n"), given.whole("p"), given.seed());
            }},
    Dataset{{"spiked", "n=500,p=100,r=5,k=8,strength=8,noise=1,seed=0",
             "n samples of p variables with r planted components of k variables each, in noise."},
            [](const Parameters& given) {
              return make_spiked({.n = given.whole("n"),
                                  .p = given.whole("p"),
                                  .r = given.whole("r"),
                                  .k = given.whole("k"),
                                  .strength = given.real("strength"),
                                  .noise = given.real("noise"),
                                  .seed = given.seed()})
                  .table;
            }},
    Dataset{{"patches", "n=5000,size=13,seed=0",
             "n patches of size x size pixels from pictures of discs that hide one another, with "
             "the statistics of natural images."},
            [](const Parameters& given) {
              return make_patches(
                  {.n = given.whole("n"), .size = given.whole("size"), .seed = given.seed()});
            }},
};

constexpr auto kRecords = [] {
  std::array<DatasetRecord, kDatasets.size()> records;
  std::ranges::transform(kDatasets, records.begin(), &Dataset::record);
  return records;
}();

std::string known_names() {
  std::string names;
  for (const DatasetRecord& record : kRecords)
    names += fmt::format("{}@{}", names.empty() ? "" : ", ", record.name);
  return names;
}

}  // namespace

void check_range(std::string_view dataset, std::string_view parameter, Index value, Index low,
                 Index high) {
  if (value < low || value > high) {
    throw Error(
        fmt::format("@{}: {} = {}, must be from {} to {}", dataset, parameter, value, low, high));
  }
}

void check_shape(std::string_view dataset, Index n, Index p) {
  check_range(dataset, "n", n, 2, kMaxNumbers);
  check_range(dataset, "p", p, 1, kMaxNumbers / n);
}

std::span<const DatasetRecord> dataset_records() { return kRecords; }

Table load_dataset(std::string_view text) {
  const auto begin = Clock::now();
  if (text.starts_with('@')) text.remove_prefix(1);
  const std::string_view name = text.substr(0, text.find(':'));
  const auto found = std::ranges::find(kDatasets, name,
                                       [](const Dataset& dataset) { return dataset.record.name; });
  if (found == kDatasets.end())
    throw Error(fmt::format("no dataset is named '@{}'; there are {}", name, known_names()));
  text.remove_prefix(std::min(name.size() + 1, text.size()));
  Table table = found->make(Parameters(found->record, text));
  table.seconds = seconds_since(begin);
  return table;
}

}  // namespace spcart
