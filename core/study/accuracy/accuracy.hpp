// SPDX-License-Identifier: Apache-2.0
// Predictions next to published measurements: errors by group, ranks of mappings, verdicts on memory.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/model/device_model.hpp"
#include "core/model/efficiency.hpp"
#include "core/study/accuracy/likeness.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::study::accuracy {

/// A published run with its prediction. Where the row leaves recomputation open, the least of a few choices that fits.
struct Outcome {
  PublishedRun run;
  std::string device;                      ///< type in the catalogue; empty: unknown
  bool judged = false;                     ///< newest of its mapping, with a time and a full shape
  std::optional<double> measured_seconds;  ///< of an iteration
  std::optional<Traits> traits;            ///< where the run can be expressed
  std::optional<mesh::Prediction> prediction;
  std::string skipped;             ///< why there is none
  std::vector<std::string> notes;  ///< on what was assumed

  /// Returns predicted over measured tokens per second, less 1; above 0: too quick.
  std::optional<double> error() const;
  /// Returns the predicted bytes of the kind that the run prints: allocated, reserved, or with context. They are in the
  /// figure's unit: GiB, or thousands of MiB where nvidia-smi's GB are printed.
  std::optional<double> predicted_gib() const;
  /// Returns predicted over measured memory, less 1. Nothing for figures that are left out.
  std::optional<double> memory_error() const;
  /// Returns why the run's figure of memory is not compared; empty: it is, or there is none.
  std::string memory_left_out() const;
};

using Predict = std::function<Result<mesh::Prediction>(const mesh::Question&, const mesh::Rates&)>;

/// Returns an outcome a run, in their order. Runs on several threads; the answer does not depend on their number.
std::vector<Outcome> outcomes_of(std::span<const PublishedRun> runs, const std::vector<DeviceModel>& catalogue,
                                 const EfficiencyTable& rates, const Predict& predict, int threads);

/// A set of errors.
struct ErrorSummary {
  int rows = 0;
  double mean_absolute = 0;
  double nine_in_ten = 0;  ///< of the absolute errors, this is at least as large as nine in ten
  double mean = 0;         ///< signed
  double largest = 0;      ///< absolute
};
/// Returns zeros for no errors.
ErrorSummary summary_of(std::vector<double> errors);

struct ErrorGroup {
  std::string key;  ///< "source=megatron-bridge"
  ErrorSummary errors;
};

/// Returns the names of group keys: source, model, gpu, precision, task, tp, cp, ep, pp, sharding, engine.
std::span<const std::string_view> group_keys();
/// Returns the value of a run's key: "8" for tp, "yes" or "no" for cp, ep and pp above 1.
std::string key_of(const PublishedRun& run, std::string_view key);
/// Returns the errors of judged outcomes by the keys' values together, largest mean first.
std::vector<ErrorGroup> groups_of(std::span<const Outcome> outcomes, std::span<const std::string> keys);

/// Returns Spearman's rank correlation; values that are equal share their mean rank. Nothing for fewer than 2 values or
/// where one side is constant.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

/// A correlation over mappings of one model on one machine.
struct RankGroup {
  std::string model, gpu;
  int gpus = 0, rows = 0;
  double correlation = 0;
};
/// Returns those with at least `least` judged mappings, lowest first.
std::vector<RankGroup> rank_groups_of(std::span<const Outcome> outcomes, int least = 5);

struct AccuracySummary {
  int rows = 0, judged = 0, predicted = 0;  ///< predicted: of the judged ones
  ErrorSummary time, memory;                ///< memory: of all rows that print a figure
  int refused = 0;                          ///< judged runs that are predicted not to fit
  std::map<std::string, int> skipped;       ///< judged runs without a prediction, by reason
  std::vector<RankGroup> ranks;
  std::optional<double> rank_mean;  ///< of the correlations, by rows
};
AccuracySummary summary_of(std::span<const Outcome> outcomes);

}  // namespace pipedeck::study::accuracy
