// SPDX-License-Identifier: GPL-3.0-or-later
// The project's runs as input of a calibration.
#pragma once

#include <vector>

#include <QString>

#include "app/session/project/state.hpp"
#include "core/base/result.hpp"
#include "core/sim/calibrate/calibrate.hpp"

namespace pipedeck::session::runs {

struct CalibrationRun {
  int run = 0;
  QString name;             ///< with the time of day, since runs of one plan share its name
  QString unusable_reason;  ///< why it cannot be used; empty: it can
};

struct CalibrationChoice {
  int run = 0;
  bool held_out = false;
};

std::vector<CalibrationRun> calibration_runs(const project::State& state);

/// Returns the run with the measured profile and cluster of its launch. They are found by the plan's checksums, or else
/// by its names, since a new measurement replaces the old profile.
Result<sim::calibrate::MeasuredRun> measured_run(const project::State& state, const project::RunEntry& entry,
                                                 bool held_out);

/// Sets date, machine and sources of a fit that has just ended.
CalibrationRecord with_origin(CalibrationRecord record, const std::vector<sim::calibrate::MeasuredRun>& runs);

}  // namespace pipedeck::session::runs
