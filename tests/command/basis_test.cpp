#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"

namespace spcart::testing {
namespace {

using Json = nlohmann::json;

class CommandBasis : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome kept = run({"fit", "@spiked", "-r", "6", "--save-basis", basis_, "--quiet"});
    ASSERT_EQ(kept.status, 0) << kept.err;
  }

  Folder folder_;
  std::string basis_ = folder_ / "kept.basis";
};

TEST_F(CommandBasis, GivesTheSameFitAndPathWithoutAnotherPca) {
  for (const char* r : {"6", "3"}) {
    const Outcome kept = run({"fit", "@spiked", "-r", r, "--basis", basis_, "--json", "-"});
    const Outcome fresh = run({"fit", "@spiked", "-r", r, "--json", "-"});
    ASSERT_EQ(kept.status, 0) << kept.err;
    const Json a = Json::parse(kept.out), b = Json::parse(fresh.out);
    ASSERT_EQ(a["loadings"].size(), b["loadings"].size());
    for (std::size_t j = 0; j < a["loadings"].size(); ++j) {
      EXPECT_EQ(a["loadings"][j]["index"], b["loadings"][j]["index"]);
      for (std::size_t k = 0; k < a["loadings"][j]["value"].size(); ++k)
        EXPECT_NEAR(a["loadings"][j]["value"][k].get<double>(),
                    b["loadings"][j]["value"][k].get<double>(), 1e-9);
    }
    EXPECT_NEAR(a["criteria"]["cpev_pca"].get<double>(), b["criteria"]["cpev_pca"].get<double>(),
                1e-12);
    EXPECT_EQ(a["options"], b["options"]);
  }
  const Outcome path = run({"path", "@spiked", "-r", "2,5", "--points", "4", "--basis", basis_});
  EXPECT_EQ(path.status, 0) << path.err;
}

TEST_F(CommandBasis, KeptByPathServesFit) {
  const std::string other = folder_ / "other.basis";
  ASSERT_EQ(run({"path", "@pitprops", "-r", "4", "--save-basis", other, "--quiet"}).status, 0);
  EXPECT_EQ(run({"fit", "@pitprops", "-r", "4", "--basis", other}).status, 0);
}

TEST_F(CommandBasis, IsRejectedWithTheDifference) {
  const auto rejection = [&](std::vector<std::string> arguments) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_HAS(rejection({"fit", "@spiked", "-r", "3", "--scale", "--basis", basis_}),
             "was made without scaling");
  EXPECT_HAS(rejection({"fit", "@pitprops", "-r", "3", "--basis", basis_}), "a covariance of 13");
  EXPECT_HAS(rejection({"fit", "@spiked", "-r", "7", "--basis", basis_}), "7 components");
  EXPECT_HAS(rejection({"fit", "@spiked", "--basis", basis_, "--save-basis", basis_}),
             "is an input itself");
  EXPECT_HAS(rejection({"fit", "@spiked", "--basis", folder_ / "none"}), "none");
  EXPECT_HAS(rejection({"fit", "@spiked", "--basis", folder_.write("text", "hello\n")}),
             "is no basis that spcart has saved");
}

}  // namespace
}  // namespace spcart::testing
