#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "record.hpp"
#include "spcart/fit.hpp"

namespace spcart::reproduce {

/// A claim with what was found of it.
struct JudgedClaim {
  std::string experiment, claim, paper, measured;
  bool holds = false;
  std::string note = {};  ///< why it differs; empty if it holds
};

/// Loadings that are shown as images.
struct PictureRow {
  std::string label;
  Loadings loadings;
};

/// An experiment that was run.
struct Outcome {
  const Experiment* experiment = nullptr;
  std::string data;       ///< what it was run on, in words
  bool stand_in = false;  ///< a built-in data set in place of the real data
  double seconds = 0;
  std::vector<Record> records = {};
  std::vector<PictureRow> pictures = {};
  std::vector<JudgedClaim> claims = {};
};

/// Runs every series of an experiment and judges its claims. `folder` has the real data sets;
/// empty: stand-ins are taken. The tick is told the finished fraction.
///
/// Times are of the method with its initialisation, as in the paper: with the principal components
/// where it starts from them, else with the Gram matrix that it needs; reading and judging are left
/// out. The shortest of the experiment's repeats counts.
Outcome run(const Experiment& experiment, const std::filesystem::path& folder,
            const Tick& tick = {});

/// One record for each iteration of spcart with these options, which name truncation, components,
/// tolerance, most iterations and the start: the criteria of its loadings, and what the theory says
/// of them.
std::vector<Record> iterations(const DataMatrix& a, const Basis& basis, const Options& options,
                               const Tick& tick = {});

}  // namespace spcart::reproduce
