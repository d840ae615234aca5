// SPDX-License-Identifier: Apache-2.0
// Fits the few figures by which a machine differs from its profile and cluster files (simulator.md, "Calibration"):
//
// - Overhead: how much longer passes take than predicted, with what their device does between them, where it neither
//   waits nor communicates; the median, short passes counting more.
// - Efficiency of links: of transfers and all-reduces, predicted time of the bytes (without latency) over the measured;
//   the median by that time.
// - Slow-down: of passes beside communication, how much longer they take over how much longer slow-down 2 would make
//   them; the median by the latter.
//
// Runs that are held out are predicted with the result and touch nothing else. Where none is, every run is predicted
// with a fit from all the others.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/domain/calibration_record.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/progress.hpp"
#include "core/domain/result.hpp"
#include "core/domain/run.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

struct MeasuredRun {
  std::string name;
  Problem problem;  ///< what it is predicted with; a calibration in it is left aside
  Plan plan;
  std::vector<RunEvent> events;
  bool held_out = false;
};

/// The record without date, machine and sources. The order of runs changes nothing but their order in it. Errors name
/// the run as their file.
Result<CalibrationRecord> calibrate(const std::vector<MeasuredRun>& runs, const Progress& progress = {},
                                    std::stop_token stop = {});

}  // namespace pipedeck
