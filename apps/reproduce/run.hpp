#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "record.hpp"
#include "spcart/fit.hpp"

namespace spcart::reproduce {

/// A claim with its result.
struct ClaimResult {
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
  bool stand_in = false;  ///< a built-in data set instead of the real data
  double seconds = 0;
  std::vector<Record> records = {};
  std::vector<PictureRow> pictures = {};
  std::vector<ClaimResult> claims = {};
};

/// Runs every series of an experiment and evaluates its claims. `folder` has the real data sets;
/// empty: stand-ins are used. The tick receives the finished fraction.
///
/// Times are those of the method with its initialisation, as in the paper: with the principal
/// components if it starts from them, otherwise with the Gram matrix that it needs; reading and
/// evaluating are left out. The shortest of the experiment's repeats counts.
Outcome run(const Experiment& experiment, const std::filesystem::path& folder,
            const Tick& tick = {});

/// One record per iteration of spcart with these options, which set truncation, components,
/// tolerance, maximum number of iterations and the start: the criteria of its loadings, and the
/// bounds of the theory.
std::vector<Record> iterations(const DataMatrix& a, const Basis& basis, const Options& options,
                               const Tick& tick = {});

}  // namespace spcart::reproduce
