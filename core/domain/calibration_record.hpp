// SPDX-License-Identifier: Apache-2.0
// A calibration as it is kept: the fitted figures, what they were fitted from, where and when, and how far predictions
// were off before and after (formats.md, "Calibration").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/calibration.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

/// How one figure was found. Seconds for the overhead, plain numbers for the other two.
struct FittedFigure {
  bool determined = false;      ///< false: the runs say nothing about it, and it stays at its default
  int operations = 0;           ///< measured operations that it was found from
  double lower = 0, upper = 0;  ///< quartiles of what single operations say
  std::string note;             ///< why it is not determined, or why it is not what the operations say
  bool operator==(const FittedFigure&) const = default;
};

/// What a run was used for. `in_turn`: its error after is that of a fit from all the others.
enum class RunUse { fit, held_out, in_turn };
std::string_view name_of(RunUse use);  // "held-out"
std::optional<RunUse> run_use_named(std::string_view name);

struct CalibratedRun {
  std::string name;  ///< as the user knows it: a file of events, a run of the project
  std::string plan;
  RunUse use = RunUse::fit;
  int steps = 0;                        ///< measured, the first left out
  Seconds measured;                     ///< median step
  Seconds before, after;                ///< predicted iteration, as the files have it and calibrated
  Bytes measured_peak, predicted_peak;  ///< memory of the fullest device; 0: not measured
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
  std::string host;                  ///< of the machine that it was fitted on
  std::vector<std::string> devices;  ///< of that machine, a line each
  std::vector<CalibrationSource> sources;
  FittedFigure overhead, slowdown, efficiency;
  std::vector<CalibratedRun> runs;
  std::string extra;
  bool operator==(const CalibrationRecord&) const = default;
};

/// Mean of the absolute errors of the runs that were fitted from, or of those held out, in turn or at all; nothing
/// where there are none.
struct MeanErrors {
  int runs = 0;
  double before = 0, after = 0;
  bool operator==(const MeanErrors&) const = default;
};
std::optional<MeanErrors> mean_errors(const CalibrationRecord& record, bool held_out);

}  // namespace pipedeck
