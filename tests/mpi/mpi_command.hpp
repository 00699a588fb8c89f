#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "numpy_file.hpp"

namespace spcart::testing {

using nlohmann::json;
using Words = std::vector<std::string>;

inline Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// The command on this many ranks; 0: the serial one.
inline Outcome run_on(int ranks, const Words& words, const Surroundings& surroundings = {}) {
  const Words command = {"-n", std::to_string(std::max(ranks, 1)),
                         ranks == 0 ? SPCART_SERIAL : SPCART_MPI_COMMAND};
  return run(command + words, surroundings);
}

inline json fit_on(int ranks, const Words& words) {
  const Outcome outcome = run_on(ranks, Words{"fit"} + words + Words{"--json", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return json::parse(outcome.out, nullptr, false);
}

inline void expect_same_fit(const json& found, const json& expected, double same = 1e-8) {
  ASSERT_FALSE(found.is_discarded());
  for (const char* field : {"samples", "variables", "names", "iterations", "status", "components"})
    EXPECT_EQ(found[field], expected[field]) << field;
  EXPECT_NEAR(found["criteria"]["cpev"].get<double>(), expected["criteria"]["cpev"].get<double>(),
              same);
  ASSERT_EQ(found["loadings"].size(), expected["loadings"].size());
  for (std::size_t i = 0; i < expected["loadings"].size(); ++i) {
    const json &mine = found["loadings"][i], &theirs = expected["loadings"][i];
    ASSERT_EQ(mine["index"], theirs["index"]) << "component " << i;
    for (std::size_t k = 0; k < theirs["value"].size(); ++k)
      EXPECT_NEAR(mine["value"][k].get<double>(), theirs["value"][k].get<double>(), same);
  }
}

inline const auto as_npy = [](const Matrix& s) { return npy_of<double>(s, "<f8"); };

}  // namespace spcart::testing
