// SPDX-License-Identifier: Apache-2.0
#include "core/model/calibration_record.hpp"

#include <cmath>

namespace pipedeck {

std::optional<MeanErrors> mean_errors(const CalibrationRecord& record, bool held_out) {
  MeanErrors mean;
  for (const CalibratedRun& run : record.runs) {
    if ((run.use == RunUse::fit) == held_out) continue;
    ++mean.runs;
    mean.before += std::abs(run.error_before());
    mean.after += std::abs(run.error_after());
  }
  if (mean.runs == 0) return std::nullopt;
  mean.before /= mean.runs;
  mean.after /= mean.runs;
  return mean;
}

}  // namespace pipedeck
