// SPDX-License-Identifier: GPL-3.0-or-later
// The project's runs as what a calibration is fitted from.
#pragma once

#include <vector>

#include <QString>

#include "app/session/project_state.hpp"
#include "core/domain/result.hpp"
#include "core/sim/calibrate.hpp"

namespace pipedeck::app {

struct CalibrationRun {
  int run = 0;
  QString name;     ///< with the time of day: several runs of one plan have one name
  QString why_not;  ///< it can't be used; empty: it can
};

struct CalibrationChoice {
  int run = 0;
  bool held_out = false;
};

std::vector<CalibrationRun> calibration_runs(const ProjectState& state);

/// A run beside the measured profile and cluster that it was launched with: those of the plan's checksums, else of its
/// names (a profile that is measured again takes the place of the one before).
Result<MeasuredRun> measured_run(const ProjectState& state, const RunEntry& entry, bool held_out);

/// Date, machine and sources of a fit that ended now.
CalibrationRecord with_origin(CalibrationRecord record, const std::vector<MeasuredRun>& runs);

}  // namespace pipedeck::app
