// SPDX-License-Identifier: Apache-2.0
// Published runs next to any training step: the band in which measurements of runs like it are, and the nearest runs
// with the waterfall from theirs to this one.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/study/accuracy/accuracy.hpp"
#include "core/study/accuracy/likeness.hpp"

namespace pipedeck::study::accuracy {

/// A band of measured over predicted tokens per second, of the runs most like a step.
struct ErrorBand {
  int runs = 0;
  double nearest = 0, farthest = 0;      ///< distances
  double low = 1, median = 1, high = 1;  ///< at least eight in ten of the runs are from low to high
  bool operator==(const ErrorBand&) const = default;
};

/// A run that is farther away is not like the step. Runs that differ by half of it in the number of GPUs, weights and
/// mapping are still of its kind.
inline constexpr double like_distance = 4;
inline constexpr int band_runs = 20, band_runs_of_one = 3, least_band_runs = 5;

/// Returns the band of these ratios, sorted or not: from the k-th least to the k-th largest, k a tenth of one more than
/// their number, at least 1. Nothing for fewer than `least_band_runs`.
std::optional<ErrorBand> band_of(std::vector<double> ratios);

/// A check of bands on runs whose model and GPU type are left out of their own band.
struct BandCoverage {
  int runs = 0;      ///< with a band
  double held = 0;   ///< share of them that their band holds
  double width = 0;  ///< mean of high over low, less 1
};
/// Takes judged outcomes with a prediction. Nothing for no run with a band.
std::optional<BandCoverage> coverage_of(std::span<const Outcome> outcomes);

/// A way from the measured time of one step to the predicted one of another, in seconds of one device for each token.
struct StepWaterfall {
  double from = 0;                                    ///< measured
  double error = 0;                                   ///< predicted less measured, of the same step
  std::array<double, mesh::step_part_count> parts{};  ///< the other step's less its own
  double to = 0;                                      ///< predicted, of the other step: the sum of all before
};
/// `from_tokens`, `to_tokens`: of a step and each of its devices.
StepWaterfall waterfall_of(double measured_seconds, const mesh::Prediction& from, double from_tokens,
                           const mesh::Prediction& to, double to_tokens);

struct NearestRun {
  Outcome outcome;
  double distance = 0;
  std::vector<Difference> differences;
  StepWaterfall waterfall;
};

struct LikeRuns {
  std::optional<ErrorBand> band;  ///< nothing where fewer than `least_band_runs` are like the step
  int like = 0;                   ///< published runs within `like_distance`
  std::vector<NearestRun> nearest;
};

/// A table of judged runs with their traits.
class KnownRuns {
 public:
  /// Leaves out runs that are not judged or give no question.
  KnownRuns(std::span<const PublishedRun> runs, const std::vector<DeviceModel>& catalogue, int threads);

  std::size_t size() const { return known_.size(); }

  /// Returns the positions of the runs within `like_distance`, nearest first; equal ones in the order of the table.
  std::vector<std::size_t> near(const Traits& traits) const;
  const PublishedRun& run(std::size_t position) const { return known_[position].run; }
  const Traits& traits(std::size_t position) const { return known_[position].traits; }

 private:
  struct Known {
    PublishedRun run;
    Traits traits;
  };
  std::vector<Known> known_;
};

/// A step with its prediction.
struct PredictedStep {
  const mesh::Question& question;
  const mesh::Rates& rates;
  const mesh::Prediction& prediction;
};

/// Returns the band of the `band_runs` nearest runs, at most `band_runs_of_one` of a source's model, and the `count`
/// nearest. These runs are predicted anew, with the same efficiencies as the step.
LikeRuns like_runs(const KnownRuns& known, const PredictedStep& step, int count,
                   const std::vector<DeviceModel>& catalogue, const EfficiencyTable& rates, const Predict& predict,
                   int threads);

}  // namespace pipedeck::study::accuracy
