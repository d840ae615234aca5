// SPDX-License-Identifier: Apache-2.0
// Fits the few parameters by which a machine differs from its profile and cluster files (simulator.md, "Calibration"):
//
// - Overhead: the measured over the predicted time of passes, including the device's time between them in which it
//   neither waits nor communicates; the median, weighted towards short passes.
// - Efficiency of links: the predicted time of the bytes of transfers and all-reduces (without latency) over the
//   measured; the median, weighted by that time.
// - Slow-down: the increase of passes during communication, over their increase under slow-down 2; the median, weighted
//   by the latter.
//
// Held-out runs are predicted with the result and have no other effect. Without any, every run is predicted with a fit
// from all the others.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/calibration_record.hpp"
#include "core/model/plan.hpp"
#include "core/model/run.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::sim::calibrate {

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

}  // namespace pipedeck::sim::calibrate
