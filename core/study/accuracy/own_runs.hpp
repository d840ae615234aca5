// SPDX-License-Identifier: Apache-2.0
// A user's own runs on top of the program's efficiencies: few numbers for each device type, fitted to a table of runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/study/accuracy/accuracy.hpp"

namespace pipedeck::study::accuracy {

/// A scaling of a device type's speeds. 1: as in the table of efficiencies.
struct SpeedScales {
  double compute = 1;  ///< of products, attention, memory and host
  double link = 1;     ///< of communication inside an NVLink domain
  double network = 1;  ///< between domains
  bool operator==(const SpeedScales&) const = default;
};

/// Fitted scales are from half to twice; compute alone is fitted to fewer than `least_runs_for_links` runs.
inline constexpr double most_scale = 2;
inline constexpr int least_own_runs = 3, least_runs_for_links = 12;

/// Returns the row with speeds scaled; shares end at 1.
DeviceEfficiency scaled(DeviceEfficiency row, const SpeedScales& by);

struct OwnRunsFit {
  std::string device;
  SpeedScales scales;
  ErrorSummary before, after;
  ErrorSummary held_out;  ///< either half predicted as fitted to the other; of no runs for fewer than twice the least
};

struct OwnRunsTable {
  EfficiencyTable rates;
  std::vector<OwnRunsFit> fits;  ///< by device type
};

/// Returns the table with scaled rows for each device type with enough judged runs, so that the mean of
/// |log(predicted / measured)| becomes least. `source` is noted in these rows. bad_input if no type has enough.
Result<OwnRunsTable> fit_to_own_runs(std::span<const PublishedRun> runs, const std::vector<DeviceModel>& catalogue,
                                     const EfficiencyTable& rates, const Predict& predict, const std::string& source,
                                     int threads);

}  // namespace pipedeck::study::accuracy
