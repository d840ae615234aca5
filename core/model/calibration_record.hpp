// SPDX-License-Identifier: Apache-2.0
// A calibration as it is stored: the fitted parameters, their sources, place and date, and the prediction errors before
// and after (formats.md, "Calibration").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/calibration.hpp"

namespace pipedeck {

/// A fitted parameter and how it was found. In seconds for the overhead, dimensionless for the other two.
struct FittedParameter {
  bool determined = false;      ///< false: the runs do not determine it, and it stays at its default
  int operations = 0;           ///< measured operations that it was fitted from
  double lower = 0, upper = 0;  ///< quartiles of the values of single operations
  std::string note;             ///< why it is not determined, or differs from the operations' values
  bool operator==(const FittedParameter&) const = default;
};

/// A use of a run. `in_turn`: its error after calibration is that of a fit from all other runs.
enum class RunUse { fit, held_out, cross_validation };
std::string_view name_of(RunUse use);  // "held-out"
std::optional<RunUse> parse_run_use(std::string_view name);

struct CalibratedRun {
  std::string name;  ///< as the user knows it: an event file or a run of the project
  std::string plan;
  RunUse use = RunUse::fit;
  int steps = 0;                        ///< measured steps, without the first
  Seconds measured;                     ///< median step
  Seconds before, after;                ///< predicted iteration with the files' values, and calibrated
  Bytes measured_peak, predicted_peak;  ///< memory of the most loaded device; 0: not measured
  bool operator==(const CalibratedRun&) const = default;

  double error_before() const { return before.count / measured.count - 1; }
  double error_after() const { return after.count / measured.count - 1; }
};

/// A profile or cluster that the runs were predicted with.
struct CalibrationSource {
  std::string kind;  ///< "profile" or "cluster"
  std::string name, sha256;
  bool operator==(const CalibrationSource&) const = default;
};

struct CalibrationRecord {
  Calibration values;
  std::string date;                  ///< ISO 8601
  std::string host;                  ///< name of the machine that it was fitted on
  std::vector<std::string> devices;  ///< of that machine, one line each
  std::vector<CalibrationSource> sources;
  FittedParameter overhead, slowdown, efficiency;
  std::vector<CalibratedRun> runs;
  std::string extra;
  bool operator==(const CalibrationRecord&) const = default;
};

/// A mean of the absolute errors of the runs that were fitted from, or of those held out, in turn or always. Absent if
/// there are no such runs.
struct MeanErrors {
  int runs = 0;
  double before = 0, after = 0;
  bool operator==(const MeanErrors&) const = default;
};
std::optional<MeanErrors> mean_errors(const CalibrationRecord& record, bool held_out);

}  // namespace pipedeck
